//! Texts in which URLs are links, or the words that decided the classification are marked.

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) text: String,
    /// The target of the link.
    pub(crate) href: Option<String>,
    pub(crate) is_marked: bool,
}

impl Segment {
    pub(super) fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), href: None, is_marked: false }
    }
}

/// Turns the URLs in a text into links.
pub(super) fn with_links(text: &str) -> Vec<Segment> {
    let (mut segments, mut rest) = (Vec::new(), text);
    while let Some(start) = find_address(rest) {
        let (before, address) = rest.split_at(start);
        let end = address.find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"'));
        let address = address.get(..end.unwrap_or(address.len())).unwrap_or(address);
        // Punctuation after a URL belongs to the sentence.
        let address = address.trim_end_matches(['.', ',', ';', ':', '!', '?', ')']);
        if !before.is_empty() {
            segments.push(Segment::plain(before));
        }
        segments.push(Segment { href: Some(address.to_owned()), ..Segment::plain(address) });
        rest = rest.get(start.saturating_add(address.len())..).unwrap_or_default();
    }
    if !rest.is_empty() {
        segments.push(Segment::plain(rest));
    }
    segments
}

fn find_address(text: &str) -> Option<usize> {
    [text.find("https://"), text.find("http://")].into_iter().flatten().min()
}

/// Marks the first occurrence of these words in a text.
pub(super) fn with_mark(text: &str, words: &str) -> Vec<Segment> {
    let place = if words.is_empty() { None } else { text.find(words) };
    let Some((before, rest)) = place.map(|place| text.split_at(place)) else {
        return vec![Segment::plain(text)];
    };
    let (marked, after) = rest.split_at(words.len());
    let parts = [
        Segment::plain(before),
        Segment { is_marked: true, ..Segment::plain(marked) },
        Segment::plain(after),
    ];
    parts.into_iter().filter(|part| !part.text.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_become_links_and_keep_no_punctuation() {
        let segments =
            with_links("Pay: https://a.example/pay/x?y=1. Or (http://b.example/)\njavascript:alert(1)");
        let parts: Vec<(&str, Option<&str>)> =
            segments.iter().map(|part| (part.text.as_str(), part.href.as_deref())).collect();
        assert_eq!(
            parts,
            [
                ("Pay: ", None),
                ("https://a.example/pay/x?y=1", Some("https://a.example/pay/x?y=1")),
                (". Or (", None),
                ("http://b.example/", Some("http://b.example/")),
                (")\njavascript:alert(1)", None),
            ]
        );
        assert_eq!(
            with_links("http://").iter().map(|part| part.text.as_str()).collect::<String>(),
            "http://"
        );
        assert!(with_links("").is_empty());
    }

    #[test]
    fn words_that_decided_are_marked_once() {
        let marked = |text: &str, words: &str| {
            let segments = with_mark(text, words);
            segments.iter().filter(|part| part.is_marked).map(|part| part.text.clone()).collect::<Vec<_>>()
        };
        assert_eq!(marked("I cannot pay, cannot pay", "cannot pay"), ["cannot pay"]);
        assert_eq!(marked("é paid", "paid"), ["paid"]);
        assert!(marked("I paid", "").is_empty() && marked("I paid", "other").is_empty());
    }
}
