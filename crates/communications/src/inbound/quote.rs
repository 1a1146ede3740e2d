//! Finding the words of a message that a language model quotes.

/// A quote with fewer letters proves nothing: a single letter is in every message.
const LEAST_LETTERS: usize = 4;

/// The part of a text that a quote repeats, as written in the text. Any sequence of spaces and line breaks
/// equals any other; all else must be the same.
pub(super) fn find<'a>(text: &'a str, quote: &str) -> Option<&'a str> {
    let words: Vec<&str> = quote.split_whitespace().collect();
    if quote.chars().filter(|character| character.is_alphabetic()).count() < LEAST_LETTERS {
        return None;
    }
    let (first, others) = words.split_first()?;
    text.char_indices().find_map(|(start, _)| {
        let behind_first =
            text.get(start..)?.starts_with(first).then(|| start.saturating_add(first.len()))?;
        text.get(start..end_of(text, behind_first, others)?)
    })
}

/// Where `words` end, if they follow `place` in the text with white space before each.
fn end_of(text: &str, place: usize, words: &[&str]) -> Option<usize> {
    words.iter().try_fold(place, |place, word| {
        let rest = text.get(place..)?;
        let next = rest.trim_start();
        let blanks = rest.len().saturating_sub(next.len());
        let is_next = blanks > 0 && next.starts_with(word);
        is_next.then(|| place.saturating_add(blanks).saturating_add(word.len()))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quote_is_found_as_it_stands_in_the_message() {
        let text = "Hello,\n\nmy firm is in\r\n  administration.\nNo no, no money. 払えない。";
        assert_eq!(find(text, " firm is in administration"), Some("firm is in\r\n  administration"));
        assert_eq!(find(text, "No no, no money"), Some("No no, no money"));
        assert_eq!(find(text, "no,\nno money."), Some("no, no money."));
        assert_eq!(find(text, "払えない"), Some("払えない"));
    }

    #[test]
    fn other_words_and_single_letters_are_no_quote() {
        let text = "my firm is in administration, I am a b c d e";
        for quote in [
            "",
            "  ",
            "i",
            "in",
            "a b",
            "... ---",
            "My firm",
            "firm in administration",
            "firmis in",
            "is in administration, I am a b c d e f",
            "I cannot pay",
            "adminis tration",
        ] {
            assert_eq!(find(text, quote), None, "{quote:?}");
        }
    }

    proptest! {
        #[test]
        fn found_quote_has_the_words_that_were_searched(text in "[a-c é\n]{0,60}", quote in "[a-c é\n]{0,12}") {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            match find(&text, &quote) {
                Some(found) => prop_assert_eq!(words(found), words(&quote)),
                None => {
                    let is_long = quote.chars().filter(|one| one.is_alphabetic()).count() >= LEAST_LETTERS;
                    prop_assert!(!is_long || !text.contains(quote.trim()));
                }
            }
        }
    }
}
