//! The `Message-ID`s of a conversation, as `In-Reply-To` and `References` have them.

/// How many ids are written. Each may be long, and mail servers limit the size of a header.
const MAX_IDS: usize = 20;
/// The longest id: it cannot be folded, and a line has at most 998 characters (RFC 5322, section 2.1.1).
const MAX_LENGTH: usize = 900;

/// The ids in angle brackets, separated by spaces, at which the header is folded; `None` without any. Invalid
/// ids are left out: they came with a mail of another program, and the answer to it is sent without them.
pub(crate) fn written<'a>(ids: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let mut ids: Vec<String> =
        ids.into_iter().filter(|id| is_message_id(id)).map(|id| format!("<{id}>")).collect();
    if ids.len() > MAX_IDS {
        // The first names the conversation, the latest are what mail programs look for.
        ids.drain(1..=ids.len() - MAX_IDS);
    }
    (!ids.is_empty()).then(|| ids.join(" "))
}

/// Whether a text can stand in angle brackets as an id: printable ASCII without spaces. No more is required:
/// some ids in use have no `@`, or several.
fn is_message_id(text: &str) -> bool {
    let fits = (1..=MAX_LENGTH).contains(&text.len());
    fits && text.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'<' | b'>'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_id_is_left_out() {
        let long = "x".repeat(MAX_LENGTH + 1);
        for bad in ["", "a b@c", "a@b>", "<a@b", "a@b\r\nBcc: eve@example.com", "ä@b", "a\0", "a\tb", &long]
        {
            assert_eq!(written([bad]), None, "{bad:?}");
            assert_eq!(written(["a@b", bad, "c"]).unwrap(), "<a@b> <c>");
        }
    }

    #[test]
    fn of_a_long_conversation_the_first_and_the_latest_are_written() {
        let ids: Vec<String> = (0..100).map(|number| format!("{number}@b")).collect();
        let all = written(ids.iter().take(MAX_IDS).map(String::as_str)).unwrap();
        assert_eq!(all.split(' ').count(), MAX_IDS);
        let cut = written(ids.iter().map(String::as_str)).unwrap();
        let cut: Vec<&str> = cut.split(' ').collect();
        assert_eq!((cut.len(), cut[0], cut[1], cut[MAX_IDS - 1]), (MAX_IDS, "<0@b>", "<81@b>", "<99@b>"));
    }
}
