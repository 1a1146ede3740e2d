//! The operator's commands, beside a running server.

use serde_json::{Map, Value, json};

use crate::escalations::raise;
use crate::test_app::{Browser, Database, TestApp, binary, hidden, invoice_body, on_both};

/// The records of an export of an account, each with its kind.
pub(crate) fn exported(server: &TestApp, account: &str) -> Vec<(String, Value)> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("account.jsonl");
    server.command_json(&["account", "export", account, file.to_str().unwrap()]);
    let text = std::fs::read_to_string(&file).unwrap();
    let record = |line| {
        let object: Map<String, Value> = serde_json::from_str(line).unwrap();
        assert_eq!(object.len(), 1, "{line}");
        object.into_iter().next().unwrap()
    };
    text.lines().map(record).collect()
}

/// The records of one kind in an export.
pub(crate) fn of_kind<'a>(records: &'a [(String, Value)], kind: &str) -> Vec<&'a Value> {
    records.iter().filter(|(its, _)| its == kind).map(|(_, record)| record).collect()
}

#[tokio::test]
async fn partners_are_created_listed_disabled_and_enabled() {
    on_both(async |server| {
        let made = server.command_json(&["partner", "create", "--name", " Acme "]);
        let id = made["partner_id"].as_str().unwrap();
        assert_eq!(made["name"], "Acme");
        let listed = server.command_json(&["partner", "list"]);
        let partner = listed.as_array().unwrap().iter().find(|partner| partner["partner_id"] == id).unwrap();
        assert_eq!((&partner["name"], &partner["status"]), (&json!("Acme"), &json!("active")));
        assert!(partner["created_at"].as_str().unwrap().ends_with('Z'));
        let disabled = server.command(&["partner", "disable", id]);
        assert_eq!(String::from_utf8(disabled.stdout).unwrap(), "Acme is inactive now\n");
        let logged = String::from_utf8(disabled.stderr).unwrap();
        assert!(logged.contains("INFO") && logged.contains(&format!("partner_id={id}")), "{logged}");
        assert_eq!(server.command_json(&["partner", "disable", id])["status"], "inactive");
        assert_eq!(server.command_json(&["partner", "enable", id])["status"], "active");
        let old = server.with_key(made["partner_key"].as_str().unwrap());
        old.get("/partner/accounts").await.expect(200);
        let rotated = server.command_json(&["partner", "rotate-key", id]);
        assert_eq!(rotated["partner_id"], id);
        old.get("/partner/accounts").await.refused(401, "INVALID_API_KEY");
        server.with_key(rotated["partner_key"].as_str().unwrap()).get("/partner/accounts").await.expect(200);
    })
    .await;
}

#[tokio::test]
async fn accounts_are_shown_as_the_partner_api_shows_them() {
    on_both(async |server| {
        let made = server.command_json(&["partner", "create", "--name", "P"]);
        let (partner_id, partner) =
            (made["partner_id"].as_str().unwrap(), server.with_key(made["partner_key"].as_str().unwrap()));
        let (_, account) = server.account_of(&partner, json!({"external_id": "e"})).await;
        let id = account["id"].as_str().unwrap();
        let read = partner.get(&format!("/partner/accounts/{id}")).await.expect(200).body;
        let shown = server.command_json(&["account", "show", id]);
        for (name, value) in read.as_object().unwrap() {
            assert_eq!(&shown[name], value, "{name}");
        }
        assert_eq!(shown["partner_id"], partner_id);
        assert_eq!(
            server.command_json(&["account", "list", "--partner", partner_id]).as_array().unwrap().len(),
            1
        );
        let unknown = "019aa1b2-0000-7000-8000-0123456789ab";
        for words in [
            &["account", "list", "--partner", unknown][..],
            &["reminder", "why", "--account", id, "--invoice", unknown],
        ] {
            let refused = server.command(words);
            let said = String::from_utf8_lossy(&refused.stderr);
            assert!(refused.status.code() == Some(1) && said.contains("no such"), "{words:?}: {said}");
        }
        assert_eq!(
            server.command_json(&["account", "set-invoice-limit", id, "7"])["monthly_invoice_limit"],
            7
        );
        assert_eq!(
            server.command_json(&["account", "set-message-limit", id, "9"])["monthly_message_limit"],
            9
        );
        let switched = |action| {
            let shown = server.command_json(&["account", action, id]);
            (shown["status"].as_str().unwrap().to_owned(), shown["switched_off_by"].clone())
        };
        let (active, inactive) = ("active".to_owned(), "inactive".to_owned());
        assert_eq!(switched("disable"), (inactive.clone(), json!(["operator"])));
        partner.delete(&format!("/partner/accounts/{id}")).await.expect(200);
        assert_eq!(switched("show"), (inactive.clone(), json!(["partner", "operator"])));
        let text = String::from_utf8(server.command(&["account", "show", id]).stdout).unwrap();
        assert!(text.contains("inactive: switched off by the partner and by the operator\n"), "{text}");
        assert_eq!(switched("enable"), (inactive, json!(["partner"])));
        let on = json!({"status": "active"});
        partner.patch(&format!("/partner/accounts/{id}"), &on).await.expect(200);
        assert_eq!(switched("show"), (active, json!([])));
    })
    .await;
}

#[tokio::test]
async fn account_is_exported_whole_and_without_secrets_or_other_accounts() {
    on_both(async |server| {
        let partner = server.partner();
        let (account, made) = server.account_of(&partner, json!({})).await;
        let (other, _) = server.account_of(&partner, json!({})).await;
        other.post("/invoices", &invoice_body()).await.expect(201);
        let id = made["id"].as_str().unwrap();
        let invoices: Vec<_> = (0..3).collect();
        for _ in &invoices {
            account.post("/invoices", &invoice_body()).await.expect(201);
        }
        raise(&server, id, &[]);
        let endpoint = ["webhook", "add", "--account", id, "--url", "https://receiver.example.com/hook"];
        let added = server.command_json(&[&endpoint[..], &["--events", "invoice.payment_recorded"]].concat());
        let owner = Browser::signed_in(&server, id).await;
        let iban = "DE89370400440532013000";
        let details =
            [("currency", "EUR"), ("kind", "iban"), ("holder", "Acme"), ("iban", iban), ("bic", "")];
        let form = [&[("action", "save")][..], &details].concat();
        owner.submit("/dashboard/settings/payments", &form).await.expect(303);
        server.command_json(&["reminder", "policy", "--account", id, "--promise-days", "9"]);
        let notices = "/dashboard/settings/notifications";
        let version = hidden(&owner.get(notices).await.expect(200), "version");
        let kept = ["escalations", "abandoned_deliveries", "online_payments", "unread_messages"];
        let kept = kept.map(|kind| ("notices", kind));
        owner.submit(notices, &[&[("version", &*version)], &kept[..]].concat()).await.expect(303);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("account.jsonl");
        let words = ["account", "export", id, file.to_str().unwrap()];
        let printed = server.command_json(&words);
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(printed["bytes"], text.len());
        let count =
            |kind: &str| text.lines().filter(|line| line.starts_with(&format!("{{\"{kind}\":"))).count();
        let counts = ["account", "contact", "invoice", "escalation"].map(count);
        assert_eq!(counts, [1, 1, invoices.len(), 1], "{text}");
        let records = exported(&server, id);
        let only = |kind| match of_kind(&records, kind).as_slice() {
            [record] => (*record).clone(),
            several => panic!("{kind}: {several:?}"),
        };
        let listed = server.command_json(&["webhook", "list", "--account", id]);
        assert_eq!(json!([only("webhook_endpoint")]), listed);
        assert_eq!(only("bank_details")["details"]["iban"], iban);
        let payments = json!({"minimum_percent": 100, "unapplied": "return", "promise_days": 9});
        assert_eq!(only("payment_settings"), payments);
        assert_eq!(only("notices"), json!({"switched_off": ["refunds", "bounces"]}));
        let policy = server.command_json(&["reminder", "policy", "--account", id]);
        assert_eq!(only("reminder_policy"), policy);
        let audit = server.command_json(&["audit", "list", "--account", id]);
        assert_eq!(json!(of_kind(&records, "audit_entry")), audit);
        assert!(!text.contains(added["signing_secret"].as_str().unwrap()), "no signing secret");
        let shown = account.get("/invoices?limit=1").await.expect(200);
        let newest = shown.body["data"][0].clone();
        let exported = text.lines().find(|line| line.starts_with("{\"invoice\":")).unwrap();
        assert_eq!(serde_json::from_str::<Value>(exported).unwrap()["invoice"], newest);
        assert!(!text.contains(account.key.as_deref().unwrap()), "no key");
        assert!(!server.command(&words).status.success(), "a file that is there is not replaced");
    })
    .await;
}

#[tokio::test]
async fn usage_errors_print_one_line_and_a_status() {
    on_both(async |server| {
        let unknown = "019aa1b2-0000-7000-8000-0123456789ab";
        for (words, status, said) in [
            (vec!["account", "show", unknown], 1, "no account with this id"),
            (vec!["partner", "disable", unknown], 1, "no partner with this id"),
            (vec!["account", "show", "7"], 2, "must be a UUID"),
            (vec!["account", "set-currency", unknown, "XXX"], 2, "ISO 4217"),
            (vec!["account", "set-invoice-limit", unknown, "many"], 2, "whole number"),
            (vec!["partner", "create", "--name", " "], 2, "empty"),
            (vec!["partner", "create"], 2, "--name"),
            (vec!["no-such-command"], 2, "no-such-command"),
        ] {
            let output = server.command(&words);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(status), "{words:?} {errors}");
            assert!(errors.contains(said) && output.stdout.is_empty(), "{words:?} {errors}");
        }
    })
    .await;
}

#[tokio::test]
async fn migrations_go_up_and_down() {
    let run = |database: &Database, words: &[&str]| {
        let output = std::process::Command::new(binary())
            .args(words)
            .env("DATABASE_URL", &database.url)
            .output()
            .expect("the binary starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).expect("one JSON value")
    };
    for database in [Some(Database::sqlite()), Database::empty_postgres()].into_iter().flatten() {
        if let Some(file) = database.url.strip_prefix("sqlite://") {
            std::fs::write(file, "").unwrap();
        }
        let before = run(&database, &["migrate", "status", "--json"]);
        assert_eq!(before["applied"], json!([]));
        let names = before["pending"].clone();
        assert!(names.as_array().is_some_and(|names| !names.is_empty()));
        let up = run(&database, &["migrate", "--json"]);
        assert_eq!((&up["applied"], &up["pending"]), (&names, &json!([])));
        let down = run(&database, &["migrate", "down", "--json"]);
        assert_eq!(down["pending"].as_array().unwrap().len(), 1);
        assert_eq!(run(&database, &["migrate", "up", "--json"])["applied"], names);
    }
}

#[test]
fn migrate_status_and_down_of_a_missing_file_are_refused_and_make_none() {
    let folder = tempfile::tempdir().unwrap();
    for direction in ["status", "down"] {
        let output = std::process::Command::new(binary())
            .args(["migrate", direction])
            .current_dir(folder.path())
            .env_remove("DATABASE_URL")
            .output()
            .expect("the binary starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains("there is no database at data/countinghouse.db"), "{errors}");
        assert_eq!(output.status.code(), Some(1));
    }
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

#[test]
fn migrations_of_a_newer_version_are_named_and_not_reverted() {
    let Some(database) = Database::postgres() else { return };
    let psql = testkit::postgres::server().and_then(|server| server.tool("psql")).expect("psql");
    let newer = "INSERT INTO __diesel_schema_migrations (version) VALUES ('0099')";
    let applied = std::process::Command::new(psql).args([&*database.url, "-c", newer]).output().unwrap();
    assert!(applied.status.success(), "{applied:?}");
    let said = "0099 were applied by a newer version of Countinghouse: install that version here too";
    for direction in ["up", "status"] {
        let output = TestApp::command_on(&database, &[], &["migrate", direction]);
        let shown = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && shown.ends_with(&format!("applied  0099\n{said}\n")), "{shown}");
    }
    let down = TestApp::command_on(&database, &[], &["migrate", "down"]);
    let errors = String::from_utf8_lossy(&down.stderr);
    assert!(!down.status.success() && errors.contains(said), "{errors}");
}

#[test]
fn migrate_of_postgres_makes_no_files() {
    let Some(database) = Database::empty_postgres() else { return };
    let folder = tempfile::tempdir().unwrap();
    let output = std::process::Command::new(binary())
        .arg("migrate")
        .current_dir(folder.path())
        .env("DATABASE_URL", &database.url)
        .output()
        .expect("the binary starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

#[tokio::test]
async fn the_first_start_prints_working_keys_and_commands() {
    let mut server = TestApp::start(Database::sqlite(), &[]).await;
    let text = server.stop_and_read_output().await;
    let commands: Vec<_> = text.lines().filter(|line| line.starts_with("curl")).map(str::to_owned).collect();
    assert!(commands.len() >= 3, "{text}");
    let before = server.base.clone();
    server.start_again();
    for command in commands {
        // The second start got another port; everything else is as printed.
        let command = command.replace(&before, &server.base);
        let output = std::process::Command::new("sh")
            .args(["-c", &format!("{command} -f")])
            .output()
            .expect("a shell");
        assert!(output.status.success(), "{command}\n{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).expect("an answer in JSON");
    }
    let printed = server.stop_and_read_output().await;
    assert_eq!(printed, format!("Dashboard: {}/dashboard\n", server.base), "keys are printed once");
}

#[tokio::test]
async fn first_start_whose_output_is_closed_serves_and_logs_how_to_make_keys() {
    let mut server = TestApp::start_with_closed_output(Database::sqlite());
    let log = server.until_logged("partner rotate-key", 1).await;
    assert!(!log.contains("ct_live_") && !log.contains("ct_partner_"), "{log}");
    let partners = server.command_json(&["partner", "list"]);
    let rotated =
        server.command_json(&["partner", "rotate-key", partners[0]["partner_id"].as_str().unwrap()]);
    let partner = server.with_key(rotated["partner_key"].as_str().unwrap());
    partner.get("/partner/accounts").await.expect(200);
    assert!(server.terminate().await.success());
}

#[tokio::test]
async fn command_that_finds_nothing_to_change_leaves_no_transaction_open() {
    let Some(postgres) = testkit::postgres::server_of_its_own() else {
        return;
    };
    let server = TestApp::start(Database::on(&postgres), &[]).await;
    let (account, made) = server.account_of(&server.partner(), json!({})).await;
    let invoice = account.post("/invoices", &invoice_body()).await.expect(201).body;
    let which = ["--account", made["id"].as_str().unwrap(), "--invoice", invoice["id"].as_str().unwrap()];
    let command = [&["reminder", "pause"][..], &which, &["--until", "none"]].concat();
    // A single process often ends after the roll-back anyway; of many at once, some would not.
    std::thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| server.command_json(&command));
        }
    });
    let log = postgres.log();
    assert!(!log.contains("with an open transaction"), "{log}");
}

#[tokio::test]
async fn command_whose_output_is_lost_fails_only_where_it_changes_something() {
    let server = TestApp::start(Database::sqlite(), &[]).await;
    let partners = server.command_json(&["partner", "list"]);
    let partner = partners[0]["partner_id"].as_str().unwrap();
    let rotated = server.command_with_closed_output(&["partner", "rotate-key", partner]);
    let said = String::from_utf8(rotated.stderr).unwrap();
    assert_eq!(rotated.status.code(), Some(1), "{said}");
    assert!(said.contains("replace a key that it made with `rotate-key`"), "{said}");
    let account = server.command_json(&["account", "list"])[0]["id"].as_str().unwrap().to_owned();
    let policy = ["reminder", "policy", "--account", &account];
    for read in [
        &["partner", "list"][..],
        &["account", "show", &account],
        &["migrate", "status"],
        &["openapi"],
        &policy,
    ] {
        let shown = server.command_with_closed_output(read);
        assert!(shown.status.success() && shown.stderr.is_empty(), "{read:?}: {shown:?}");
    }
    let changed = server.command_with_closed_output(&[&policy[..], &["--start"]].concat());
    assert_eq!(changed.status.code(), Some(1), "{changed:?}");
}

#[test]
fn the_committed_openapi_document_is_the_one_that_the_code_makes() {
    let output = std::process::Command::new(binary()).arg("openapi").output().expect("the binary starts");
    let committed = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../openapi.json"))
        .unwrap_or_default();
    let made = String::from_utf8(output.stdout).expect("text");
    assert!(made == committed, "openapi.json is stale: run `cargo xtask openapi`");
}
