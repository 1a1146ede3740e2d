//! The report, as text and as JSON.

use serde_json::{Value, json};

use super::options::Scenario;
use crate::fixtures::database_kind::Kind;
use crate::fixtures::markdown::markdown;

/// How many of the things that are broken are told in full.
const SHOWN: usize = 20;

/// Something that has to hold.
#[derive(Debug, Clone)]
pub(super) struct Check {
    pub(super) what: String,
    /// How many things were looked at.
    pub(super) of: usize,
    /// Each that is not as it has to be, with its id.
    pub(super) broken: Vec<String>,
}

impl Check {
    pub(super) fn new(what: impl Into<String>, of: usize, broken: Vec<String>) -> Self {
        Self { what: what.into(), of, broken }
    }

    /// One statement, which holds or is broken in these words.
    pub(super) fn that(what: impl Into<String>, holds: bool, otherwise: String) -> Self {
        let broken = if holds { Vec::new() } else { vec![otherwise] };
        Self::new(what, 1, broken)
    }
}

/// A line of the table: something that was done, and what was looked at afterwards.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) database: Kind,
    pub(super) scenario: Scenario,
    pub(super) what: String,
    /// How many requests got their final answer, and how many tries it took beside that.
    pub(super) requests: Option<(u64, u64)>,
    /// What else there is to tell.
    pub(super) figure: String,
    pub(super) checks: Vec<Check>,
}

impl Row {
    fn broken(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| !check.broken.is_empty())
    }
}

/// Whether everything held.
pub(super) fn all_holds(rows: &[Row]) -> bool {
    rows.iter().all(|row| row.broken().next().is_none())
}

/// The table, what is broken, and how to have it again.
pub(super) fn text(rows: &[Row], seed: u32) -> String {
    let heads = ["database", "scenario", "what happened", "answered", "tried again", "seen", "checks"];
    let cells: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let mut text = markdown(&heads, &cells);
    for row in rows {
        for check in row.broken() {
            text.push_str(&format!(
                "\nBROKEN on {}, {}: {} ({} of {})",
                row.database.name(),
                row.scenario.name(),
                check.what,
                check.broken.len(),
                check.of
            ));
            for one in check.broken.iter().take(SHOWN) {
                text.push_str(&format!("\n  {one}"));
            }
        }
    }
    text.push_str(&format!("\nseed {seed}: `--seed {seed}` draws the same random again"));
    text
}

fn cells(row: &Row) -> Vec<String> {
    let (answered, again) = row
        .requests
        .map_or_else(Default::default, |(answered, again)| (answered.to_string(), again.to_string()));
    let broken = row.broken().count();
    let checks = if row.checks.is_empty() {
        String::new()
    } else if broken == 0 {
        format!("{} hold", row.checks.len())
    } else {
        format!("{broken} of {} BROKEN", row.checks.len())
    };
    vec![
        row.database.name().to_owned(),
        row.scenario.name().to_owned(),
        row.what.clone(),
        answered,
        again,
        row.figure.clone(),
        checks,
    ]
}

/// One JSON object.
pub(super) fn json(rows: &[Row], seed: u32) -> anyhow::Result<String> {
    let rows: Vec<Value> = rows.iter().map(object).collect();
    Ok(serde_json::to_string_pretty(&json!({"seed": seed, "rows": rows}))?)
}

fn object(row: &Row) -> Value {
    let checks: Vec<Value> = row
        .checks
        .iter()
        .map(|check| json!({"what": check.what, "of": check.of, "holds": check.broken.is_empty(), "broken": check.broken}))
        .collect();
    json!({
        "database": row.database.name(),
        "scenario": row.scenario.name(),
        "what": row.what,
        "answered": row.requests.map(|(answered, _)| answered),
        "tried_again": row.requests.map(|(_, again)| again),
        "seen": row.figure,
        "checks": checks,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_broken_is_told_with_the_seed() {
        let row = |broken: Vec<String>| Row {
            database: Kind::Sqlite,
            scenario: Scenario::Crash,
            what: "kill -9".to_owned(),
            requests: Some((7, 2)),
            figure: String::new(),
            checks: vec![
                Check::new("numbers are unique", 7, broken),
                Check::that("it came back", true, String::new()),
            ],
        };
        let whole = [row(Vec::new())];
        assert!(all_holds(&whole) && text(&whole, 5).contains("| 2 hold |"));
        let broken = [row(vec!["INV-0001 twice".to_owned()])];
        let said = text(&broken, 5);
        assert!(!all_holds(&broken));
        for part in ["1 of 2 BROKEN", "\n  INV-0001 twice", "--seed 5"] {
            assert!(said.contains(part), "{said}");
        }
        assert!(json(&broken, 5).unwrap().contains("\"holds\": false"));
    }
}
