//! Endpoints that the operator adds, disables, enables and deletes.

use serde_json::json;

use super::fixture::{LONG_WAITS, WebhookFixture, on_both, received};
use crate::test_app::receiver::{Behaviour, Receiver};
use crate::test_app::{Database, until};

/// Runs a command that must be refused.
fn refused(fixture: &WebhookFixture, words: &[&str], status: i32, said: &str) {
    let output = fixture.server.command(words);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{words:?} {errors}");
    assert!(errors.contains(said) && output.stdout.is_empty(), "{words:?} {errors}");
}

#[tokio::test]
async fn an_endpoint_is_made_and_its_secret_shown_once() {
    on_both(&[], async |fixture| {
        let endpoint = fixture.add_for(
            " https://example.com/hooks?of=us ",
            "escalation.resolved, invoice.payment_recorded,escalation.resolved",
        );
        assert_eq!(endpoint.secret.len(), 43);
        let url_safe = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        assert!(endpoint.secret.chars().all(url_safe));
        let listed = fixture.endpoints();
        let created_at = listed[0]["created_at"].as_str().unwrap();
        assert!(created_at.ends_with('Z'), "{created_at}");
        let expected = json!([{
            "endpoint_id": endpoint.id,
            "url": "https://example.com/hooks?of=us",
            "events": ["invoice.payment_recorded", "escalation.resolved"],
            "enabled": true,
            "created_at": created_at,
        }]);
        assert_eq!(json!(listed), expected);
        let other = fixture.add("https://example.com/hooks?of=us");
        assert_ne!(other.secret, endpoint.secret);
        let words = ["webhook", "list", "--account", &fixture.account_id];
        let text = fixture.server.command(&words).stdout;
        assert!(!String::from_utf8_lossy(&text).contains(&endpoint.secret));
        assert!(!fixture.server.log().contains(&endpoint.secret));
    })
    .await;
}

#[tokio::test]
async fn a_faulty_endpoint_is_refused_and_not_stored() {
    for database in Database::both() {
        let settings = [("COUNTINGHOUSE_ALLOW_PRIVATE_TARGETS", "false")];
        let fixture = WebhookFixture::new(database, &settings).await;
        let (good, payments) = ("https://example.com/", "invoice.payment_recorded");
        let account = fixture.account_id.as_str();
        let unknown = "019aa1b2-0000-7000-8000-0123456789ab";
        for (account, url, events, status, said) in [
            (account, good, "invoice.created", 2, "`invoice.created` is no event"),
            (account, good, "invoice.payment_recorded,Escalation.created", 2, "the events are: "),
            (account, good, "", 2, "is no event"),
            (account, "http://example.com/", payments, 2, "must be an https:// address"),
            (account, "https://ada:pw@example.com/", payments, 2, "user name or password"),
            (account, "https://", payments, 2, "is not a valid address"),
            ("7", good, payments, 2, "must be a UUID"),
            (account, "https://127.0.0.1/", payments, 1, "--url: must lead to a public address; 127.0.0.1"),
            (account, "https://0x7f.1:8443/", payments, 1, "127.0.0.1 is not public"),
            (account, "https://[::1]/", payments, 1, "[::1] is not public"),
            (account, "https://169.254.169.254/", payments, 1, "is not public"),
            (account, "https://localhost/", payments, 1, "localhost is not public"),
            (unknown, good, payments, 1, "there is no such account"),
        ] {
            let which = ["--account", account, "--url", url, "--events", events];
            let words = [&["webhook", "add"], &which[..]].concat();
            refused(&fixture, &words, status, said);
        }
        let long = format!("https://example.com/{}", "a".repeat(2_048));
        let which = ["--account", account, "--url", &long, "--events", payments];
        let words = [&["webhook", "add"], &which[..]].concat();
        refused(&fixture, &words, 2, "at most 2048 characters");
        assert_eq!(fixture.endpoints(), Vec::<serde_json::Value>::new());
        for words in [
            vec!["webhook", "list", "--account", unknown],
            vec!["webhook", "deliveries", "--account", unknown],
        ] {
            refused(&fixture, &words, 1, "there is no such account");
        }
        for change in ["disable", "enable", "delete"] {
            refused(&fixture, &["webhook", change, unknown], 1, "no endpoint with this id");
        }
    }
}

#[tokio::test]
async fn five_endpoints_may_be_enabled_and_no_sixth() {
    on_both(&[], async |fixture| {
        let urls = (1..=5).map(|n| format!("https://example.com/{n}"));
        let endpoints: Vec<_> = urls.map(|url| fixture.add(&url)).collect();
        let account = ["--account", &fixture.account_id];
        let target = ["--url", "https://example.com/6", "--events", "escalation.created"];
        let sixth = [&["webhook", "add"], &account[..], &target[..]].concat();
        refused(&fixture, &sixth, 1, "has 5 enabled endpoints");
        assert_eq!(fixture.endpoints().len(), 5);
        assert_eq!(fixture.change("disable", &endpoints[0])["enabled"], false);
        fixture.server.command_json(&sixth);
        let again = ["webhook", "enable", &endpoints[0].id];
        refused(&fixture, &again, 1, "has 5 enabled endpoints");
        fixture.change("delete", &endpoints[1]);
        assert_eq!(fixture.change("enable", &endpoints[0])["enabled"], true);
        refused(&fixture, &sixth, 1, "has 5 enabled endpoints");
        assert_eq!(fixture.endpoints().len(), 5);
    })
    .await;
}

#[tokio::test]
async fn what_the_operator_does_with_endpoints_is_audited() {
    on_both(&[], async |fixture| {
        let endpoint = fixture.add("https://example.com/hooks");
        // Disabling a disabled endpoint changes nothing.
        for change in ["disable", "disable", "enable", "delete"] {
            fixture.change(change, &endpoint);
        }
        let listed = fixture.server.command_json(&["audit", "list", "--account", &fixture.account_id]);
        let entries = listed.as_array().unwrap();
        let shown = |entry: &serde_json::Value| {
            let text = |field: &str| entry[field].as_str().unwrap().to_owned();
            (text("actor"), text("action"), text("after"))
        };
        let named = format!("https://example.com/hooks ({})", endpoint.id);
        let expected = [
            ("webhook_endpoint.deleted", &*named),
            ("webhook_endpoint.enabled", &named),
            ("webhook_endpoint.disabled", &named),
            ("webhook_endpoint.added", "https://example.com/hooks (invoice.payment_recorded)"),
        ];
        let expected =
            expected.map(|(action, after)| ("operator".to_owned(), action.to_owned(), after.to_owned()));
        assert_eq!(entries.iter().map(shown).collect::<Vec<_>>(), expected);
        assert!(!listed.to_string().contains(&endpoint.secret));
    })
    .await;
}

#[tokio::test]
async fn disabling_stops_deliveries_and_enabling_resumes_them() {
    on_both(&[LONG_WAITS], async |fixture| {
        let receiver = Receiver::with_behaviours(&[
            Behaviour::Respond(500, Vec::new()),
            Behaviour::Respond(204, Vec::new()),
        ]);
        let endpoint = fixture.add(&receiver.url());
        fixture.pay();
        received(&receiver, 1).await;
        let disabled = fixture.change("disable", &endpoint);
        assert_eq!((&disabled["enabled"], &disabled["endpoint_id"]), (&json!(false), &json!(endpoint.id)));
        let stopped = fixture.all_end(1, "stopped").await;
        assert_eq!(stopped[0]["next_attempt_at"], json!(null));
        fixture.pay();
        assert_eq!(fixture.deliveries().len(), 1, "nobody is told while it is off");
        fixture.change("enable", &endpoint);
        fixture.pay();
        let received = received(&receiver, 2).await;
        assert!(super::fixture::is_signed(&received[1], &endpoint.secret), "with its old secret");
        let look = async || {
            let states: Vec<_> = fixture.deliveries().iter().map(|one| one["state"].clone()).collect();
            (states == ["succeeded", "stopped"]).then_some(())
        };
        until("one delivery of each kind", look).await;
        fixture.change("delete", &endpoint);
        assert_eq!(fixture.endpoints().len(), 0);
        refused(&fixture, &["webhook", "enable", &endpoint.id], 1, "no endpoint with this id");
        fixture.pay();
        assert_eq!(fixture.deliveries().len(), 2, "its log stays, and nothing is added");
        assert_eq!(receiver.received().len(), 2);
    })
    .await;
}

#[tokio::test]
async fn deleting_an_endpoint_stops_its_waiting_deliveries() {
    on_both(&[LONG_WAITS], async |fixture| {
        let receiver = Receiver::with_behaviours(&[Behaviour::Respond(500, Vec::new())]);
        let endpoint = fixture.add(&receiver.url());
        fixture.pay();
        received(&receiver, 1).await;
        assert_eq!(fixture.change("delete", &endpoint)["enabled"], false);
        fixture.all_end(1, "stopped").await;
        assert_eq!(receiver.received().len(), 1);
    })
    .await;
}
