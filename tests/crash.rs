//! `kill -9` under load: every acknowledged invoice exists, and a retry under its key finds it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;

use crate::test_app::{invoice_body, on_both, until};

#[tokio::test]
async fn every_acknowledged_invoice_survives_kill_9() {
    on_both(async |mut server| {
        let account = server.account().await;
        let acknowledged = Arc::new(AtomicUsize::new(0));
        let clients: Vec<_> = (0..8)
            .map(|client| {
                let (account, acknowledged) = (account.clone(), Arc::clone(&acknowledged));
                tokio::spawn(async move {
                    let body = invoice_body().to_string().into_bytes();
                    let mut made = Vec::new();
                    for n in 0.. {
                        let key = format!("{client}-{n}");
                        let sent = account
                            .try_to_send(
                                reqwest::Method::POST,
                                "/invoices",
                                &[("Idempotency-Key", &key)],
                                Some(body.clone()),
                            )
                            .await;
                        match sent {
                            Ok(answer) => {
                                made.push((key, Some(answer.expect(201))));
                                acknowledged.fetch_add(1, Ordering::Relaxed);
                            }
                            Err(_killed) => {
                                made.push((key, None));
                                break;
                            }
                        }
                    }
                    made
                })
            })
            .collect();
        until("40 invoices", async || (acknowledged.load(Ordering::Relaxed) >= 40).then_some(())).await;
        server.kill_and_start_again();
        let account = account.at(&server.base);
        let mut numbers = BTreeSet::new();
        let made: Vec<_> = join_all(clients).await.into_iter().flat_map(Result::unwrap).collect();
        for (key, answer) in &made {
            // Acknowledged or not, the retry results in one invoice; an acknowledged one is the same.
            let retried = account.post_with_key("/invoices", key, &invoice_body()).await.expect(201);
            if let Some(answer) = answer {
                assert_eq!(retried.bytes, answer.bytes);
            }
            account.get(&format!("/invoices/{}", retried.text("id"))).await.expect(200);
            assert!(numbers.insert(retried.text("invoice_number").to_owned()), "a number twice");
        }
        let expected: BTreeSet<_> = (1..=made.len()).map(|n| format!("INV-{n:04}")).collect();
        assert_eq!(numbers, expected, "one invoice for each key and no number left out");
    })
    .await;
}
