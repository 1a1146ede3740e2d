//! Numbers: consecutive, unique, chosen or with the account's prefix.

use serde_json::json;

use crate::test_app::{invoice_body, on_both};

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
