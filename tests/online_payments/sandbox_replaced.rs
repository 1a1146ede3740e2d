//! What becomes of the sandbox, and of payments begun in it, once an account has a live gateway or the
//! sandbox is off.

use serde_json::{Value, json};
use time::Duration;

use super::on_both;
use super::stripe::{StripePayer, connect};
use crate::test_app::Database;
use crate::test_app::stripe::KEY;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn debit_of_the_sandbox_pays_nothing_once_the_account_has_a_gateway() {
    for database in Database::both() {
        let test = StripePayer::unconnected(database, "1s").await;
        let checkout = test.payer.begin(&[]).await;
        test.payer.press(&checkout, "pay_later").await;
        test.payer.until_charges("the debit", |charges| charges[0]["state"] == "pending").await;
        let connected = connect(&test.payer, &format!("key={KEY}\n"));
        test.payer.until_charges("the end of it", |charges| charges[0]["state"] == "failed").await;
        test.begin().await;
        // Nor afterwards: the worker's next rounds find the debit carried out.
        let gateway = connected["gateway_account_id"].as_str().unwrap();
        test.payer.server.command_json(&["gateway", "disconnect", gateway]);
        test.advance(Duration::hours(25));
        let checkout = test.payer.begin(&[]).await;
        test.payer.press(&checkout, "pay").await;
        let is_paid = |charges: &[Value]| charges.iter().any(|one| one["state"] == "succeeded");
        test.payer.until_charges("the payment", is_paid).await;
        let invoice = test.payer.invoice().await;
        assert_eq!((&invoice["status"], invoice["payments"].as_array().unwrap().len()), (&json!("PAID"), 1));
        assert_eq!(invoice["payments"][0]["method"], "card", "{invoice}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn debit_of_the_sandbox_ends_once_that_is_off() {
    on_both(async |mut payer| {
        let checkout = payer.begin(&[]).await;
        payer.press(&checkout, "pay_later").await;
        payer.until_charges("the debit", |charges| charges[0]["state"] == "pending").await;
        payer.server.terminate().await;
        payer.server.set("COUNTINGHOUSE_SANDBOX", Some("false"));
        payer.server.set("COUNTINGHOUSE_TEST_CLOCK", None);
        payer.server.start_again();
        payer.until_charges("the end of it", |charges| charges[0]["state"] == "failed").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sandbox_is_not_listed_beside_a_live_gateway() {
    for database in Database::both() {
        let test = StripePayer::unconnected(database, "1h").await;
        let payer = &test.payer;
        payer.begin(&[]).await;
        let kinds = || {
            let list = payer.server.command_json(&["gateway", "list", "--account", &payer.account]);
            list.as_array().unwrap().iter().map(|one| one["kind"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(kinds(), ["sandbox"]);
        connect(payer, &format!("key={KEY}\n"));
        assert_eq!(kinds(), ["stripe"]);
    }
}
