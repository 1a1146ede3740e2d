//! Stripe's records in memory, newest last.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::server::Request;

/// The fields by which records can be found.
const FOUND_BY: [&str; 3] = ["id", "charge", "payment_intent"];

/// The records of one kind.
#[derive(Default)]
pub(crate) struct Ledger {
    records: Vec<Value>,
    /// The indexes of the records, by field and value. There may be ten thousand records.
    places: HashMap<String, Vec<usize>>,
}

impl Ledger {
    pub(crate) fn add(&mut self, record: Value) -> Value {
        let place = self.records.len();
        for field in FOUND_BY {
            if let Some(value) = record[field].as_str() {
                self.places.entry(indexed(field, value)).or_default().push(place);
            }
        }
        self.records.push(record.clone());
        record
    }

    pub(crate) fn all(&self) -> &[Value] {
        &self.records
    }

    pub(crate) fn get(&self, id: &str) -> Option<&Value> {
        self.of("id", id).next()
    }

    /// Changes a field of an existing record.
    pub(crate) fn set(&mut self, id: &str, field: &str, value: impl Into<Value>) {
        let place = *self.places("id", id).first().unwrap_or_else(|| panic!("no record {id}"));
        let (value, record) = (value.into(), &mut self.records[place]);
        if FOUND_BY.contains(&field) {
            if let Some(before) = record[field].as_str() {
                let places = self.places.entry(indexed(field, before)).or_default();
                places.retain(|one| *one != place);
            }
            if let Some(now) = value.as_str() {
                self.places.entry(indexed(field, now)).or_default().push(place);
            }
        }
        record[field] = value;
    }

    /// The records with a value in a field.
    pub(crate) fn of(&self, field: &str, value: &str) -> impl Iterator<Item = &Value> {
        self.places(field, value).iter().map(|place| &self.records[*place])
    }

    fn places(&self, field: &str, value: &str) -> &[usize] {
        assert!(FOUND_BY.contains(&field), "records are not found by {field}");
        self.places.get(&indexed(field, value)).map_or(&[], Vec::as_slice)
    }

    /// The page that a query requests, newest first.
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
        let before = request.value("starting_after").map(|last| *self.places("id", last).first().unwrap());
        let before = before.unwrap_or(self.records.len());
        let narrowed = ["charge", "payment_intent"].into_iter().find_map(|field| {
            let value = request.value(field)?;
            let places = self.places(field, value).iter().filter(|place| **place < before);
            Some(places.map(|place| &self.records[*place]).collect::<Vec<_>>())
        });
        let some = narrowed.unwrap_or_else(|| self.records[..before].iter().collect());
        let mut records: Vec<Value> = some.into_iter().rev().filter(fits).take(limit + 1).cloned().collect();
        let has_more = records.len() > limit;
        records.truncate(limit);
        json!({ "object": "list", "url": request.path, "has_more": has_more, "data": records })
    }
}

fn indexed(field: &str, value: &str) -> String {
    format!("{field} {value}")
}
