//! The mail to the owner about unread messages.

use reqwest::Method;
use serde_json::json;
use time::Duration;

use super::{Office, START, answer, id};
use crate::test_app::Database;

const NOTICE: &str = "Subject: A message from a customer waits to be read";

#[tokio::test]
async fn owner_is_mailed_about_a_message_that_nobody_read_for_a_day() {
    for database in Database::both() {
        let office = Office::open_with(database, "1s", &[]).await;
        let account = office.account().await;
        let invoice = account.invoice("2026-12-20", json!({})).await;
        let path = format!("/invoices/{}", id(&invoice));
        let body = br#"{"send_invoice": true}"#.to_vec();
        account.key.send(Method::PUT, &path, &[], Some(body)).await.expect(200);
        let mail = office.until_sent(&account).await;
        let received = office.receive(&answer(&mail, "ada@example.com", "I paid this last week."));
        assert_eq!(received["classification"]["type"], "paid_claim", "{received}");
        assert!(office.mails_that_say(NOTICE).is_empty(), "not yet");
        office.at(START + Duration::hours(25));
        let mail = office.mail_that_says(NOTICE).await;
        assert!(mail.contains("/dashboard/inbox"), "{mail}");
        assert_eq!(office.mails_that_say(NOTICE).len(), 1);
    }
}
