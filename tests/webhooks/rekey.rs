//! Changing the master key while endpoints exist.

use serde_json::json;

use super::fixture::{WebhookFixture, is_signed, received};
use crate::test_app::receiver::Receiver;
use crate::test_app::{Database, TestApp, invoice_body};

const KEY: &str = "COUNTINGHOUSE_MASTER_KEY";
const PREVIOUS: &str = "COUNTINGHOUSE_MASTER_KEY_PREVIOUS";
const A: &str = "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE=";
const B: &str = "QkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkI=";

#[tokio::test]
async fn secrets_and_cursors_survive_a_change_of_the_master_key() {
    for database in Database::both() {
        let mut fixture = WebhookFixture::new(database, &[(KEY, A)]).await;
        let receiver = Receiver::good();
        let endpoint = fixture.add(&receiver.url());
        fixture.pay();
        received(&receiver, 1).await;
        fixture.account.post("/invoices", &invoice_body()).await.expect(201);
        let first_page = fixture.account.get("/invoices?limit=1").await.expect(200);
        let next_page = format!("/invoices?limit=1&cursor={}", first_page.text("next_cursor"));
        assert!(fixture.server.terminate().await.success());

        fixture.server.set(KEY, Some(B));
        is_refused(&fixture, "with another key alone");
        fixture.server.set(PREVIOUS, Some(A));
        fixture.server.start_again();
        fixture.pay();
        let second = received(&receiver, 2).await.remove(1);
        assert!(is_signed(&second, &endpoint.secret), "both keys open");
        let account = fixture.account.at(&fixture.server.base);
        account.get(&next_page).await.expect(200);

        assert_eq!(fixture.server.command_json(&["rekey"]), json!({"rewritten": 1}));
        assert_eq!(fixture.server.command_json(&["rekey"]), json!({"rewritten": 0}));
        fixture.pay();
        received(&receiver, 3).await;
        assert!(fixture.server.terminate().await.success());

        fixture.server.set(PREVIOUS, None);
        fixture.server.start_again();
        let account = fixture.account.at(&fixture.server.base);
        account.get(&next_page).await.expect(200);
        fixture.pay();
        let fourth = received(&receiver, 4).await.remove(3);
        assert!(is_signed(&fourth, &endpoint.secret), "the new key alone opens");
        let another = fixture.add(&receiver.url());
        assert_ne!(another.secret, endpoint.secret);
        fixture.all_end(4, "succeeded").await;
        assert!(fixture.server.terminate().await.success());

        fixture.server.set(KEY, Some(A));
        is_refused(&fixture, "with the key of before");
    }
}

/// Asserts that the server does not start, and says why in one line.
fn is_refused(fixture: &WebhookFixture, when: &str) {
    let database = &fixture.server.database;
    for words in [["serve"].as_slice(), &["rekey"]] {
        let output = TestApp::command_on(database, fixture.server.settings(), words);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{when}: {errors}");
        let last = errors.lines().last().unwrap_or_default();
        assert!(last.contains("COUNTINGHOUSE_MASTER_KEY"), "{when}: {errors}");
    }
}
