//! `cargo xtask scale`: the servers needed for a number of invoices a second, computed from measured costs.
//!
//! The command multiplies the processor time, the log and the rows of one request, measured by
//! `tests/citus/bench.py --json` or `cargo xtask bench requests --json`, by the requests in a second. Only a
//! part of a server's capacity is used, so that the others can replace one that fails. Costs that do not grow
//! in proportion, such as locks of one account, are left out; docs/scale.md lists them.

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;
use serde::Deserialize;

use crate::fixtures::terminal::markdown;

/// The arguments of the command.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// The measurement, as JSON.
    measured: PathBuf,
    /// Invoices a second.
    #[arg(long, value_delimiter = ',', default_values_t = [1_000, 10_000, 100_000])]
    rates: Vec<u32>,
    /// Reads of an invoice for each invoice created.
    #[arg(long, default_value_t = 5)]
    reads: u32,
    /// Processors of a server.
    #[arg(long, default_value_t = 32)]
    processors: u32,
    /// The percentage of a server's processor time that is used.
    #[arg(long, default_value_t = 50)]
    used: u32,
    /// Processors of the measured machine: if the measurement has no processor time of the database, all time
    /// that the service did not use is attributed to the database.
    #[arg(long, default_value_t = 2)]
    measured_on: u32,
}

/// A row of a measurement. Rows from `cargo xtask bench` have fewer fields than those from `bench.py`.
#[derive(Debug, Clone, Deserialize)]
struct Row {
    database: String,
    case: String,
    connections: Option<u32>,
    rate: Option<f64>,
    value: Option<Value>,
    #[serde(alias = "cpu_us")]
    service_cpu_us: Option<f64>,
    coordinator_cpu_us: Option<f64>,
    worker_cpu_us: Option<f64>,
    #[serde(default)]
    wal_bytes: f64,
    #[serde(default)]
    table_bytes: f64,
}

#[derive(Debug, Clone, Deserialize)]
struct Value {
    median: f64,
}

/// The cost of one request.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Cost {
    /// Processor time in microseconds: of the service, of the server that it queries, and of the Citus
    /// workers.
    service: f64,
    first: f64,
    workers: f64,
    wal: f64,
    rows: f64,
}

impl Row {
    fn cost(&self, measured_on: u32) -> Option<Cost> {
        let rate = self.rate.or_else(|| self.value.as_ref().map(|value| value.median))?;
        let service = self.service_cpu_us?;
        let left = f64::from(measured_on).mul_add(1e6 / rate, -service);
        Some(Cost {
            service,
            first: self.coordinator_cpu_us.unwrap_or(left),
            workers: self.worker_cpu_us.unwrap_or(0.0),
            wal: self.wal_bytes,
            rows: self.table_bytes,
        })
    }
}

impl Cost {
    /// The cost of one creation with its reads. Reads write nothing.
    fn with_reads(self, read: Self, reads: u32) -> Self {
        let reads = f64::from(reads);
        Self {
            service: read.service.mul_add(reads, self.service),
            first: read.first.mul_add(reads, self.first),
            workers: read.workers.mul_add(reads, self.workers),
            ..self
        }
    }
}

const HEADS: [&str; 7] = [
    "database", "invoices a second", "processors: service", "first server", "workers", "servers",
    "log MB/s, rows TB a year",
];

/// Prints the table.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let file = &options.measured;
    let text = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let rows: Vec<Row> = serde_json::from_slice(&text).context("the measurement")?;
    app::output::Output::new(false).line(&table(&rows, options)?)
}

fn table(rows: &[Row], options: &Options) -> anyhow::Result<String> {
    let mut lines = Vec::new();
    for database in ["postgres", "citus"] {
        let of = |case: &str| {
            let found = rows.iter().filter(|row| row.database == database && row.case == case);
            // The number of connections with which the goals are measured.
            let found = found.min_by_key(|row| row.connections.unwrap_or(8).abs_diff(8));
            found.and_then(|row| row.cost(options.measured_on))
        };
        let (Some(create), Some(read)) = (of("POST /invoices"), of("GET /invoices/{id}")) else {
            continue;
        };
        let cost = create.with_reads(read, options.reads);
        lines.extend(options.rates.iter().map(|rate| line(database, cost, *rate, options)));
    }
    if lines.is_empty() {
        bail!("the measurement has no POST /invoices with a GET /invoices/{{id}} of the same database");
    }
    Ok(markdown(HEADS, lines))
}

fn line(database: &str, cost: Cost, rate: u32, options: &Options) -> [String; 7] {
    let a_second = f64::from(rate);
    let processors = |micros: f64| micros * a_second / 1e6;
    let usable = f64::from(options.processors) * f64::from(options.used) / 100.0;
    let servers = |micros: f64| (processors(micros) / usable).ceil();
    let number = |value: f64| format!("{value:.0}");
    let beside = if cost.workers > 0.0 {
        format!("{} + {} workers", number(servers(cost.first)), number(servers(cost.workers)))
    } else {
        number(servers(cost.first))
    };
    let year = cost.rows * a_second * 86_400.0 * 365.0 / 1e12;
    [
        database.to_owned(),
        rate.to_string(),
        number(processors(cost.service)),
        number(processors(cost.first)),
        number(processors(cost.workers)),
        beside,
        format!("{:.0}, {year:.0}", cost.wal * a_second / 1e6),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Options {
        Options {
            measured: PathBuf::new(),
            rates: vec![1_000],
            reads: 2,
            processors: 10,
            used: 50,
            measured_on: 2,
        }
    }

    #[test]
    fn costs_are_multiplied_by_the_rate() {
        let rows = r#"[
            {"database": "citus", "case": "POST /invoices", "rate": 300, "service_cpu_us": 400, "coordinator_cpu_us": 2000,
             "worker_cpu_us": 6000, "wal_bytes": 5000, "table_bytes": 2000},
            {"database": "citus", "case": "GET /invoices/{id}", "rate": 900, "service_cpu_us": 100,
             "coordinator_cpu_us": 500, "worker_cpu_us": 1000}
        ]"#;
        let rows: Vec<Row> = serde_json::from_str(rows).unwrap();
        let lines = table(&rows, &options()).unwrap();
        // 600 us, 3,000 us and 8,000 us for each invoice with two reads; a server has 5 usable processors.
        let line = lines.lines().last().unwrap();
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        assert_eq!(cells, ["citus", "1000", "1", "3", "8", "1 + 2 workers", "5, 63"]);
    }

    #[test]
    fn database_cost_without_a_measurement_is_the_remaining_time() {
        let row: Row = serde_json::from_str(
            r#"{"database": "postgres", "case": "POST /invoices", "connections": 8, "value": {"median": 1000.0},
                "cpu_us": 500}"#,
        )
        .unwrap();
        let cost = row.cost(2).unwrap();
        assert!((cost.first - 1500.0).abs() < 1e-6 && cost.workers == 0.0);
        assert!(table(&[row], &options()).is_err());
    }
}
