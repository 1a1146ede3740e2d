//! The removals of rows that the service logged.

use std::path::Path;

use crate::bench::environment::Environment;
use crate::bench::figure::{Figure, Spread};

/// The kinds of removals: the text in the log, and the name of the rows that it counts.
const LOG_MESSAGES: [(&str, &str); KINDS] = [
    ("deleted webhook deliveries and events", "deliveries with their attempts, and events"),
    ("deleted stored responses", "stored responses"),
    ("removed raw messages", "contents of the inbox"),
];
pub(super) const KINDS: usize = 3;

/// Rows of one kind.
#[derive(Debug)]
pub(super) struct Removal {
    pub(super) kind: usize,
    count: f64,
    took_ms: f64,
    longest_ms: f64,
}

/// All removals in the log.
pub(super) fn logged(log: &Path) -> anyhow::Result<Vec<Removal>> {
    let log = std::fs::read_to_string(log)?;
    let removal = |kind: usize, words: &str| {
        let line = log.lines().find(|line| line.contains(words))?;
        let [count, took_ms, longest_ms] = ["count=", "took_ms=", "longest_batch_ms="].map(|name| {
            let value = line.split_whitespace().find_map(|word| word.strip_prefix(name));
            value.and_then(|value| value.parse::<f64>().ok())
        });
        Some(Removal { kind, count: count?, took_ms: took_ms?, longest_ms: longest_ms? })
    };
    Ok(LOG_MESSAGES.iter().enumerate().filter_map(|(kind, (words, _))| removal(kind, words)).collect())
}

impl Removal {
    /// Its rate and its longest batch. `factor` is the number of rows removed for each row that the log
    /// counts.
    pub(super) fn figures(&self, environment: &Environment, factor: f64) -> [Figure; 2] {
        let name = LOG_MESSAGES.get(self.kind).map_or("", |(_, name)| name);
        let rows = self.count * factor;
        let a_second = rows * 1_000.0 / self.took_ms.max(1.0);
        let kind = environment.database.kind;
        [
            Figure::plain(kind, format!("{name}: {rows} removed"), "rows/s", Spread::single(a_second)),
            Figure::plain(kind, format!("{name}: longest batch"), "ms", Spread::single(self.longest_ms)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_log_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let line =
            "2026 INFO app::batches: deleted stored responses count=3000 took_ms=1500 longest_batch_ms=12";
        std::fs::write(&log, format!("other\n{line}\n")).unwrap();
        let removals = logged(&log).unwrap();
        assert_eq!(removals.len(), 1);
        let removal = &removals[0];
        assert_eq!(
            (removal.kind, removal.count, removal.took_ms, removal.longest_ms),
            (1, 3_000.0, 1_500.0, 12.0)
        );
    }
}
