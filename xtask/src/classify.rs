//! How well the rules classify the held-out messages: the confusion matrix, and the goals.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use communications::{MessageType, classify};
use kernel::Named as _;
use serde::Deserialize;
use time::macros::date;

/// Goals for the recall: of the messages of a type, the share that is classified as that type, in percent.
const RECALL: [(MessageType, u32); 4] = [
    (MessageType::Hardship, 97),
    (MessageType::Dispute, 97),
    (MessageType::HumanRequest, 95),
    (MessageType::Refused, 95),
];
/// Goal: of the certain classifications that raise an escalation, the share that is correct, in percent.
const PRECISION: u32 = 85;
/// Goal: of the correctly classified messages of types that raise an escalation, the certain share, in
/// percent.
const SURE: u32 = 80;

#[derive(Deserialize)]
struct Labelled {
    text: String,
    #[serde(rename = "type")]
    says: String,
}

/// How many messages of each type were classified as each type, with certainty or without.
#[derive(Default)]
struct Matrix(BTreeMap<(&'static str, &'static str, bool), u32>);

impl Matrix {
    fn read(file: &Path) -> anyhow::Result<Self> {
        let lines =
            std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let mut matrix = Self::default();
        for line in lines.lines() {
            let labelled: Labelled = serde_json::from_str(line).context("a line is no labelled message")?;
            let label = MessageType::parse(&labelled.says)?;
            let read = classify(&labelled.text, date!(2026 - 12 - 01));
            *matrix.0.entry((label.as_str(), read.message_type.as_str(), read.sure)).or_default() += 1;
        }
        Ok(matrix)
    }

    fn count(&self, fits: impl Fn(MessageType, MessageType, bool) -> bool) -> u32 {
        let of = |name: &str| MessageType::parse(name).unwrap_or(MessageType::Other);
        let counted = self.0.iter().filter(|((label, read, sure), _)| fits(of(label), of(read), *sure));
        counted.map(|(_, count)| count).sum()
    }

    fn print(&self, out: &mut impl std::io::Write) -> std::io::Result<()> {
        write!(out, "{:<14}", "is \\ read as")?;
        for read in MessageType::ALL {
            write!(out, "{:>15}", read.as_str())?;
        }
        writeln!(out)?;
        for label in MessageType::ALL {
            write!(out, "{:<14}", label.as_str())?;
            for read in MessageType::ALL {
                let all = self.count(|one, other, _| one == label && other == read);
                let sure = self.count(|one, other, is_sure| one == label && other == read && is_sure);
                write!(out, "{:>15}", format!("{all} ({sure} sure)"))?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

/// Prints the confusion matrix and each figure with its goal. Fails when a goal is missed.
pub(crate) fn run(root: &Path) -> anyhow::Result<ExitCode> {
    let matrix = Matrix::read(&root.join("crates/communications/evaluation/held_out.jsonl"))?;
    let mut out = std::io::stdout().lock();
    matrix.print(&mut out)?;
    let mut is_met = true;
    let mut figure = |name: &str, part: u32, of: u32, goal: u32| {
        let met = part.saturating_mul(100) >= of.saturating_mul(goal);
        is_met &= met;
        let state = if met { "" } else { "  MISSED" };
        writeln!(out, "{name:<24} {part:>4} of {of:<4} (goal {goal} %){state}")
    };
    for (kind, goal) in RECALL {
        let right = matrix.count(|label, read, _| label == kind && read == kind);
        let all = matrix.count(|label, _, _| label == kind);
        figure(&format!("recall {}", kind.as_str()), right, all, goal)?;
    }
    let raised = matrix.count(|_, read, sure| read.raises() && sure);
    let rightly = matrix.count(|label, read, sure| read.raises() && sure && label == read);
    figure("precision", rightly, raised, PRECISION)?;
    let right = matrix.count(|label, read, _| label.raises() && label == read);
    let sure = matrix.count(|label, read, sure| label.raises() && label == read && sure);
    figure("sure of the right ones", sure, right, SURE)?;
    Ok(if is_met { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
