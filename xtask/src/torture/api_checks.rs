//! Checks of the API: it lists the invoices in the database with the same amounts, and repeats stored
//! responses byte for byte.

use std::collections::BTreeSet;

use anyhow::Context;
use serde_json::Value;
use uuid::Uuid;

use super::client_actions::cents;
use super::environment::Account;
use super::report::Check;
use super::response_log::{FirstResponse, ResponseLog};
use super::stored_records::{Stored, StoredRecords};
use crate::fixtures::client::{Connection, get, has_header};

/// Reads every account's list completely.
pub(super) async fn check_api_listing(
    connection: &mut Connection,
    accounts: &[Account],
    stored: &StoredRecords,
) -> anyhow::Result<Check> {
    let mut shown = BTreeSet::new();
    let mut broken = Vec::new();
    for account in accounts {
        let mut next = Some("/invoices?limit=100".to_owned());
        while let Some(path) = next {
            let page = connection.json(&get(&path, &account.key), 200).await.context(path)?;
            for invoice in page.get("data").and_then(Value::as_array).context("no data")? {
                let id: Uuid = invoice.get("id").and_then(Value::as_str).context("no id")?.parse()?;
                if !shown.insert(id) {
                    broken.push(format!("invoice {id} is listed twice"));
                }
                broken.extend(wrong(id, invoice, stored.invoices.get(&id)));
            }
            let cursor = page.get("next_cursor").and_then(Value::as_str);
            next = cursor.map(|cursor| format!("/invoices?limit=100&cursor={cursor}"));
        }
    }
    let missing = stored.invoices.keys().filter(|id| !shown.contains(id));
    broken.extend(missing.map(|id| format!("invoice {id} is not listed")));
    Ok(Check::new("the API lists what the database holds, with amounts that agree", shown.len(), broken))
}

/// The difference between an invoice as shown and as stored, if there is one.
fn wrong(id: Uuid, shown: &Value, stored: Option<&Stored>) -> Option<String> {
    let Some(stored) = stored else {
        return Some(format!("invoice {id} is listed and not in the database"));
    };
    let amount = |field: &str| shown.get(field).and_then(cents);
    let status = shown.get("status").and_then(Value::as_str);
    let due = if status == Some("CANCELLED") { Some(0) } else { stored.total.checked_sub(stored.paid) };
    let Some(payments) = shown.get("payments").and_then(Value::as_array) else {
        return Some(format!("invoice {id} is shown without its payments"));
    };
    let paid: Option<i64> = payments.iter().map(|one| one.get("amount").and_then(cents)).sum();
    let right = status == Some(&stored.status)
        && amount("total") == Some(stored.total)
        && amount("amount_paid") == Some(stored.paid)
        && paid == Some(stored.paid)
        && amount("amount_due") == due;
    (!right).then(|| format!("invoice {id} is shown as {shown}, stored as {stored:?}"))
}

/// The highest number of stored requests that are repeated, spread over all of them.
const MAX_CHECKED: usize = 300;

/// Repeats some of the stored requests.
pub(super) async fn check_replays(
    connection: &mut Connection,
    response_log: &ResponseLog,
) -> anyhow::Result<Check> {
    let sample = sample(&response_log.lock().keys.iter().collect::<Vec<_>>());
    let what = "a key's answer comes back when its request is sent once more";
    check_each(connection, what, &sample).await
}

/// Repeats all stored requests.
pub(super) async fn check_all_replays(
    connection: &mut Connection,
    response_log: &ResponseLog,
) -> anyhow::Result<Check> {
    let all: Vec<_> =
        response_log.lock().keys.iter().map(|(key, first)| (key.clone(), first.clone())).collect();
    check_each(connection, "and of every key there is", &all).await
}

async fn check_each(
    connection: &mut Connection,
    what: &str,
    requests: &[(String, FirstResponse)],
) -> anyhow::Result<Check> {
    let mut broken = Vec::new();
    for (key, first) in requests {
        let status = connection.exchange(&first.request).await?;
        let (head, body) = connection.last()?;
        if !is_same(first, status, &head, &body) {
            let (body, was) = (String::from_utf8_lossy(&body), first.status);
            broken
                .push(format!("{key}: answered {status} {body} when it was sent once more, {was} at first"));
        }
    }
    Ok(Check::new(what, requests.len(), broken))
}

/// At most [`MAX_CHECKED`] requests, spread over all of them.
fn sample(of: &[(&String, &FirstResponse)]) -> Vec<(String, FirstResponse)> {
    let step = of.len().div_ceil(MAX_CHECKED).max(1);
    let sample = of.iter().step_by(step);
    sample.map(|(key, first)| ((*key).clone(), (*first).clone())).collect()
}

/// Whether this response equals the first one and is marked as replayed.
pub(super) fn is_same(first: &FirstResponse, status: u16, head: &str, body: &[u8]) -> bool {
    status == first.status && body == first.body && has_header(head, "idempotency-replayed", "true")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(status: &str, due: &str) -> Value {
        let text = format!(
            r#"{{"status":"{status}","total":3.00,"amount_paid":1.00,"amount_due":{due},"payments":[{{"amount":0.40}},{{"amount":0.60}}]}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn what_is_due_is_the_total_less_what_is_paid_and_nothing_once_cancelled() {
        let stored =
            |status: &str| Stored { status: status.to_owned(), total: 300, paid: 100, ..Stored::default() };
        let id = Uuid::from_u128(1);
        let says = |shown: Value, stored: Stored| wrong(id, &shown, Some(&stored)).is_some();
        assert!(!says(shown("PARTIALLY_PAID", "2.00"), stored("PARTIALLY_PAID")));
        assert!(!says(shown("CANCELLED", "0.00"), stored("CANCELLED")));
        assert!(says(shown("PARTIALLY_PAID", "3.00"), stored("PARTIALLY_PAID")));
        assert!(says(shown("CANCELLED", "2.00"), stored("CANCELLED")));
        assert!(says(shown("UNPAID", "2.00"), stored("PARTIALLY_PAID")));
        assert!(wrong(id, &shown("UNPAID", "2.00"), None).is_some());
    }

    #[test]
    fn an_invoice_without_its_payments_is_wrong() {
        let stored = Stored { status: "UNPAID".to_owned(), ..Stored::default() };
        let says = |more: &str| {
            let amounts = r#""status":"UNPAID","total":0.00,"amount_paid":0.00,"amount_due":0.00"#;
            let shown = serde_json::from_str(&format!("{{{amounts}{more}}}")).unwrap();
            wrong(Uuid::from_u128(1), &shown, Some(&stored)).is_some()
        };
        assert!(!says(r#","payments":[]"#));
        assert!(says("") && says(r#","payments":null"#));
    }

    #[test]
    fn sample_is_spread_over_all_requests() {
        let (keys, first): (Vec<String>, _) =
            ((0..1_000).map(|n| n.to_string()).collect(), FirstResponse::default());
        let all: Vec<_> = keys.iter().map(|key| (key, &first)).collect();
        let sample = sample(&all);
        assert_eq!((sample.len(), sample[1].0.as_str()), (250, "4"));
    }

    #[test]
    fn replayed_response_must_equal_the_first_one() {
        let first = FirstResponse { status: 201, body: b"{}".to_vec(), ..FirstResponse::default() };
        let says = |status: u16, body: &[u8]| {
            let head = format!("HTTP/1.1 {status}\r\nIdempotency-Replayed: true\r\n\r\n");
            is_same(&first, status, &head, body)
        };
        assert!(says(201, b"{}"));
        assert!(!says(200, b"{}") && !says(201, b"[]"));
        assert!(!is_same(&first, 201, "HTTP/1.1 201\r\n\r\n", b"{}"));
    }
}
