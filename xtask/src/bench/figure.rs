//! Figures with their floors and spread, and how they are displayed.

use serde::Serialize;
use serde_json::{Value, json};

use crate::fixtures::database::DatabaseKind;
use crate::fixtures::load::median;
use crate::fixtures::terminal::markdown;

/// The results of one measurement in all rounds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub(super) struct Spread {
    pub(super) median: f64,
    pub(super) least: f64,
    pub(super) most: f64,
}

impl Spread {
    /// The spread of these results; `None` if there are none.
    pub(super) fn of(measured: Vec<f64>) -> Option<Self> {
        let least = measured.iter().copied().reduce(f64::min)?;
        let most = measured.iter().copied().reduce(f64::max)?;
        Some(Self { median: median(measured)?, least, most })
    }

    /// The result of a single measurement.
    pub(super) const fn single(value: f64) -> Self {
        Self { median: value, least: value, most: value }
    }

    /// The quotient of two spreads, with its lowest and highest possible value.
    pub(super) fn quotient(of: Self, by: Self) -> Self {
        Self { median: of.median / by.median, least: of.least / by.most, most: of.most / by.least }
    }

    /// The spread of the quotients, each of results from the same round.
    pub(super) fn of_ratios(service: &[f64], floor: &[f64]) -> Option<Self> {
        let pairs = service.iter().zip(floor);
        Self::of(pairs.map(|(service, floor)| service / floor).collect())
    }
}

/// A floor, and the service's ratio to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct FloorRatio {
    pub(super) floor: Spread,
    pub(super) ratio: Spread,
}

impl FloorRatio {
    pub(super) fn of(service: &[f64], floor: &[f64]) -> Option<Self> {
        Some(Self { floor: Spread::of(floor.to_vec())?, ratio: Spread::of_ratios(service, floor)? })
    }
}

/// A target for a figure.
#[derive(Debug, Clone, Copy)]
pub(super) enum Goal {
    /// The lowest allowed ratio to the database's floor.
    Ratio(f64),
    /// The lowest allowed value.
    AtLeast(f64),
    /// The highest allowed ratio of a duration to its floor.
    Times(f64),
    /// The limit below which the value must be.
    Below(f64),
}

/// A line of the table.
#[derive(Debug, Clone)]
pub(super) struct Figure {
    /// `None` if the figure needs no database.
    pub(super) database: Option<DatabaseKind>,
    pub(super) name: String,
    pub(super) connections: Option<u32>,
    pub(super) unit: &'static str,
    pub(super) value: Spread,
    /// Compared with the floor of the database.
    pub(super) store: Option<FloorRatio>,
    /// Compared with the floor of HTTP.
    pub(super) http: Option<FloorRatio>,
    /// The p50 and the p99 of requests, in milliseconds.
    pub(super) latency: Option<(f64, f64)>,
    /// Microseconds of the service's processor time for each request.
    pub(super) cpu: Option<f64>,
    pub(super) goal: Option<Goal>,
}

impl Figure {
    /// A figure without floors.
    pub(super) fn plain(
        database: impl Into<Option<DatabaseKind>>,
        name: impl Into<String>,
        unit: &'static str,
        value: Spread,
    ) -> Self {
        Self {
            database: database.into(),
            name: name.into(),
            connections: None,
            unit,
            value,
            store: None,
            http: None,
            latency: None,
            cpu: None,
            goal: None,
        }
    }

    /// Whether the goal was reached, if there is one.
    fn reached(&self) -> Option<bool> {
        Some(match self.goal? {
            Goal::Ratio(least) => self.store?.ratio.median >= least,
            Goal::Times(most) => self.store?.ratio.median <= most,
            Goal::AtLeast(least) => self.value.median >= least,
            Goal::Below(most) => self.value.median < most,
        })
    }
}

const HEADS: [&str; 9] = [
    "database", "case", "conns", "figure", "p50 / p99 ms", "CPU us", "of the database", "of HTTP", "to reach",
];

/// A table of figures.
pub(super) fn text(figures: &[Figure]) -> String {
    markdown(HEADS, figures.iter().map(row).collect())
}

fn row(figure: &Figure) -> [String; 9] {
    let or_nothing = Option::<String>::unwrap_or_default;
    [
        or_nothing(figure.database.map(|kind| kind.to_string())),
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

fn ratio_text(beside: FloorRatio) -> String {
    let Spread { median, least, most } = beside.ratio;
    format!("{median:.2} ({least:.2}-{most:.2}) of {}", number(beside.floor.median))
}

fn goal_text(goal: Goal, figure: &Figure) -> String {
    let goal = match goal {
        Goal::Ratio(least) => format!(">= {least:.2}"),
        Goal::Times(most) => format!("<= {most:.2} x"),
        Goal::AtLeast(least) => format!(">= {}", number(least)),
        Goal::Below(most) => format!("< {}", number(most)),
    };
    match figure.reached() {
        Some(true) => format!("{goal}: yes"),
        Some(false) => format!("{goal}: NO"),
        None => goal,
    }
}

fn number(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

/// One JSON array of figures.
pub(super) fn json(figures: &[Figure]) -> anyhow::Result<String> {
    let figures: Vec<Value> = figures.iter().map(object).collect();
    Ok(serde_json::to_string_pretty(&figures)?)
}

fn object(figure: &Figure) -> Value {
    json!({
        "database": figure.database,
        "case": figure.name,
        "connections": figure.connections,
        "unit": figure.unit,
        "value": figure.value,
        "database_floor": figure.store.map(|beside| beside.floor),
        "ratio_to_database": figure.store.map(|beside| beside.ratio),
        "http_floor": figure.http.map(|beside| beside.floor),
        "ratio_to_http": figure.http.map(|beside| beside.ratio),
        "p50_ms": figure.latency.map(|(p50, _)| p50),
        "p99_ms": figure.latency.map(|(_, p99)| p99),
        "cpu_us": figure.cpu,
        "goal": figure.goal.map(|goal| goal_text(goal, figure)),
        "reached": figure.reached(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_has_the_middle_and_both_ends() {
        let odd = Spread::of(vec![3.0, 1.0, 2.0]).unwrap();
        assert_eq!((odd.median, odd.least, odd.most), (2.0, 1.0, 3.0));
        let even = Spread::of(vec![4.0, 1.0, 2.0, 3.0]).unwrap();
        assert_eq!(even.median, 2.5);
        assert!(Spread::of(vec![]).is_none());
    }

    #[test]
    fn ratios_are_taken_round_by_round() {
        // A machine that is twice as fast in the second round does not change the ratio.
        let ratio = Spread::of_ratios(&[50.0, 100.0], &[100.0, 200.0]).unwrap();
        assert_eq!((ratio.least, ratio.most), (0.5, 0.5));
    }
}
