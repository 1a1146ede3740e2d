//! Untrusted JSON, parsed one level at a time.
//!
//! serde_json's `Value` is unsafe for untrusted input. With `raw_value` and `arbitrary_precision`, the field
//! names `$serde_json::private::RawValue` and `$serde_json::private::Number` have a special meaning: the
//! first has a string parsed as JSON with a new depth limit, so that a small body overflows the stack. Here
//! all names are plain names. Values stay text; check [`is_too_deep`] before descending into one.

use std::fmt;

use serde::Deserializer as _;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Deserializer, Error};

/// The deepest accepted nesting; bodies of the API need at most three levels.
pub const DEEPEST: u32 = 64;

/// Whether brackets are nested deeper than [`DEEPEST`], counted without recursion. For text that is not JSON
/// the result is arbitrary; the parser refuses such text.
#[must_use]
pub fn is_too_deep(text: &str) -> bool {
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

/// All entries of an object in the order of the text, including repeated names.
///
/// # Errors
/// When the value is not an object, or a name is not valid Unicode.
pub fn entries(object: &RawValue) -> Result<Vec<(String, &RawValue)>, Error> {
    struct Collect;

    impl<'de> Visitor<'de> for Collect {
        type Value = Vec<(String, &'de RawValue)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut entries = Vec::new();
            while let Some(entry) = map.next_entry()? {
                entries.push(entry);
            }
            Ok(entries)
        }
    }

    Deserializer::from_str(object.get()).deserialize_map(Collect)
}

/// The elements of an array.
///
/// # Errors
/// When the value is not an array.
pub fn elements(array: &RawValue) -> Result<Vec<&RawValue>, Error> {
    serde_json::from_str(array.get())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(levels: usize) -> String {
        format!("{}{}", "[".repeat(levels), "]".repeat(levels))
    }

    fn raw(text: &str) -> &RawValue {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn sixty_four_levels_are_the_most() {
        assert!(!is_too_deep(&nested(64)));
        assert!(is_too_deep(&nested(65)));
        assert!(is_too_deep(&"{\"a\":".repeat(200_000)));
    }

    #[test]
    fn siblings_and_brackets_in_text_do_not_count() {
        assert!(!is_too_deep(&"[],".repeat(1_000)));
        assert!(!is_too_deep(&format!("\"{}\\\"{}\"", "[".repeat(100), "{".repeat(100))));
        // Closing brackets in strings do not reduce the depth either.
        let open = "[".repeat(40);
        assert!(is_too_deep(&format!("{open}\"{}\",{open}", "]".repeat(40))));
    }

    #[test]
    fn entries_keep_duplicates_and_private_names_of_the_parser() {
        let object = raw(r#" { "b" : [ 1 ] , "\u0061" : 2, "b":{"a":1} } "#);
        let found: Vec<_> = entries(object)
            .unwrap()
            .into_iter()
            .map(|(name, value)| format!("{name}={}", value.get()))
            .collect();
        assert_eq!(found, ["b=[ 1 ]", "a=2", r#"b={"a":1}"#]);
        for name in ["RawValue", "Number"] {
            let name = format!("$serde_json::private::{name}");
            let text = format!(r#"{{"{name}":"[7]"}}"#);
            assert_eq!(raw(&text).get(), text);
            assert!(elements(raw(&text)).is_err());
            let found = entries(raw(&text)).unwrap();
            assert_eq!(found.len(), 1);
            assert_eq!((found[0].0.as_str(), found[0].1.get()), (&*name, "\"[7]\""));
            let list = format!("[{text}]");
            assert_eq!(elements(raw(&list)).unwrap()[0].get(), text);
        }
    }

    #[test]
    fn another_kind_of_value_and_half_a_character_are_errors() {
        for text in ["[]", "null", "1", "\"{}\"", r#"{"\ud800":1}"#] {
            assert!(entries(raw(text)).is_err(), "{text}");
        }
        for text in ["{}", "null", "1", "\"[]\""] {
            assert!(elements(raw(text)).is_err(), "{text}");
        }
    }
}
