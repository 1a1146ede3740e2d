//! The tuning half of the labelled messages, together with which the rules were written.

use std::io::{Write, stdout};

use communications::{MessageType, classify};
use kernel::Named as _;
use time::macros::date;

#[test]
fn tuning_messages_are_understood_with_evidence() {
    let messages: Vec<(String, MessageType)> = include_str!("../evaluation/tuning.jsonl")
        .lines()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let field = |name: &str| line[name].as_str().unwrap().to_owned();
            (field("text"), MessageType::parse(&field("type")).unwrap())
        })
        .collect();
    assert!(messages.len() >= 600, "{} messages", messages.len());
    let mut wrong = 0;
    for (text, message_type) in &messages {
        let understood = classify(text, date!(2026 - 12 - 01));
        let evidence = understood.evidence.clone().map(|span| &text[span]);
        if understood.message_type.raises() {
            assert!(evidence.is_some_and(|evidence| !evidence.is_empty()), "{text}");
        }
        if understood.message_type != *message_type {
            wrong += 1;
            let (is, should) = (understood.message_type.as_str(), message_type.as_str());
            writeln!(stdout(), "{should} read as {is} ({evidence:?}, sure {}): {text}", understood.sure)
                .unwrap();
        } else if !understood.sure {
            writeln!(stdout(), "unsure {} {evidence:?}: {text}", understood.message_type.as_str()).unwrap();
        }
    }
    assert!(wrong * 16 <= messages.len(), "{wrong} of {} are read as another type", messages.len());
}

#[test]
fn hostile_messages_are_read_in_bounded_time() {
    for part in ["not pay ", "i cannot ", "\"\"\"", "🦀", "1/", "stop ", "a\u{301}", "\u{0}"] {
        let message = part.repeat(200_000 / part.len());
        let first = classify(&message, date!(2026 - 12 - 01));
        assert_eq!(first, classify(&message, date!(2026 - 12 - 01)));
    }
}
