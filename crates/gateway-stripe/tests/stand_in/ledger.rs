//! Stripe's records in memory, newest last.

use serde_json::{Value, json};

use super::server::Request;

/// The records of one kind.
#[derive(Default)]
pub(crate) struct Ledger(Vec<Value>);

impl Ledger {
    pub(crate) fn add(&mut self, record: Value) -> Value {
        self.0.push(record.clone());
        record
    }

    pub(crate) fn get(&self, id: &str) -> Option<&Value> {
        self.0.iter().find(|record| record["id"] == id)
    }

    /// Changes a field of a record that is there.
    pub(crate) fn set(&mut self, id: &str, field: &str, value: impl Into<Value>) {
        let record = self.0.iter_mut().find(|record| record["id"] == id);
        record.unwrap_or_else(|| panic!("no record {id}"))[field] = value.into();
    }

    pub(crate) fn of<'a>(&'a self, field: &'a str, value: &'a str) -> impl Iterator<Item = &'a Value> {
        self.0.iter().filter(move |record| record[field] == value)
    }

    /// A page, newest first, as the query asks for it.
    pub(crate) fn page(&self, request: &Request) -> Value {
        let since: i64 = request.value("created[gte]").map_or(0, |since| since.parse().unwrap());
        let limit: usize = request.value("limit").map_or(10, |limit| limit.parse().unwrap());
        let types = request.values("types[]");
        let fits = |record: &&Value| {
            let filtered = ["charge", "payment_intent"]
                .iter()
                .all(|field| request.value(field).is_none_or(|value| record[*field] == value));
            let of_type = types.is_empty() || types.contains(&record["type"].as_str().unwrap_or_default());
            filtered && of_type && record["created"].as_i64().unwrap() >= since
        };
        let mut records: Vec<Value> = self.0.iter().rev().filter(fits).cloned().collect();
        if let Some(last) = request.value("starting_after") {
            let at = records.iter().position(|record| record["id"] == last).unwrap();
            records.drain(..=at);
        }
        let has_more = records.len() > limit;
        records.truncate(limit);
        json!({ "object": "list", "url": request.path, "has_more": has_more, "data": records })
    }
}
