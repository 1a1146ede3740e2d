//! `/dashboard`.

use serde_json::json;

use super::{Owner, path_of};
use crate::test_app::{hidden, on_both, on_both_with, until};

#[tokio::test]
async fn overview_sums_up_what_is_owed_and_paid() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let empty = owner.page("/dashboard").await;
        assert!(empty.contains("What you are owed and what you were paid will be shown here"), "{empty}");
        owner.invoice(json!({"invoice_date": "2020-01-01", "due_date": "2020-01-15"})).await;
        owner.invoice(json!({"currency": "EUR", "due_date": "9998-01-31"})).await;
        let paid = owner.invoice(json!({"due_date": "9998-01-31"})).await;
        let page = owner.browser.get(&path_of(&paid)).await.expect(200);
        let fields = [("once", &*hidden(&page, "once")), ("amount", "40"), ("method", "card")];
        owner.browser.post(&format!("{}/payments", path_of(&paid)), &fields).await.expect(303);
        let page = owner.page("/dashboard").await;
        for text in [
            "Amounts owed in AUD by age",
            "<strong>AUD 180.00</strong>",
            "<strong>AUD 110.00</strong>",
            "<strong>AUD 40.00</strong>",
            "overdue</th><td data-label=\"Invoices\">1</td><td data-label=\"Amount due\">AUD 110.00",
            "Amounts owed in EUR by age",
            "<svg",
            "Latest payments",
            "Harbour &#38; Sons",
        ] {
            assert!(page.contains(text), "{text} in {page}");
        }
    })
    .await;
}

#[tokio::test]
async fn owner_whose_customers_cannot_see_how_to_pay_is_told_where_to_change_that() {
    let settings = [("COUNTINGHOUSE_SANDBOX", "false"), ("COUNTINGHOUSE_BANK_DETAILS_DELAY", "1ms")];
    on_both_with(&settings, async |server| {
        let owner = Owner::open(&server).await;
        let notice = "Customers cannot see how to pay you yet.";
        let page = owner.page("/dashboard").await;
        assert!(page.contains(notice) && page.contains("/dashboard/settings/payments\">Settings"), "{page}");
        let fields = [
            ("action", "save"),
            ("currency", "EUR"),
            ("kind", "iban"),
            ("holder", "Acme Pty Ltd"),
            ("iban", "DE89 3704 0044 0532 0130 00"),
            ("bic", ""),
        ];
        owner.browser.submit("/dashboard/settings/payments", &fields).await.expect(303);
        until("a page without the notice", async || {
            (!owner.page("/dashboard").await.contains(notice)).then_some(())
        })
        .await;
    })
    .await;
}
