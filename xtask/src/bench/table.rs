//! The figures, as text and as JSON.

use serde_json::{Value, json};

use super::figure::{Figure, FloorRatio, Goal, Spread};
use crate::fixtures::markdown::markdown;

const HEAD: [&str; 9] = [
    "database",
    "case",
    "conns",
    "figure",
    "p50 / p99 ms",
    "CPU us",
    "of the database",
    "of HTTP",
    "to reach",
];

/// A table in Markdown, which a terminal shows as well.
pub(super) fn text(figures: &[Figure]) -> String {
    let rows: Vec<Vec<String>> = figures.iter().map(|figure| row(figure).to_vec()).collect();
    markdown(&HEAD, &rows)
}

fn row(figure: &Figure) -> [String; 9] {
    let or_nothing = |text: Option<String>| text.unwrap_or_default();
    [
        figure.database.name().to_owned(),
        figure.name.clone(),
        or_nothing(figure.connections.map(|count| count.to_string())),
        format!("{} {}", number(figure.value.median), figure.unit),
        or_nothing(figure.latency.map(|(p50, p99)| format!("{p50:.2} / {p99:.2}"))),
        or_nothing(figure.cpu.map(|micros| format!("{micros:.0}"))),
        or_nothing(figure.store.map(ratio_text)),
        or_nothing(figure.http.map(ratio_text)),
        or_nothing(figure.goal.map(|goal| goal_text(goal, figure))),
    ]
}

fn ratio_text(floor_ratio: FloorRatio) -> String {
    let Spread { median, least, most } = floor_ratio.ratio;
    format!("{median:.2} ({least:.2}-{most:.2}) of {}", number(floor_ratio.floor.median))
}

fn goal_text(goal: Goal, figure: &Figure) -> String {
    let options = match goal {
        Goal::Ratio(least) => format!(">= {least:.2}"),
        Goal::AtLeast(least) => format!(">= {}", number(least)),
        Goal::Below(most) => format!("< {}", number(most)),
    };
    match figure.reached() {
        Some(true) => format!("{options}: yes"),
        Some(false) => format!("{options}: NO"),
        None => options,
    }
}

fn number(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

/// One JSON array.
pub(super) fn json(figures: &[Figure]) -> anyhow::Result<String> {
    let figures: Vec<Value> = figures.iter().map(object).collect();
    Ok(serde_json::to_string_pretty(&figures)?)
}

fn object(figure: &Figure) -> Value {
    json!({
        "database": figure.database.name(),
        "case": figure.name,
        "connections": figure.connections,
        "unit": figure.unit,
        "value": spread(figure.value),
        "database_floor": figure.store.map(|floor_ratio| spread(floor_ratio.floor)),
        "ratio_to_database": figure.store.map(|floor_ratio| spread(floor_ratio.ratio)),
        "http_floor": figure.http.map(|floor_ratio| spread(floor_ratio.floor)),
        "ratio_to_http": figure.http.map(|floor_ratio| spread(floor_ratio.ratio)),
        "p50_ms": figure.latency.map(|(p50, _)| p50),
        "p99_ms": figure.latency.map(|(_, p99)| p99),
        "cpu_us": figure.cpu,
        "goal": figure.goal.map(|goal| goal_text(goal, figure)),
        "reached": figure.reached(),
    })
}

fn spread(spread: Spread) -> Value {
    json!({"median": spread.median, "least": spread.least, "most": spread.most})
}
