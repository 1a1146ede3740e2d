//! Changing the master key under endpoints that are there.

use serde_json::json;

use super::ground::{Ground, is_signed, received};
use crate::harness::receiver::Receiver;
use crate::harness::{Database, Server, invoice_body};

const KEY: &str = "COUNTINGHOUSE_MASTER_KEY";
const PREVIOUS: &str = "COUNTINGHOUSE_MASTER_KEY_PREVIOUS";
const A: &str = "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE=";
const B: &str = "QkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkI=";

#[tokio::test]
async fn secrets_and_cursors_survive_a_change_of_the_master_key() {
    for database in Database::both() {
        let mut ground = Ground::new(database, &[(KEY, A)]).await;
        let receiver = Receiver::good();
        let endpoint = ground.add(&receiver.url());
        ground.pay();
        received(&receiver, 1).await;
        ground
            .account
            .post("/invoices", &invoice_body())
            .await
            .expect(201);
        let first_page = ground.account.get("/invoices?limit=1").await.expect(200);
        let next_page = format!(
            "/invoices?limit=1&cursor={}",
            first_page.text("next_cursor")
        );
        assert!(ground.server.terminate().success());

        ground.server.set(KEY, Some(B));
        is_refused(&ground, "with another key alone");
        ground.server.set(PREVIOUS, Some(A));
        ground.server.start_again();
        ground.pay();
        let second = received(&receiver, 2).await.remove(1);
        assert!(is_signed(&second, &endpoint.secret), "both keys open");
        let account = ground.account.at(&ground.server.base);
        account.get(&next_page).await.expect(200);

        assert_eq!(
            ground.server.command_json(&["rekey"]),
            json!({"rewritten": 1})
        );
        assert_eq!(
            ground.server.command_json(&["rekey"]),
            json!({"rewritten": 0})
        );
        ground.pay();
        received(&receiver, 3).await;
        assert!(ground.server.terminate().success());

        ground.server.set(PREVIOUS, None);
        ground.server.start_again();
        let account = ground.account.at(&ground.server.base);
        account.get(&next_page).await.expect(200);
        ground.pay();
        let fourth = received(&receiver, 4).await.remove(3);
        assert!(
            is_signed(&fourth, &endpoint.secret),
            "the new key alone opens"
        );
        let another = ground.add(&receiver.url());
        assert_ne!(another.secret, endpoint.secret);
        ground.all_end(4, "succeeded").await;
        assert!(ground.server.terminate().success());

        ground.server.set(KEY, Some(A));
        is_refused(&ground, "with the key of before");
    }
}

/// The server does not start, and says why in one line.
fn is_refused(ground: &Ground, when: &str) {
    let database = &ground.server.database;
    for words in [["serve"].as_slice(), &["rekey"]] {
        let output = Server::command_on(database, ground.server.settings(), words);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{when}: {errors}");
        let last = errors.lines().last().unwrap_or_default();
        assert!(
            last.contains("COUNTINGHOUSE_MASTER_KEY"),
            "{when}: {errors}"
        );
    }
}
