//! `doctor`: its findings about a healthy service, and about a faulty one.

use std::process::Command;

use kernel::{AccountId, Clock as _, SystemClock};
use payments::{GatewayAccount, GatewayAccountId, GatewayKind, SealedGatewaySecret};
use serde_json::{Value, json};

use crate::test_app::{Browser, Database, MASTER_KEY, TestApp, binary, on_both};

/// The findings of `doctor`, and whether it succeeded.
fn doctor(database: &Database, settings: &[(&str, &str)]) -> (Vec<Value>, bool) {
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let settings: Vec<_> = settings.iter().map(own).collect();
    let output = TestApp::command_on(database, &settings, &["doctor", "--json"]);
    let found: Value = serde_json::from_slice(&output.stdout).expect("one JSON value");
    let found = found.as_array().unwrap().clone();
    let all_is_well = found.iter().all(|finding| finding["ok"] == true);
    assert_eq!(output.status.code(), Some(i32::from(!all_is_well)), "{found:#?}");
    assert_eq!(output.stderr.is_empty(), all_is_well);
    (found, all_is_well)
}

#[track_caller]
fn says(found: &[Value], check: &str, ok: bool, said: &str) {
    let finding = found
        .iter()
        .find(|finding| finding["check"] == check)
        .unwrap_or_else(|| panic!("no {check} in {found:#?}"));
    let message = finding["message"].as_str().unwrap();
    assert!(finding["ok"] == ok && message.contains(said), "{said}: {finding}");
    assert!(!message.contains('\n'));
}

#[tokio::test]
async fn doctor_passes_on_a_healthy_service() {
    on_both(async |server| {
        let listen = server.base.strip_prefix("http://").unwrap();
        let (found, _) = doctor(&server.database, &[("COUNTINGHOUSE_LISTEN", listen)]);
        let checks: Vec<_> = found.iter().map(|finding| &finding["check"]).collect();
        assert_eq!(
            checks,
            [
                "settings", "data directory", "database", "migrations", "distribution", "master key",
                "queues", "payments_conservation", "gateway_keys", "gateway_charges", "mail", "logos",
                "trust", "clock", "disk", "redis", "language model", "listen"
            ]
        );
        // The machine may lack disk space or certificates; all other findings depend on the service.
        for finding in &found {
            let is_the_machines = finding["check"] == "disk" || finding["check"] == "trust";
            assert!(is_the_machines || finding["ok"] == true, "{finding}");
        }
        let kind = if server.database.name == "sqlite" { "SQLite 3" } else { "PostgreSQL " };
        says(&found, "database", true, kind);
        let distributed = server.database.is_distributed();
        let said = if distributed { "distributed by account" } else { "on one server" };
        says(&found, "distribution", true, said);
        says(&found, "master key", true, "fits");
        says(&found, "gateway_keys", true, "no account is connected to a gateway");
        says(&found, "logos", true, "media");
        says(&found, "listen", true, "Countinghouse serves");
        let text = TestApp::command_on(&server.database, &[], &["doctor"]);
        let text = String::from_utf8(text.stdout).unwrap();
        assert_eq!(text.lines().count(), found.len(), "{text}");
        assert!(text.starts_with("ok    settings"), "{text}");

        let listen = [("COUNTINGHOUSE_LISTEN".to_owned(), listen.to_owned())];
        let words = ["doctor", "--serving", "--json"];
        let probe = TestApp::command_on(&server.database, &listen, &words);
        assert!(probe.status.success());
        let found: Value = serde_json::from_slice(&probe.stdout).unwrap();
        says(found.as_array().unwrap(), "serving", true, "is ready");
    })
    .await;
}

#[tokio::test]
async fn doctor_names_each_fault_and_its_remedy() {
    on_both(async |server| {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        // The program that has the port is not the service: it closes the connection.
        let listen = taken.local_addr().unwrap().to_string();
        std::thread::spawn(move || taken.incoming().for_each(drop));
        let key = format!("{}=", "A".repeat(43));
        let (found, _) = doctor(
            &server.database,
            &[
                ("COUNTINGHOUSE_MASTER_KEY", &key),
                ("COUNTINGHOUSE_SMTP_URL", "smtp://user:hunter2@127.0.0.1:1"),
                ("COUNTINGHOUSE_REDIS_URL", "redis://:hunter2@127.0.0.1:1"),
                ("COUNTINGHOUSE_LISTEN", &listen),
            ],
        );
        says(&found, "settings", true, "");
        says(&found, "master key", false, "does not fit");
        says(&found, "mail", false, "COUNTINGHOUSE_SMTP_URL");
        says(&found, "redis", false, "COUNTINGHOUSE_REDIS_URL");
        says(&found, "listen", false, "another program");
        assert!(!format!("{found:?}").contains("hunter2"));
        let proxied = [("COUNTINGHOUSE_PUBLIC_URL", "https://books.example.com")];
        let (found, _) = doctor(&server.database, &proxied);
        says(&found, "listen", false, "count as one address");
        let nobody = [("COUNTINGHOUSE_LISTEN".to_owned(), "127.0.0.1:1".to_owned())];
        let probe = TestApp::command_on(&server.database, &nobody, &["doctor", "--serving"]);
        assert_eq!(probe.status.code(), Some(1));
    })
    .await;
}

#[tokio::test]
async fn malformed_settings_fail_and_skip_the_checks_that_need_them() {
    for database in Database::both() {
        for (name, value) in [("COUNTINGHOUSE_LISTEM", "127.0.0.1:1"), ("COUNTINGHOUSE_LISTEN", "0.0.0.0:80")]
        {
            let (found, _) = doctor(&database, &[(name, value)]);
            says(&found, "settings", false, name);
            says(&found, "database", false, "not looked at");
            says(&found, "clock", true, "it is");
            assert_eq!(found.len(), 18);
        }
    }
}

#[tokio::test]
async fn doctor_reports_pending_migrations_and_applies_none() {
    for database in Database::both() {
        TestApp::command_on(&database, &[], &["migrate"]);
        let down = TestApp::command_on(&database, &[], &["migrate", "down"]);
        assert!(down.status.success());
        let (found, _) = doctor(&database, &[]);
        says(&found, "database", true, "answers");
        says(&found, "migrations", false, "countinghouse migrate");
        says(&found, "master key", false, "not held against");
        let status = TestApp::command_on(&database, &[], &["migrate", "status", "--json"]);
        let status: Value = serde_json::from_slice(&status.stdout).unwrap();
        assert_eq!(status["pending"].as_array().unwrap().len(), 1, "a look changes nothing");
    }
}

#[tokio::test]
async fn doctor_names_settings_by_which_postgres_may_lose_commits() {
    for database in Database::both() {
        TestApp::command_on(&database, &[], &["migrate"]);
        let (found, _) = doctor(&database, &[]);
        // The servers of the tests are fast and not durable.
        let said = match database.name {
            "postgres" => "off: fsync, full_page_writes, synchronous_commit. Turn this on",
            _ => "answers in",
        };
        says(&found, "database", true, said);
    }
}

#[tokio::test]
async fn doctor_creates_no_missing_database() {
    let database = Database::sqlite();
    let (found, _) = doctor(&database, &[]);
    says(&found, "data directory", true, "");
    says(&found, "database", false, "is not there");
    says(&found, "migrations", false, "not looked at");
    assert_eq!(database.folder.path().read_dir().unwrap().count(), 0);
    // Nobody listens on this port.
    let url = "postgres://user:hunter2@127.0.0.1:1/x";
    let (found, _) = doctor(&database, &[("DATABASE_URL", url)]);
    says(&found, "database", false, "DATABASE_URL");
    assert!(!format!("{found:?}").contains("hunter2"));
}

#[test]
fn doctor_reports_a_missing_master_key() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &[&str]| {
        let output = Command::new(binary())
            .args(words)
            .current_dir(folder.path())
            .env_clear()
            .env("COUNTINGHOUSE_LISTEN", "127.0.0.1:0")
            .output()
            .expect("the binary starts");
        serde_json::from_slice::<Value>(&output.stdout).expect("one JSON value")
    };
    run(&["migrate", "--json"]);
    let found = run(&["doctor", "--json"]);
    says(found.as_array().unwrap(), "master key", true, "first start");
    says(found.as_array().unwrap(), "gateway_keys", true, "no account is connected to a gateway");
    assert!(!folder.path().join("data/master.key").exists());
    std::fs::write(folder.path().join("data/master.key"), "A".repeat(43) + "=").unwrap();
    let found = run(&["doctor", "--json"]);
    says(found.as_array().unwrap(), "master key", false, "chmod 600");
}

#[test]
fn doctor_connects_to_redis() {
    let Some(redis) = testkit::redis::server_with_password("hunter2") else {
        return;
    };
    let (database, right) = (Database::sqlite(), redis.url());
    let (found, _) = doctor(&database, &[("COUNTINGHOUSE_REDIS_URL", &right)]);
    says(&found, "redis", true, "shares the quotas");
    let wrong = right.replace("hunter2", "hunter3");
    let (found, _) = doctor(&database, &[("COUNTINGHOUSE_REDIS_URL", &wrong)]);
    says(&found, "redis", false, "does not let us in");
    assert!(!format!("{found:?}").contains("hunter3"));
}

/// A process that runs on with the old key stores secrets under it after `rekey`.
#[tokio::test]
async fn doctor_finds_secrets_of_each_kind_that_rekey_has_not_seen() {
    const NEW: &str = "QkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkI=";
    let both = [("COUNTINGHOUSE_MASTER_KEY", NEW), ("COUNTINGHOUSE_MASTER_KEY_PREVIOUS", MASTER_KEY)];
    let own = both.map(|(name, value)| (name.to_owned(), value.to_owned()));
    on_both(async |server| {
        let database = &server.database;
        let rekey = || TestApp::command_on(database, &own, &["rekey"]).status;
        let master_key = |ok, said| says(&doctor(database, &both).0, "master key", ok, said);
        let (_, made) = server.account_of(&server.partner(), json!({})).await;
        let account = made["id"].as_str().unwrap();
        assert!(rekey().success());
        master_key(true, "can go");

        let owner = Browser::signed_in(&server, account).await;
        let set_up = [("action", "set_up_second_factor")];
        owner.submit("/dashboard/settings/security", &set_up).await.expect(200);
        master_key(false, "another key (second factors)");
        assert!(rekey().success());
        master_key(true, "can go");

        let hook = json!({"webhook_url": "https://93.184.215.14/hook", "external_id": "2"});
        server.account_of(&server.partner(), hook).await;
        master_key(false, "another key (signing secrets of webhooks)");
        assert!(rekey().success());
        master_key(true, "can go");

        let store = database.store().await;
        let account = AccountId::parse(account).unwrap();
        let mut tx = store.online_payments.begin(account).await.unwrap();
        let (id, key) = (GatewayAccountId::from_uuid(account.uuid()), SealedGatewaySecret(vec![1; 40]));
        let gateway = GatewayAccount::new(id, account, GatewayKind::Stripe, key, SystemClock.now());
        tx.online().put_gateway(&gateway).await.unwrap();
        tx.commit().await.unwrap();
        master_key(false, "another key (gateway secrets)");
    })
    .await;
}
