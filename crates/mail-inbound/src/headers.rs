//! The headers of a mail by name.

use mail_parser::{Addr, Address, Header, Message};

use crate::characters::without_controls;

/// How many ids or addresses of one header are read.
pub(crate) const MAX_VALUES: usize = 100;

/// Headers as they are written, unfolded, with names in lower case. Bytes that are not UTF-8 are replaced:
/// the address beside a name in Latin-1 can be read.
pub(crate) struct Headers(Vec<(String, String)>);

impl Headers {
    pub(crate) fn of(message: &Message<'_>) -> Self {
        let unfolded = |header: &Header<'_>| {
            let start = usize::try_from(header.offset_start).ok()?;
            let end = usize::try_from(header.offset_end).ok()?;
            let value = String::from_utf8_lossy(message.raw_message.get(start..end)?);
            let value: Vec<_> = value.split_whitespace().collect();
            Some((header.name.as_str().trim().to_ascii_lowercase(), without_controls(&value.join(" "))))
        };
        Self(message.headers().iter().filter_map(unfolded).collect())
    }

    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.all(name).next().is_some()
    }

    /// The first value of a header, in lower case.
    pub(crate) fn lower(&self, name: &str) -> String {
        self.all(name).next().unwrap_or_default().to_lowercase()
    }

    /// The ids in a header: in angle brackets, or without if it has no brackets. Of too many, the last ones:
    /// a long conversation names the answered mail last.
    pub(crate) fn ids(&self, name: &str) -> Vec<String> {
        let mut found: Vec<String> = self.all(name).flat_map(ids).collect();
        found.split_off(found.len().saturating_sub(MAX_VALUES))
    }

    /// Everything in a header that looks like an address. Of too many, those first that may be reply
    /// addresses of this service.
    pub(crate) fn addresses(&self, name: &str) -> Vec<String> {
        let parts = self.all(name).flat_map(|value| value.split(is_separator));
        let mut found: Vec<&str> = parts.filter(|part| part.contains('@')).collect();
        if found.len() > MAX_VALUES {
            found
                .sort_by_key(|part| !part.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("reply+")));
            found.truncate(MAX_VALUES);
        }
        found.into_iter().map(str::to_owned).collect()
    }
}

/// The address of the sender as it is written: of the first mailbox that has one. Names with commas or quotes
/// that do not end are parsed as mailboxes: then, the address in angle brackets that comes last.
pub(crate) fn sender(message: &Message<'_>, headers: &Headers) -> Option<String> {
    let is_address = |text: &&str| {
        text.rsplit_once('@').is_some_and(|(local, domain)| {
            !local.is_empty() && !local.contains(['@', ':', '<', '>']) && !domain.is_empty()
        })
    };
    let mut parsed =
        message.from().into_iter().flat_map(Address::iter).filter_map(Addr::address).map(str::trim);
    let in_brackets = headers.all("from").flat_map(|value| value.split('<').skip(1));
    let in_brackets = in_brackets.filter_map(|part| part.split_once('>')).map(|(route, _)| route);
    // The address in `<@relay.example:ada@example.com>` comes last.
    let written = in_brackets.filter_map(|route| route.rsplit(':').next()).map(str::trim);
    parsed.find(is_address).or_else(|| written.filter(is_address).last()).map(without_controls)
}

pub(crate) fn ids(text: &str) -> Vec<String> {
    let bracketed = text.split('<').skip(1).filter_map(|part| part.split_once('>')).map(|(id, _)| id);
    let mut found: Vec<_> = bracketed.map(str::trim).filter(|id| id.contains('@')).collect();
    if found.is_empty() {
        found = text.split_whitespace().filter(|part| part.contains('@') && !part.contains('<')).collect();
    }
    found.into_iter().map(str::to_owned).collect()
}

/// A colon separates a group or a scheme from an address: `Invoices:a@b.example`, `mailto:a@b.example`.
pub(crate) const fn is_separator(character: char) -> bool {
    matches!(character, ' ' | ',' | ';' | ':' | '<' | '>' | '"' | '(' | ')' | '\'' | '[' | ']')
}
