//! How long the rules take to classify a message.

use std::hint::black_box;
use std::time::{Duration, Instant};

use communications::classify;
use serde::Deserialize;
use time::macros::date;

use super::figure::{Figure, Goal, Spread};
use super::options::Options;
use crate::fixtures::load::LoadResult;

/// The messages with which the rules were tuned.
const MESSAGES: &str = include_str!("../../../crates/communications/evaluation/tuning.jsonl");

#[derive(Deserialize)]
struct Labelled {
    text: String,
}

/// The texts of the messages.
pub(super) fn texts() -> anyhow::Result<Vec<String>> {
    MESSAGES.lines().map(|line| Ok(serde_json::from_str::<Labelled>(line)?.text)).collect()
}

/// Classifies every message in each round.
pub(super) fn measure(options: &Options) -> anyhow::Result<[Figure; 2]> {
    let texts = texts()?;
    // The first one compiles the rules.
    classify_all(&texts)?;
    let (mut means, mut slowest) = (Vec::new(), Vec::new());
    for _ in options.rounds() {
        let measured = classify_all(&texts)?;
        means.push(1_000.0 / measured.per_second());
        slowest.push(measured.percentile(99));
    }
    let figure = |name: &str, of| {
        let value = Spread::of(of).unwrap_or_default();
        Figure { goal: Some(Goal::Below(1.0)), ..Figure::plain(None, name, "ms", value) }
    };
    Ok([figure("understanding a message, mean", means), figure("understanding a message, p99", slowest)])
}

fn classify_all(texts: &[String]) -> anyhow::Result<LoadResult> {
    let (mut micros, mut all) = (Vec::with_capacity(texts.len()), Duration::ZERO);
    for text in texts {
        let begun = Instant::now();
        black_box(classify(text, date!(2026 - 12 - 01)));
        let took = begun.elapsed();
        micros.push(u32::try_from(took.as_micros())?);
        all += took;
    }
    Ok(LoadResult::new(micros, all))
}
