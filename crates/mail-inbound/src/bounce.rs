//! Reports about mail that was not delivered (RFC 3464, RFC 6533).

use communications::Bounce;
use mail_parser::{Message, MessagePart, MimeHeaders, PartType};

use crate::characters::without_controls;
use crate::headers::{Headers, MAX_VALUES, ids};

/// The fields with a recipient's address: where the mail was forwarded to, and where it was sent.
const RECIPIENT: [&str; 2] = ["final-recipient", "original-recipient"];

/// The media types of the fields of a report, and of the headers that are returned with it. The global ones
/// may have addresses in UTF-8.
const STATUS: [&str; 2] = ["delivery-status", "global-delivery-status"];
const HEADERS: [&str; 2] = ["rfc822-headers", "global-headers"];

/// What a report says about the recipients that failed, else about its first one, if it has the standard
/// form.
pub(crate) fn bounce(message: &Message<'_>) -> Option<Bounce> {
    let status = message.parts.iter().find(|part| is(part, "message", &STATUS))?;
    let status = without_controls(&String::from_utf8_lossy(status.contents()));
    // The fields of each recipient stand between empty lines.
    let groups = status.split("\n\n").filter_map(RecipientStatus::read).take(MAX_VALUES);
    let mut groups: Vec<RecipientStatus> = groups.collect();
    let hard = groups.iter().any(|group| group.hard);
    match hard {
        true => groups.retain(|group| group.hard),
        false => groups.truncate(1),
    }
    let mut recipients: Vec<(String, String)> = Vec::new();
    for RecipientStatus { named, status, .. } in groups {
        for address in named {
            if !recipients.iter().any(|(one, _)| one.eq_ignore_ascii_case(&address)) {
                recipients.push((address, status.clone()));
            }
        }
    }
    (!recipients.is_empty()).then(|| Bounce { recipients, hard, returned_ids: returned_ids(message) })
}

/// What a report says about one recipient.
struct RecipientStatus {
    /// Where the mail was forwarded to, and where it was sent.
    named: Vec<String>,
    status: String,
    hard: bool,
}

impl RecipientStatus {
    /// Reads the fields of one recipient; `None` if they have no recipient, as those of the report itself.
    fn read(fields: &str) -> Option<Self> {
        let named = RECIPIENT.iter().filter_map(|name| recipient(&field(fields, name)?));
        let named: Vec<String> = named.collect();
        // A comment may follow each.
        let word =
            |name| field(fields, name).and_then(|value| value.split_whitespace().next().map(str::to_owned));
        let status = word("status").unwrap_or_default();
        let failed = word("action").is_some_and(|action| action.eq_ignore_ascii_case("failed"));
        let hard = failed && status.starts_with("5.");
        (!named.is_empty()).then_some(Self { named, status, hard })
    }
}

/// The address in `rfc822; ada@example.com`, in `rfc822; ada@example.com (Ada)` and in
/// `rfc822; Ada <ada@example.com>`.
fn recipient(value: &str) -> Option<String> {
    let value = without_comments(value);
    let address = value.split_once(';').map_or(&*value, |(_type, address)| address);
    let named = address.split_once('<').map_or(address, |(_name, bracketed)| bracketed);
    let address = named.split('>').next()?.trim();
    (!address.is_empty()).then(|| address.to_owned())
}

/// A value without comments, which stand in parentheses (RFC 5322, section 3.2.2).
fn without_comments(value: &str) -> String {
    let mut open = 0_u32;
    let is_outside = |c: &char| {
        let was_open = open;
        open = match c {
            '(' => open.saturating_add(1),
            ')' => open.saturating_sub(1),
            _ => open,
        };
        was_open == 0 && open == 0
    };
    value.chars().filter(is_outside).collect()
}

/// The ids of the mail that is returned with the report.
fn returned_ids(message: &Message<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for part in &message.parts {
        if let PartType::Message(returned) = &part.body {
            found.extend(Headers::of(returned).ids("message-id"));
        } else if is(part, "text", &HEADERS) || is(part, "message", &HEADERS) {
            let text = without_controls(&String::from_utf8_lossy(part.contents()));
            found.extend(field(&text, "message-id").map(|value| ids(&value)).unwrap_or_default());
        }
    }
    found.truncate(MAX_VALUES);
    found
}

fn is(part: &MessagePart<'_>, kind: &str, subtypes: &[&str]) -> bool {
    part.content_type().is_some_and(|given| {
        let sub = given.subtype().unwrap_or_default();
        given.ctype().eq_ignore_ascii_case(kind) && subtypes.iter().any(|one| sub.eq_ignore_ascii_case(one))
    })
}

/// The value of a field in lines of `Name: value`, which may go on in lines that begin with a blank.
fn field(text: &str, name: &str) -> Option<String> {
    let mut lines = text.lines();
    let first = lines.find_map(|line| {
        let (given, value) = line.split_once(':')?;
        given.trim_end().eq_ignore_ascii_case(name).then_some(value)
    })?;
    let folded = lines.take_while(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
    let parts: Vec<&str> = std::iter::once(first).chain(folded).map(str::trim).collect();
    Some(parts.join(" ").trim().to_owned())
}
