//! Words that opt out of text messages, or in again, when a text message says nothing else.

use std::ops::Range;

/// The words that a sender must obey (47 CFR 64.1200 (a)(10)), and those that carriers and Twilio act upon by
/// themselves. In an e-mail they may mean something else: "cancel" the invoice.
const KEYWORDS: [&str; 12] = [
    "stop", "stopall", "stop all", "unsubscribe", "cancel", "end", "quit", "revoke", "opt out", "optout",
    "opt-out", "arret",
];

/// The byte range of the keyword, if a text message says nothing else.
pub(super) fn opt_out_keyword(text: &str) -> Option<Range<usize>> {
    let keyword = text.trim_matches(|c: char| !c.is_alphanumeric());
    let is_one = KEYWORDS.iter().any(|one| keyword.eq_ignore_ascii_case(one));
    let start = text.find(keyword)?;
    is_one.then(|| start..start.saturating_add(keyword.len()))
}

/// Whether a text message only tells the provider to deliver text messages again.
pub(super) fn is_opt_in_keyword(text: &str) -> bool {
    ["start", "unstop"].iter().any(|one| text.trim().eq_ignore_ascii_case(one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keyword_counts_when_nothing_else_is_said() {
        for (text, expected) in [
            ("END", Some("END")),
            (" \"Cancel.\"\n", Some("Cancel")),
            ("Opt out!", Some("Opt out")),
            ("revoke", Some("revoke")),
            ("", None),
            ("...", None),
            ("cancel the invoice", None),
            ("I pay at the end", None),
            ("the end", None),
        ] {
            let found = opt_out_keyword(text).and_then(|span| text.get(span));
            assert_eq!(found, expected, "{text:?}");
        }
    }
}
