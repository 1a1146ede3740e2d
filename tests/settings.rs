//! A refused start reports its reason in one line, and serves nothing.

use std::process::{Command, Output};

use crate::test_app::{Database, MASTER_KEY, TestApp, binary};

pub(crate) fn start(database: &Database, settings: &[(&str, &str)]) -> Output {
    Command::new(binary())
        .arg("serve")
        .current_dir(database.folder.path())
        .env_clear()
        .env("DATABASE_URL", &database.url)
        .env("COUNTINGHOUSE_LISTEN", "127.0.0.1:0")
        .env("RUST_LOG", "off")
        .envs(settings.iter().copied())
        .output()
        .expect("the binary starts")
}

#[track_caller]
pub(crate) fn refused(output: &Output, said: &str) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert_eq!(errors.trim_end().lines().count(), 1, "{errors}");
    assert!(errors.contains(said), "{said}: {errors}");
}

#[test]
fn unknown_and_malformed_settings_refuse_the_start() {
    let database = Database::sqlite();
    for (name, value) in [
        ("COUNTINGHOUSE_LISTEM", "127.0.0.1:1"),
        ("COUNTINGHOUSE_WORKER_INTERVAL", "60"),
        ("COUNTINGHOUSE_REDIS_URL", "nonsense"),
        ("COUNTINGHOUSE_REDIS_URL", "redis://"),
        ("COUNTINGHOUSE_REDIS_URL", "redis://localhost/first"),
        ("COUNTINGHOUSE_EXTRA_CA_FILE", "/nonexistent"),
        ("COUNTINGHOUSE_XERO_CLIENT_ID", "alone"),
        ("COUNTINGHOUSE_ADMIN_LISTEN", "9090"),
        ("COUNTINGHOUSE_OTLP_ENDPOINT", "127.0.0.1:4318"),
    ] {
        refused(&start(&database, &[(name, value)]), name);
    }
    std::fs::write(database.folder.path().join("countinghouse.toml"), "listen_on = 1\n").unwrap();
    refused(&start(&database, &[]), "listen_on");
}

#[test]
fn every_fault_is_reported_before_anything_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let output = Command::new(binary())
        .arg("serve")
        .current_dir(folder.path())
        .env_clear()
        .envs([
            ("COUNTINGHOUSE_MASTER_KEY", "c2hvcnQ="),
            ("COUNTINGHOUSE_SMTP_URL", "http://x"),
            ("COUNTINGHOUSE_MAIL_FROM", "nobody"),
        ])
        .output()
        .expect("the binary starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    for name in ["COUNTINGHOUSE_MASTER_KEY", "COUNTINGHOUSE_SMTP_URL", "COUNTINGHOUSE_MAIL_FROM"] {
        let lines = errors.lines().filter(|line| line.contains(name));
        assert_eq!(lines.count(), 1, "{name}: {errors}");
    }
    assert!(!data.exists(), "no data directory was made");
}

/// Starts on a database and expects the keys of a first start.
async fn shows_first_keys(database: Database) {
    let mut server = TestApp::start(database, &[]).await;
    let shown = server.stop_and_read_output().await;
    assert!(shown.contains("partner key  ct_partner_") && shown.contains("account key  ct_live_"), "{shown}");
}

#[tokio::test]
async fn start_refused_for_its_authorities_creates_nothing_and_the_next_one_shows_the_first_keys() {
    let database = Database::sqlite();
    let folder = database.folder.path();
    let authorities = folder.join("ca.pem");
    std::fs::write(&authorities, "not PEM").unwrap();
    let data = folder.join("data");
    let settings = [
        ("COUNTINGHOUSE_DATA_DIR", data.to_str().unwrap()),
        ("COUNTINGHOUSE_EXTRA_CA_FILE", authorities.to_str().unwrap()),
    ];
    refused(&start(&database, &settings), "COUNTINGHOUSE_EXTRA_CA_FILE");
    assert!(!data.exists() && !folder.join("countinghouse.db").exists(), "nothing was opened");
    shows_first_keys(database).await;
}

#[tokio::test]
async fn start_that_fails_late_creates_no_keys_and_the_next_one_shows_them() {
    let database = Database::sqlite();
    let folder = database.folder.path();
    // The folder of mail is made when the workers are built, long after the database was opened.
    let obstacle = folder.join("mail");
    std::fs::write(&obstacle, "").unwrap();
    let settings =
        [("COUNTINGHOUSE_DATA_DIR", folder.to_str().unwrap()), ("COUNTINGHOUSE_MASTER_KEY", MASTER_KEY)];
    refused(&start(&database, &settings), "mail cannot be made");
    std::fs::remove_file(obstacle).unwrap();
    shows_first_keys(database).await;
}

#[test]
fn folder_of_logos_that_cannot_be_made_is_reported_with_the_setting_of_the_data_directory() {
    let database = Database::sqlite();
    std::fs::write(database.folder.path().join("media"), "").unwrap();
    let data = database.folder.path().to_str().unwrap();
    refused(
        &start(&database, &[("COUNTINGHOUSE_DATA_DIR", data)]),
        "COUNTINGHOUSE_DATA_DIR: cannot keep logos in",
    );
}

#[test]
fn a_malformed_redis_address_is_named_and_not_repeated() {
    let database = Database::sqlite();
    for url in ["redis://:hunter2@host:port", "rediss://:hunter2@host/#insecure", "hunter2"] {
        let output = start(&database, &[("COUNTINGHOUSE_REDIS_URL", url)]);
        refused(&output, "COUNTINGHOUSE_REDIS_URL");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!errors.contains("hunter2"), "{errors}");
    }
}

#[test]
fn another_master_key_is_refused() {
    let database = Database::sqlite();
    let key = |letter: &str| format!("{}=", letter.repeat(43));
    // The first start records the first key, although it fails for another reason: its port is in use.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = taken.local_addr().unwrap().to_string();
    let first =
        start(&database, &[("COUNTINGHOUSE_MASTER_KEY", &key("A")), ("COUNTINGHOUSE_LISTEN", &listen)]);
    refused(&first, "COUNTINGHOUSE_LISTEN");
    refused(&start(&database, &[("COUNTINGHOUSE_MASTER_KEY", &key("E"))]), "does not fit");
}

#[test]
fn postgres_requires_a_schema_and_a_master_key() {
    let Some(database) = Database::empty_postgres() else {
        return;
    };
    refused(&start(&database, &[]), "countinghouse migrate");
    refused(&start(&database, &[("COUNTINGHOUSE_MIGRATE_ON_START", "true")]), "COUNTINGHOUSE_MASTER_KEY");
    // An address on which nothing listens.
    refused(&start(&database, &[("DATABASE_URL", "postgres://nobody@127.0.0.1:1/x")]), "database");
}

#[test]
fn missing_master_key_of_a_used_database_is_not_replaced_by_a_new_one() {
    let database = Database::sqlite();
    // Both starts fail, so that they end: the port is in use.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = taken.local_addr().unwrap().to_string();
    let data = database.folder.path().join("data");
    let settings =
        [("COUNTINGHOUSE_DATA_DIR", data.to_str().unwrap()), ("COUNTINGHOUSE_LISTEN", listen.as_str())];
    refused(&start(&database, &settings), "COUNTINGHOUSE_LISTEN");
    let key = data.join("master.key");
    std::fs::remove_file(&key).unwrap();
    refused(&start(&database, &settings), "there is no master key");
    assert!(!key.exists());
}

#[test]
fn serve_help_lists_every_setting() {
    let output = Command::new(binary()).args(["serve", "--help"]).output().expect("the binary starts");
    let help = String::from_utf8(output.stdout).unwrap();
    for name in ["DATABASE_URL", "COUNTINGHOUSE_LISTEN", "COUNTINGHOUSE_PAYMENT_TERMS_DAYS", "RUST_LOG"] {
        assert!(help.contains(name), "{name}: {help}");
    }
}

#[cfg(not(feature = "s3"))]
#[test]
fn a_bucket_requires_the_feature_s3() {
    let database = Database::sqlite();
    let bucket = ("COUNTINGHOUSE_MEDIA_URL", "s3://logos/of-ours");
    refused(&start(&database, &[bucket]), "COUNTINGHOUSE_MEDIA_URL: names a bucket");
    refused(&start(&database, &[bucket]), "--features s3");
}
