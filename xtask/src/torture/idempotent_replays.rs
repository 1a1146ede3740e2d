//! Repeats acknowledged requests under their keys: the stored responses come back byte for byte.

use super::ledger::{First, Ledger};
use super::report::Check;
use crate::fixtures::client::{Connection, has_header};

/// So many at the most, spread over all there are.
const MOST: usize = 300;

/// Sends them.
pub(super) async fn check_replays(connection: &mut Connection, ledger: &Ledger) -> anyhow::Result<Check> {
    let some = some(&ledger.open().keys.iter().collect::<Vec<_>>());
    let mut broken = Vec::new();
    for (key, first) in &some {
        let status = connection.exchange(&first.request).await?;
        let (head, body) = connection.last()?;
        if !same(first, status, &head, &body) {
            let (body, was) = (String::from_utf8_lossy(&body), first.status);
            broken
                .push(format!("{key}: answered {status} {body} when it was sent once more, {was} at first"));
        }
    }
    let what = "a key's answer comes back when its request is sent once more";
    Ok(Check::new(what, some.len(), broken))
}

/// Some of them, from the first to the last.
fn some(of: &[(&String, &First)]) -> Vec<(String, First)> {
    let step = of.len().div_ceil(MOST).max(1);
    let some = of.iter().step_by(step);
    some.map(|(key, first)| ((*key).clone(), (*first).clone())).collect()
}

/// Whether this is the first answer again, and says so.
fn same(first: &First, status: u16, head: &str, body: &[u8]) -> bool {
    status == first.status && body == first.answer && has_header(head, "idempotency-replayed", "true")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_are_spread_over_all() {
        let (keys, first): (Vec<String>, _) = ((0..1_000).map(|n| n.to_string()).collect(), First::default());
        let all: Vec<_> = keys.iter().map(|key| (key, &first)).collect();
        let some = some(&all);
        assert_eq!((some.len(), some[1].0.as_str()), (250, "4"));
    }

    #[test]
    fn the_first_answer_has_its_status_and_its_bytes() {
        let first = First { status: 201, answer: b"{}".to_vec(), ..First::default() };
        let says = |status: u16, body: &[u8]| {
            let head = format!("HTTP/1.1 {status}\r\nIdempotency-Replayed: true\r\n\r\n");
            same(&first, status, &head, body)
        };
        assert!(says(201, b"{}"));
        assert!(!says(200, b"{}") && !says(201, b"[]"));
        assert!(!same(&first, 201, "HTTP/1.1 201\r\n\r\n", b"{}"));
    }
}
