//! How deep a body is nested, counted without recursion.

/// The deepest nesting taken; no body of the API needs more than three levels.
const DEEPEST: u32 = 64;

/// Whether brackets are nested deeper than the limit. Text that is not JSON gets some answer; the parser refuses it anyway.
pub(crate) fn is_beyond_limit(text: &str) -> bool {
    let (mut depth, mut in_string, mut escaped) = (0_u32, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth = depth.saturating_add(1);
                if depth > DEEPEST {
                    return true;
                }
            }
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(levels: usize) -> String {
        format!("{}{}", "[".repeat(levels), "]".repeat(levels))
    }

    #[test]
    fn sixty_four_levels_are_the_most() {
        assert!(!is_beyond_limit(&nested(64)));
        assert!(is_beyond_limit(&nested(65)));
        assert!(is_beyond_limit(&"{\"a\":".repeat(200_000)));
    }

    #[test]
    fn siblings_and_brackets_in_text_do_not_count() {
        assert!(!is_beyond_limit(&"[],".repeat(1_000)));
        assert!(!is_beyond_limit(&format!(
            "\"{}\\\"{}\"",
            "[".repeat(100),
            "{".repeat(100)
        )));
    }
}
