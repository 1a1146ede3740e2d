//! The mail to the owner about unread messages.

use reqwest::Method;
use serde_json::json;
use time::Duration;

use super::{ReminderFixture, START, answer, id};
use crate::test_app::Database;

fn is_notice(mail: &str) -> bool {
    mail.contains("Subject: A message from a customer is waiting to be read")
}

#[tokio::test]
async fn owner_is_mailed_about_a_message_that_nobody_read_for_a_day() {
    for database in Database::both() {
        let fixture = ReminderFixture::open_with(database, "1s", &[]).await;
        let account = fixture.account().await;
        let invoice = account.invoice("2026-12-20", json!({})).await;
        let path = format!("/invoices/{}", id(&invoice));
        let body = br#"{"send_invoice": true}"#.to_vec();
        account.key.send(Method::PUT, &path, &[], Some(body)).await.expect(200);
        let mail = fixture.until_sent(&account).await;
        let received = fixture.receive(&answer(&mail, "ada@example.com", "I paid this last week."));
        assert_eq!(received["classification"]["type"], "paid_claim", "{received}");
        assert!(fixture.server.mails_so_far(is_notice).is_empty(), "not yet");
        fixture.at(START + Duration::hours(25));
        let mail = fixture.server.mails(1, is_notice).await.remove(0);
        assert!(mail.contains("/dashboard/inbox"), "{mail}");
        assert_eq!(fixture.server.mails_so_far(is_notice).len(), 1);
    }
}
