//! The report, as text and as JSON.

use serde_json::{Value, json};

use super::options::Scenario;
use crate::fixtures::database::DatabaseKind;
use crate::fixtures::terminal::markdown;

/// How many broken items of a check are shown.
const SHOWN: usize = 20;

/// A check and its result.
#[derive(Debug, Clone)]
pub(super) struct Check {
    pub(super) what: String,
    /// How many items were checked.
    pub(super) of: usize,
    /// Each broken item with its id.
    pub(super) broken: Vec<String>,
}

impl Check {
    pub(super) fn new(what: impl Into<String>, of: usize, broken: Vec<String>) -> Self {
        Self { what: what.into(), of, broken }
    }

    /// A check of one statement, with the text to show if it does not hold.
    pub(super) fn that(what: impl Into<String>, holds: bool, otherwise: String) -> Self {
        let broken = if holds { Vec::new() } else { vec![otherwise] };
        Self::new(what, 1, broken)
    }
}

/// A line of the table: an action, and the checks after it.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) database: DatabaseKind,
    pub(super) scenario: Scenario,
    pub(super) what: String,
    /// How many requests got a final response, and how many additional tries they took.
    pub(super) requests: Option<(u64, u64)>,
    /// Other measurements and counts.
    pub(super) figure: String,
    pub(super) checks: Vec<Check>,
}

impl Row {
    fn broken(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| !check.broken.is_empty())
    }
}

/// Whether all checks held.
pub(super) fn all_holds(rows: &[Row]) -> bool {
    rows.iter().all(|row| row.broken().next().is_none())
}

/// The table, the broken items, and how to repeat the random choices.
pub(super) fn text(rows: &[Row], seed: u32) -> String {
    let heads = ["database", "scenario", "what happened", "answered", "tried again", "seen", "checks"];
    let mut text = markdown(heads, rows.iter().map(cells).collect());
    for row in rows {
        let (database, scenario) = (row.database, row.scenario);
        for Check { what, of, broken } in row.broken() {
            let count = broken.len();
            text.push_str(&format!("\nBROKEN on {database}, {scenario}: {what} ({count} of {of})"));
            text.extend(broken.iter().take(SHOWN).map(|one| format!("\n  {one}")));
        }
    }
    text.push_str(&format!("\nseed {seed}: `--seed {seed}` draws the same random again"));
    text
}

fn cells(row: &Row) -> [String; 7] {
    let (answered, again) = row.requests.unzip();
    let text = |count: Option<u64>| count.map(|count| count.to_string()).unwrap_or_default();
    let checks = match (row.checks.len(), row.broken().count()) {
        (0, _) => String::new(),
        (count, 0) => format!("{count} hold"),
        (count, broken) => format!("{broken} of {count} BROKEN"),
    };
    [
        row.database.to_string(),
        row.scenario.to_string(),
        row.what.clone(),
        text(answered),
        text(again),
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
        .map(|Check { what, of, broken }| {
            json!({"what": what, "of": of, "holds": broken.is_empty(), "broken": broken})
        })
        .collect();
    json!({
        "database": row.database,
        "scenario": row.scenario,
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
    fn what_is_broken_is_shown_with_the_seed() {
        let row = |broken: Vec<String>| Row {
            database: DatabaseKind::Sqlite,
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
