//! Tests of malformed and hostile bodies.

use kernel::{Decimal, Field, FieldSource as _, SingleLine};

use super::*;

#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    name: Field<SingleLine<5>>,
    size: Field<Decimal>,
    live: Field<bool>,
    part: Field<Box<Seen>>,
    parts: Field<usize>,
}

impl Seen {
    fn read(reader: &mut FieldReader<'_>) -> Self {
        let part = reader.object("part", Self::read);
        let parts = reader.objects("parts", 3, Self::read);
        Self {
            name: reader.line("name"),
            size: reader.number("size"),
            live: reader.flag("live"),
            part: part.map(Box::new),
            parts: parts.map(|parts| parts.len()),
        }
    }
}

fn faults(body: &str) -> Vec<String> {
    let (_, faults) = read(body.as_bytes(), Seen::read).unwrap();
    let lines = faults.iter();
    lines.map(|fault| format!("{}: {}", fault.field, fault.message)).collect()
}

fn refused(body: &[u8]) -> String {
    read(body, Seen::read).unwrap_err().to_string()
}

#[test]
fn fields_are_absent_null_or_read() {
    let (seen, faults) =
        read(br#" {"name": " Ada ", "size": 1.50, "live": null, "unknown": {"name": 1}} "#, Seen::read)
            .unwrap();
    assert!(faults.is_empty());
    assert_eq!(seen.name, Field::Value(SingleLine::parse("Ada").unwrap()));
    assert_eq!(seen.size, Field::Value(Decimal::parse("1.5").unwrap()));
    assert_eq!((seen.live, seen.part), (Field::Null, Field::Absent));
    let (blank, _) = read(br#"{"name": " \t "}"#, Seen::read).unwrap();
    assert_eq!(blank.name, Field::Null);
}

#[test]
fn every_fault_is_named_at_once_with_its_path() {
    let body = r#"{"name": 1, "size": "1", "live": "true",
        "part": {"name": "too long", "part": {"size": 1e400}},
        "parts": [{"live": 0}, 7, {"name": "a\u0000b"}]}"#;
    assert_eq!(
        faults(body),
        [
            "part.part.size: is too large",
            "part.name: must have at most 5 characters",
            "parts.0.live: must be true or false",
            "parts.1: must be an object",
            "parts.2.name: must not contain control characters",
            "name: must be a string",
            "size: must be a number",
            "live: must be true or false",
        ]
    );
}

#[test]
fn the_wrong_kind_of_value_is_a_fault_on_its_own_path() {
    assert_eq!(
        faults(r#"{"part": [], "parts": {}, "name": ["a"], "size": {}, "live": 1}"#),
        [
            "part: must be an object", "parts: must be an array", "name: must be a string",
            "size: must be a number", "live: must be true or false",
        ]
    );
    assert_eq!(faults(r#"{"parts": [1, 2, 3, 4]}"#), ["parts: must have at most 3 elements"]);
}

#[test]
fn a_field_that_is_given_twice_is_a_fault_and_an_unknown_one_is_not() {
    assert_eq!(
        faults(r#"{"name": "a", "x": 1, "x": 2, "name": "a", "part": {"size": 1, "size": 2}}"#),
        ["name: must not be given more than once", "part.size: must not be given more than once"]
    );
}

#[test]
fn unpaired_surrogate_is_a_fault() {
    assert_eq!(
        faults(r#"{"name": "\ud800", "part": {"\ud800": 1}}"#),
        ["part: must have field names of valid Unicode", "name: must be valid Unicode text"]
    );
    assert!(refused(br#"{"\ud800": 1}"#).contains("a field name"));
}

#[test]
fn what_is_not_json_or_no_object_is_refused_as_a_whole() {
    for body in [
        &b""[..],
        b" ",
        b"{",
        b"{\"name\": }",
        b"{\"name\": \"a\"} x",
        b"{'name': 1}",
        b"{\"size\": 01}",
        b"{\"size\": NaN}",
        b"\xef\xbb\xbf{}",
        b"{\"name\": \"a\nb\"}",
    ] {
        let message = refused(body);
        assert!(message.ends_with("is not JSON"), "{message} {body:?}");
    }
    assert!(refused(b"{\"name\": \"\xff\"}").ends_with("not JSON in UTF-8"));
    for body in ["[]", "null", "1", "\"{}\"", "true"] {
        assert!(refused(body.as_bytes()).ends_with("must be a JSON object"));
    }
}

#[test]
fn deep_nesting_is_refused_without_recursion() {
    let deep = "{\"part\":".repeat(100_000);
    assert!(refused(deep.as_bytes()).ends_with("64 levels deep"));
    let fits = format!("{}{}", "{\"part\":".repeat(63), "{}") + &"}".repeat(63);
    assert_eq!(faults(&fits), Vec::<String>::new());
}

#[test]
fn private_names_of_the_parser_are_unknown_fields() {
    let raw = "$serde_json::private::RawValue";
    let number = "$serde_json::private::Number";
    // As the value of a known field, such an object is read as an object, not as the text or number inside
    // it.
    let body = format!(
        r#"{{"name": {{"{raw}": "\"x\""}}, "size": {{"{number}": "5"}}, "live": {{"{raw}": "true"}},
        "parts": {{"{raw}": "[]"}}, "part": {{"name": {{"{raw}": "null"}}, "size": {{"{raw}": "5"}}}}}}"#
    );
    assert_eq!(
        faults(&body),
        [
            "part.name: must be a string", "part.size: must be a number", "parts: must be an array",
            "name: must be a string", "size: must be a number", "live: must be true or false",
        ]
    );
    // As the whole body, a part or an element, it is an object without known fields.
    let inner = r#"{\"name\": 1, \"size\": \"1\"}"#;
    let object = format!(r#"{{"{raw}": "{inner}", "{number}": "1", "{raw}": 1}}"#);
    let around = format!(r#"{{"part": {object}, "parts": [{object}, {object}]}}"#);
    for body in [&object, &around] {
        let (seen, faults) = read(body.as_bytes(), Seen::read).unwrap();
        assert!(faults.is_empty(), "{body}");
        assert_eq!((seen.name, seen.size), (Field::Absent, Field::Absent));
    }
    let (seen, _) = read(around.as_bytes(), Seen::read).unwrap();
    assert_eq!(seen.part, Field::Value(Box::default()));
    assert_eq!(seen.parts, Field::Value(2));
    // Brackets inside a text do not count as nesting, since the text is not parsed.
    let deep = "[".repeat(100_000);
    assert_eq!(
        faults(&format!(r#"{{"part": {{"{raw}": "{deep}"}}, "name": {{"{raw}": "{deep}"}}}}"#)),
        ["name: must be a string"]
    );
}
