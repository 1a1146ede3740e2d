//! Requests that must be refused, whatever the disk does, and the check that only these have error responses
//! stored.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::fixtures::client::Connection;
use crate::torture::api_checks::is_same;
use crate::torture::caller::{Caller, Request};
use crate::torture::environment::{Environment, Shared};
use crate::torture::report::Check;
use crate::torture::response_log::{FirstResponse, ResponseLog};
use crate::torture::stored_records::rows;

const PAUSE: Duration = Duration::from_millis(60);

/// The client that sends them.
pub(super) struct Refusals {
    stop: watch::Sender<bool>,
    task: JoinHandle<BTreeMap<String, FirstResponse>>,
}

impl Refusals {
    /// Begins to send them as the client with this number.
    pub(super) fn begin(
        environment: &Shared,
        response_log: &Arc<ResponseLog>,
        target: SocketAddr,
        client: u64,
    ) -> Self {
        let (stop, stopped) = watch::channel(false);
        let (environment, response_log) = (environment.clone(), response_log.clone());
        let generator = environment.generator(client);
        let mut caller =
            Caller::new([target].into(), client, environment.generator(!client), response_log.clone());
        let task = tokio::spawn(async move {
            let mut refused = BTreeMap::new();
            while !*stopped.borrow() {
                let key = format!("x-{}", refused.len());
                if let Some(account) = generator.pick(&environment.accounts) {
                    let (body, status) = if generator.below(2) == 0 {
                        (json!({"contact": {"name": "No lines", "email": "none@example.com"}}), 400)
                    } else {
                        let line = json!({"description": "Line", "quantity": 1, "unit_amount": 1});
                        (json!({"contact": {"id": Uuid::from_u128(1)}, "line_items": [line]}), 404)
                    };
                    let request = Request::write("POST", "/invoices", &account.key, Some(&key), &body);
                    if let Some(response) = caller.send(&request).await {
                        if response.status != status {
                            let wrong = format!("{key}: {} instead of {status}", response.status);
                            response_log.lock().wrong.push(wrong);
                        }
                        let (status, body) = (response.status, response.body);
                        let first = FirstResponse { id: Uuid::nil(), status, body, request: request.bytes };
                        refused.insert(key, first);
                    }
                }
                tokio::time::sleep(PAUSE).await;
            }
            refused
        });
        Self { stop, task }
    }

    /// The error responses by idempotency key.
    pub(super) async fn end(self) -> BTreeMap<String, FirstResponse> {
        self.stop.send_replace(true);
        self.task.await.unwrap_or_default()
    }
}

/// Checks that no other error response is stored, and that each of these is repeated.
pub(super) async fn check(
    environment: &Environment,
    refused: &BTreeMap<String, FirstResponse>,
    connection: &mut Connection,
) -> anyhow::Result<[Check; 2]> {
    let kept =
        rows(&environment.database, ["CAST(status AS text)", "key"], "idempotency_keys WHERE status >= 300")?;
    let unexpected = unexpected_errors(&kept, refused);
    let mut other = Vec::new();
    for (key, first) in refused {
        let status = connection.exchange(&first.request).await?;
        let (head, body) = connection.last()?;
        if !is_same(first, status, &head, &body) {
            other.push(format!("{key}: {} at first, {status} when it was sent once more", first.status));
        }
    }
    Ok([
        Check::new("no refusal is kept that was not true, and no failure", kept.len(), unexpected),
        Check::new("a refusal that was true comes back", refused.len(), other),
    ])
}

/// Stored error responses that do not belong to a request that had to be refused in this way.
fn unexpected_errors(kept: &[[String; 2]], refused: &BTreeMap<String, FirstResponse>) -> Vec<String> {
    let is_expected = |status: &str, key: &str| {
        refused.get(key).is_some_and(|first| first.status.to_string() == status && first.status < 500)
    };
    let unexpected = kept.iter().filter(|[status, key]| !is_expected(status, key));
    unexpected.map(|[status, key]| format!("{key}: {status} is kept")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_that_was_not_expected_is_reported() {
        let first = FirstResponse { status: 400, ..FirstResponse::default() };
        let refused = BTreeMap::from([("x-1".to_owned(), first)]);
        let unexpected =
            |status: &str, key: &str| unexpected_errors(&[[status.to_owned(), key.to_owned()]], &refused);
        assert!(unexpected("400", "x-1").is_empty());
        assert_eq!(
            [unexpected("404", "x-1"), unexpected("503", "x-1"), unexpected("400", "k-1")]
                .map(|all| all.len()),
            [1; 3]
        );
    }
}
