//! The held-out half of the labelled messages. Only figures are printed, so that no rule is written for one
//! of its messages. The target figures are in `evaluation/README.md`.

use std::collections::BTreeMap;
use std::io::{Write, stdout};

use communications::{MessageType, classify};
use kernel::Named as _;
use time::macros::date;

#[test]
fn held_out_messages_are_understood_no_worse_than_before() {
    let (mut matrix, mut raised, mut rightly) = (BTreeMap::<_, u32>::new(), 0_u32, 0_u32);
    for line in include_str!("../evaluation/held_out.jsonl").lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let label = MessageType::parse(line["type"].as_str().unwrap()).unwrap();
        let understood = classify(line["text"].as_str().unwrap(), date!(2026 - 12 - 01));
        *matrix.entry((label.as_str(), understood.message_type.as_str(), understood.sure)).or_default() += 1;
        if understood.sure && understood.message_type.raises() {
            raised += 1;
            rightly += u32::from(understood.message_type == label);
        }
    }
    for ((label, is, sure), count) in &matrix {
        writeln!(stdout(), "{label} read as {is}, sure {sure}: {count}").unwrap();
    }
    writeln!(stdout(), "of {raised} that raise {rightly} are right").unwrap();
    assert!(rightly * 100 >= raised * 96, "of {raised} that raise {rightly} are right");
    let floors = [
        (MessageType::Hardship, 99),
        (MessageType::Dispute, 97),
        (MessageType::Refused, 95),
        (MessageType::HumanRequest, 95),
    ];
    for (kind, floor) in floors {
        let of = |understood: Option<&str>| -> u32 {
            let fits = |(label, is, _): &(&str, &str, bool)| {
                *label == kind.as_str() && understood.is_none_or(|understood| *is == understood)
            };
            matrix.iter().filter(|(key, _)| fits(key)).map(|(_, count)| count).sum()
        };
        let (right, all) = (of(Some(kind.as_str())), of(None));
        writeln!(stdout(), "{}: recall {right} of {all}", kind.as_str()).unwrap();
        assert!(right * 100 >= all * floor, "{}: recall {right} of {all}", kind.as_str());
    }
}
