//! The dashboard in `deploy/grafana` shows every metric of the service, and no others.

use std::collections::BTreeSet;

use serde_json::Value;

use super::catalogue::{METRICS, MetricKind};

const DASHBOARD: &str = include_str!("../../../../deploy/grafana/countinghouse.json");

fn dashboard() -> Value {
    serde_json::from_str(DASHBOARD).unwrap()
}

/// Collects every text under a name, at any depth.
fn texts<'v>(value: &'v Value, name: &str, found: &mut Vec<&'v str>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text) if key == name => found.push(text),
                    _ => texts(value, name, found),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| texts(value, name, found)),
        _ => {}
    }
}

/// The names of metrics in an expression, found by their prefixes: no function and no label begins with one
/// of them.
fn metrics_of(expression: &str) -> impl Iterator<Item = &str> {
    const BEGINNINGS: [&str; 3] = ["countinghouse_", "http_", "process_"];
    let words = expression.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| BEGINNINGS.iter().any(|begins| word.starts_with(begins)))
}

/// The names of the series of all metrics.
fn series() -> BTreeSet<String> {
    let of = |(name, kind, _): &(&str, MetricKind, &str)| match kind {
        MetricKind::Histogram => ["_bucket", "_sum", "_count"].map(|end| format!("{name}{end}")).to_vec(),
        MetricKind::Counter | MetricKind::Gauge => vec![(*name).to_owned()],
    };
    METRICS.iter().flat_map(of).collect()
}

#[test]
fn dashboard_shows_only_known_metrics() {
    let (dashboard, series) = (dashboard(), series());
    let mut asked = Vec::new();
    for name in ["expr", "query", "definition"] {
        texts(&dashboard, name, &mut asked);
    }
    assert!(asked.len() > 20, "{asked:?}");
    for expression in asked {
        for figure in metrics_of(expression) {
            assert!(series.contains(figure), "{figure} in {expression}");
        }
    }
}

#[test]
fn dashboard_shows_every_metric() {
    for (name, _, _) in METRICS {
        assert!(DASHBOARD.contains(name), "{name}");
    }
}

#[test]
fn dashboard_panels_use_the_chosen_data_source_and_do_not_overlap() {
    let dashboard = dashboard();
    let panels = dashboard["panels"].as_array().unwrap();
    let mut taken = BTreeSet::new();
    for panel in panels {
        let title = panel["title"].as_str().unwrap();
        let place = |name: &str| panel["gridPos"][name].as_u64().unwrap();
        assert!(place("x") + place("w") <= 24, "{title} is too wide");
        for x in place("x")..place("x") + place("w") {
            for y in place("y")..place("y") + place("h") {
                assert!(taken.insert((x, y)), "{title} covers another");
            }
        }
        if panel["type"] != "row" {
            let mut sources = Vec::new();
            texts(panel, "uid", &mut sources);
            assert!(!sources.is_empty(), "{title}");
            assert!(sources.iter().all(|uid| *uid == "${datasource}"), "{title}");
            let targets = panel["targets"].as_array().unwrap();
            assert!(!targets.is_empty(), "{title}");
        }
    }
    let ids: BTreeSet<_> = panels.iter().map(|panel| panel["id"].as_u64()).collect();
    assert_eq!(ids.len(), panels.len());
    let variables = dashboard["templating"]["list"].as_array().unwrap();
    assert!(variables.iter().any(|one| one["type"] == "datasource"));
}
