//! Cross-validation: each example that no rule was written for is classified by weights learnt without it.
//! This estimates how unseen messages are understood, as far as the examples resemble them.

use std::collections::BTreeMap;
use std::io::{Write, stdout};

use time::macros::date;

use crate::classify::classify;
use crate::likeness::LikenessModel;
use crate::message_type::MessageType;
use crate::rulebook::{RULEBOOK, examples};

const FOLDS: usize = 5;

#[test]
fn examples_that_are_left_out_are_understood() {
    let [with_rules, without_rules] = examples().map(Iterator::collect::<Vec<_>>);
    let mut matrix = BTreeMap::<_, u32>::new();
    for fold in 0..FOLDS {
        let kept = |(at, _): &(usize, _)| at % FOLDS != fold;
        let others = without_rules.iter().enumerate().filter(kept).map(|(_, example)| example);
        let model = LikenessModel::of_examples(&RULEBOOK, with_rules.iter().chain(others).copied());
        for (kind, text) in without_rules.iter().skip(fold).step_by(FOLDS) {
            let understood = classify(&model, text, date!(2026 - 12 - 01));
            let (is, sure) = (understood.message_type, understood.sure);
            if is != *kind {
                writeln!(
                    stdout(),
                    "{} read as {}, sure {sure}: {text}",
                    <&str>::from(*kind),
                    <&str>::from(is)
                )
                .unwrap();
            }
            *matrix.entry((<&str>::from(*kind), <&str>::from(is), sure)).or_default() += 1;
        }
    }
    let raises = |name: &str| name.parse::<MessageType>().unwrap().raises();
    let count = |fits: &dyn Fn(&str, &str, bool) -> bool| -> u32 {
        matrix.iter().filter(|((label, is, sure), _)| fits(label, is, *sure)).map(|(_, count)| count).sum()
    };
    let at_least = |what: &str, percent: u32, part: u32, all: u32| {
        writeln!(stdout(), "{what}: {part} of {all}").unwrap();
        assert!(part * 100 >= all * percent, "{what}: {part} of {all}");
    };
    for (kind, floor) in [("hardship", 92), ("dispute", 92), ("refused", 87), ("human_request", 94)] {
        let right = count(&|label, is, _| label == kind && is == kind);
        at_least(kind, floor, right, count(&|label, _, _| label == kind));
    }
    let raised = count(&|_, is, sure| sure && raises(is));
    at_least("precision", 95, count(&|label, is, sure| sure && raises(is) && label == is), raised);
    let right = count(&|label, is, _| raises(label) && label == is);
    at_least("sure", 80, count(&|label, is, sure| sure && raises(label) && label == is), right);
    let harmless = count(&|label, _, _| !raises(label));
    let alarms = count(&|label, is, sure| !raises(label) && sure && raises(is));
    at_least("harmless", 95, harmless - alarms, harmless);
    let unsure = count(&|label, is, sure| !raises(label) && !sure && raises(is));
    at_least("not held", 72, harmless - unsure, harmless);
}
