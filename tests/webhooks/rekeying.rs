//! Changing the master key under endpoints that are there.

use serde_json::json;

use super::ground::{Ground, is_signed, received};
use crate::harness::receiver::Receiver;
use crate::harness::{Database, Server};

const KEY: &str = "COUNTINGHOUSE_MASTER_KEY";
const PREVIOUS: &str = "COUNTINGHOUSE_MASTER_KEY_PREVIOUS";
const A: &str = "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE=";
const B: &str = "QkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkI=";

#[tokio::test]
async fn the_master_key_is_changed_and_every_secret_stays() {
    for database in Database::both() {
        let mut ground = Ground::new(database, &[(KEY, A)]).await;
        let receiver = Receiver::good();
        let endpoint = ground.add(&receiver.url());
        ground.pay();
        received(&receiver, 1).await;
        assert!(ground.server.terminate().success());

        ground.server.set(KEY, Some(B));
        is_refused(&ground, "with another key alone");
        ground.server.set(PREVIOUS, Some(A));
        ground.server.start_again();
        ground.pay();
        let second = received(&receiver, 2).await.remove(1);
        assert!(is_signed(&second, &endpoint.secret), "both keys open");

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
