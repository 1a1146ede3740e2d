//! Which differences between bodies change the fingerprint, and hostile bodies.

use super::*;
use proptest::prelude::*;

fn same(one: &str, other: &str) -> bool {
    Fingerprint::of(one.as_bytes()) == Fingerprint::of(other.as_bytes())
}

#[test]
fn order_white_space_and_number_writing_do_not_count() {
    assert!(same(r#"{"a":{"x":1,"y":[1,2]},"b":"t"}"#, r#" {"b":"t", "a":{"y":[1.0,2e0],"x":10e-1}}"#));
    assert!(same("-0.0", "0"));
    assert!(same("1200", "1.2e3"));
    assert!(same("1E+2", "100"));
    assert!(same(r#"{"\u0061":"\u0062"}"#, r#"{"a":"b"}"#));
    // A string that cannot be decoded is compared as written, everything around it by value.
    assert!(same(r#"{"a":"\ud800","b":1}"#, r#"{"b":1.0,"a":"\ud800"}"#));
}

/// A request may be repeated to a later version of the service, which compares it with the stored
/// fingerprint.
#[test]
fn fingerprint_is_that_of_earlier_versions() {
    let body = r#"{"b": [null, true, false, "x", 12.50], "a": {}}"#;
    let fed = ring::digest::digest(&SHA256, b"{1:2k1:a{1:0k1:b[1:5ntfs1:x#6:125e-1");
    assert_eq!(Fingerprint::of(body.as_bytes()).as_bytes(), fed.as_ref());
}

#[test]
fn every_difference_in_meaning_counts() {
    for (one, other) in [
        ("[1,2]", "[2,1]"),
        (r#"{"a":1}"#, r#"{"a":"1"}"#),
        (r#"{"a":null}"#, "{}"),
        ("[[1],2]", "[[1,2]]"),
        ("0.1", "0.10000000000000001"),
        ("1", "-1"),
        ("not json", "not  json"),
        ("10", "1"),
        (r#"["ab"]"#, r#"["a","b"]"#),
        (r#""\ud800""#, r#""\ud801""#),
        (r#""\ud800""#, r#"8:"\ud800""#),
        (r#"{"\ud800":1}"#, r#"{"\ud800":2}"#),
        (&format!("1e{}", i128::MAX), &format!("10e{}", i128::MAX)),
    ] {
        assert!(!same(one, other), "{one} {other}");
    }
}

#[test]
fn beginning_of_a_large_body_is_no_whole_body() {
    let beginning = |bytes: &[u8]| Fingerprint::of_beginning(bytes);
    assert_eq!(beginning(b"{\"a\":"), beginning(b"{\"a\":"));
    assert_ne!(beginning(b"{\"a\":"), beginning(b"{\"b\":"));
    for bytes in [&b""[..], b"too large", b"{}", b"\xff"] {
        assert_ne!(beginning(bytes), Fingerprint::of(bytes));
    }
}

#[test]
fn every_entry_of_a_doubled_name_counts() {
    for (one, other) in [
        (r#"{"name":"a","name":"b"}"#, r#"{"name":"b"}"#),
        (r#"{"name":"a","name":"b"}"#, r#"{"name":"a"}"#),
        (r#"{"name":"a","name":"b"}"#, r#"{"name":"b","name":"a"}"#),
        (r#"{"name":"a","name":"a"}"#, r#"{"name":"a"}"#),
        (r#"{"name":"a","\u006eame":"b"}"#, r#"{"name":"b"}"#),
        (r#"[{"a":{"b":1,"b":2}}]"#, r#"[{"a":{"b":2}}]"#),
    ] {
        assert!(!same(one, other), "{one} {other}");
    }
    assert!(same(r#"{"b":1,"a":2,"b":3}"#, r#"{"a":2, "b":1.0, "b":3}"#));
}

#[test]
fn private_names_of_the_parser_are_plain_names() {
    for (one, other) in [
        (r#"{"$serde_json::private::Number":"5"}"#, "5"),
        (r#"{"$serde_json::private::RawValue":"5"}"#, "5"),
        (r#"{"$serde_json::private::RawValue":"{\"a\":1}"}"#, r#"{"a":1}"#),
        (
            r#"{"a":{"$serde_json::private::RawValue":"[]"}}"#,
            r#"{"a":{"$serde_json::private::RawValue":"[ ]"}}"#,
        ),
        (r#"{"$serde_json::private::Number":"5"}"#, r#"{"$serde_json::private::Number":"5.0"}"#),
    ] {
        assert!(!same(one, other), "{one} {other}");
    }
    assert!(same(
        r#"{"$serde_json::private::RawValue":"1","$serde_json::private::Number":5}"#,
        r#"{"$serde_json::private::Number":5.0,"$serde_json::private::RawValue":"1"}"#,
    ));
}

/// JSON in a string, nested repeatedly under the private name that would make the parser parse it, in
/// brackets.
fn nested_json(levels: usize, brackets: usize) -> String {
    (0..levels).fold("7".to_owned(), |inner, _| {
        let text = serde_json::to_string(&inner).unwrap();
        let (open, close) = ("[".repeat(brackets), "]".repeat(brackets));
        format!("{open}{{\"$serde_json::private::RawValue\":{text}}}{close}")
    })
}

fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(256 * 1_024);
    thread.spawn(work).unwrap().join().unwrap();
}

#[test]
fn no_body_overflows_a_small_stack() {
    on_a_small_stack(|| {
        let around = |open: &str, inner: &str, close: &str, times: usize| {
            format!("{}{inner}{}", open.repeat(times), close.repeat(times))
        };
        let mut bodies = Vec::new();
        for brackets in [0, 1, 62, 63, 125] {
            let nested_json = nested_json(12, brackets);
            bodies.push(around("{\"contact\":", &nested_json, "}", 1));
            bodies.push(nested_json);
        }
        for times in [31, 32, 33, 63, 64, 65, 127, 128, 100_000] {
            bodies.push("[".repeat(times));
            bodies.push("{\"a\":".repeat(times));
            bodies.push(around("[", "", "]", times));
            bodies.push(around("{\"a\":", "0", "}", times));
            bodies.push(around("[{\"a\":", "\"x\"", "}]", times));
            bodies.push(around("[1,{\"\\ud800\":[],\"a\":", "[]", ",\"a\":{}},\"[\"]", times));
            bodies.push(around("{\"$serde_json::private::RawValue\":", "\"7\"", "}", times));
        }
        let seen: Vec<_> = bodies.iter().map(|body| Fingerprint::of(body.as_bytes())).collect();
        for (place, one) in seen.iter().enumerate() {
            assert!(!seen[..place].contains(one), "{place}");
        }
    });
}

#[test]
fn bodies_deeper_than_64_levels_are_fingerprinted_as_bytes() {
    let nested = |levels: usize, inner: &str| format!("{}{inner}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(same(&nested(64, "1.0"), &nested(64, " 1 ")));
    assert!(!same(&nested(65, "1.0"), &nested(65, " 1 ")));
}

proptest! {
    #[test]
    fn fingerprint_of_random_bytes_does_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Fingerprint::of(&bytes);
    }

    #[test]
    fn fingerprint_of_random_numbers_does_not_panic(number in "-?[0-9]{1,30}(\\.[0-9]{1,30})?([eE][-+]?[0-9]{1,60})?") {
        let _ = Fingerprint::of(number.as_bytes());
    }

    #[test]
    fn fingerprint_of_random_json_tokens_does_not_panic(
        jumble in prop::collection::vec(
            prop::sample::select(vec![
                "{", "}", "[", "]", ":", ",", "\"", "\\", "\"a\"", "\"a\":", "1", "-", "e", "null", "\"\\ud800\"", " ",
                "\"$serde_json::private::RawValue\":", "\"$serde_json::private::Number\":", "\"[1]\"",
            ]),
            0..60,
        )
    ) {
        let _ = Fingerprint::of(jumble.concat().as_bytes());
    }

    #[test]
    fn the_order_of_fields_never_counts(
        fields in prop::collection::btree_map("[a-c$]{0,3}", "-?[1-9][0-9]{0,3}", 0..8),
        turn in 0_usize..8,
    ) {
        let mut fields: Vec<_> = fields.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        let in_order = format!("{{{}}}", fields.join(","));
        let turn = turn.min(fields.len());
        fields.rotate_left(turn);
        let turned = format!("{{{}}}", fields.join(" , "));
        prop_assert!(same(&in_order, &turned));
    }
}
