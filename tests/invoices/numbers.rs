//! Numbers: consecutive, unique, under any concurrency.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use serde_json::json;

use crate::test_app::{invoice_body, on_both};

#[tokio::test]
async fn fifty_simultaneous_creations_have_consecutive_numbers() {
    on_both(async |server| {
        let account = server.account().await;
        let body = invoice_body();
        let all = join_all((0..50).map(|_| account.post("/invoices", &body))).await;
        let numbers: BTreeSet<_> =
            all.into_iter().map(|made| made.expect(201).text("invoice_number").to_owned()).collect();
        let expected: BTreeSet<_> = (1..=50).map(|n| format!("INV-{n:04}")).collect();
        assert_eq!(numbers, expected);
    })
    .await;
}

#[tokio::test]
async fn chosen_numbers_are_unique_and_skipped_by_the_sequence() {
    on_both(async |server| {
        let account = server.account().await;
        let with_number = |number: &str| {
            let mut body = invoice_body();
            body["invoice_number"] = json!(number);
            body
        };
        for number in ["INV-0001", "INV-0002", "inv-0003", " Ünïcode/7 "] {
            let made = account.post("/invoices", &with_number(number)).await.expect(201);
            assert_eq!(made.text("invoice_number"), number.trim());
        }
        account.post("/invoices", &with_number("INV-0001")).await.refused(409, "DUPLICATE_INVOICE_NUMBER");
        assert_eq!(
            account.post("/invoices", &invoice_body()).await.expect(201).text("invoice_number"),
            "INV-0003"
        );
        // Another account has its own numbers.
        server.account().await.post("/invoices", &with_number("INV-0001")).await.expect(201);
    })
    .await;
}

#[tokio::test]
async fn one_chosen_number_taken_at_once_goes_to_one() {
    on_both(async |server| {
        let account = server.account().await;
        let mut body = invoice_body();
        body["invoice_number"] = json!("X-1");
        let all = join_all((0..10).map(|_| account.post("/invoices", &body))).await;
        assert_eq!(all.iter().filter(|made| made.status == 201).count(), 1);
        assert_eq!(all.iter().filter(|made| made.code() == "DUPLICATE_INVOICE_NUMBER").count(), 9);
    })
    .await;
}

#[tokio::test]
async fn the_account_chooses_its_prefix() {
    on_both(async |server| {
        let (account, made) = server.account_of(&server.partner(), json!({"invoice_prefix": "ACME/"})).await;
        assert_eq!(made["invoice_prefix"], "ACME/");
        assert_eq!(
            account.post("/invoices", &invoice_body()).await.expect(201).text("invoice_number"),
            "ACME/0001"
        );
    })
    .await;
}
