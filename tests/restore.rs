//! Restoring a backup, and backups that are refused before anything is changed.

use reqwest::Method;

use crate::backup::{all, at, done, names, refused};
use crate::test_app::{Database, TestApp, invoice_body};

#[tokio::test]
async fn restore_refuses_a_database_in_use_and_keeps_the_old_one() {
    let mut server = TestApp::start(Database::sqlite(), &[]).await;
    let account = server.account().await;
    let first = account.post("/invoices", &invoice_body()).await.expect(201);
    let away = tempfile::tempdir().unwrap();
    let file = at(&away, "backup.db");
    let words = ["restore", file.to_str().unwrap()];
    let said = done(&server.command(&["backup", file.to_str().unwrap()]));
    assert!(said.contains("master key") && said.contains("media"), "{said}");
    let second = account.post("/invoices", &invoice_body()).await.expect(201);

    refused(&server.command(&words), "is in use: stop the service");
    account.get(&format!("/invoices/{}", second.text("id"))).await.expect(200);
    // A killed service leaves the write-ahead log, which may be the only place of acknowledged records.
    server.kill();
    let before = names(server.database.folder.path());
    assert!(before.contains(&"countinghouse.db-wal".to_owned()), "{before:?}");
    let said = done(&server.command(&words));
    let aside = names(server.database.folder.path());
    let aside: Vec<_> = aside.iter().filter(|name| name.contains("before-restore")).collect();
    assert_eq!(aside.len(), 1, "{aside:?}");
    assert!(said.contains(aside[0].as_str()), "{said}");

    server.start_again();
    let account = account.at(&server.base);
    assert_eq!(all(&account).await.len(), 1);
    account.get(&format!("/invoices/{}", first.text("id"))).await.expect(200);
    // Restoring the old database: it is complete, including its log.
    server.kill();
    let old = server.database.folder.path().join(aside[0]);
    done(&server.command(&["restore", old.to_str().unwrap()]));
    server.start_again();
    let account = account.at(&server.base);
    account.get(&format!("/invoices/{}", second.text("id"))).await.expect(200);
}

#[tokio::test]
async fn restore_through_a_link_replaces_the_database_that_it_leads_to() {
    let mut server = TestApp::start(Database::sqlite(), &[]).await;
    let away = tempfile::tempdir().unwrap();
    let (file, target) = (at(&away, "backup.db"), at(&away, "countinghouse.db"));
    done(&server.command(&["backup", file.to_str().unwrap()]));
    server.terminate().await;
    let link = server.database.folder.path().join("countinghouse.db");
    std::fs::copy(&link, &target).unwrap();
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    done(&server.command(&["restore", file.to_str().unwrap()]));
    assert!(link.is_symlink());
    let beside = names(away.path());
    assert!(beside.iter().any(|name| name.contains("before-restore")), "{beside:?}");
}

#[tokio::test]
async fn restore_refuses_an_unusable_backup_before_any_change() {
    let mut server = TestApp::start(Database::sqlite(), &[]).await;
    server.account().await;
    let away = tempfile::tempdir().unwrap();
    let file = at(&away, "backup.db");
    done(&server.command(&["backup", file.to_str().unwrap()]));
    server.terminate().await;

    let good = std::fs::read(&file).unwrap();
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(at(&away, name), bytes).unwrap();
    };
    write("letter", b"To whom it may concern");
    write("cut", &good[..good.len() / 2]);
    write("logged", &good);
    write("logged-wal", b"what is not in it yet");
    let folder = server.database.folder.path().to_owned();
    let (files, database) = (names(&folder), std::fs::read(folder.join("countinghouse.db")).unwrap());
    for (name, said) in [
        ("letter", "no SQLite database"),
        ("cut", "damaged"),
        ("logged", "is no backup"),
        ("missing", "cannot copy"),
    ] {
        let path = at(&away, name);
        refused(&server.command(&["restore", path.to_str().unwrap()]), said);
    }
    refused(&server.command(&["restore", "/dev/null"]), "is no file");
    let other = [("COUNTINGHOUSE_MASTER_KEY".to_owned(), format!("{}=", "A".repeat(43)))];
    let words = ["restore", file.to_str().unwrap()];
    let output = TestApp::command_on(&server.database, &other, &words);
    refused(&output, "master key does not fit");
    let none = [("COUNTINGHOUSE_DATA_DIR".to_owned(), at(&away, "new").display().to_string())];
    let output = TestApp::command_without_master_key(&server.database, &none, &words);
    refused(&output, "there is no master key");
    let elsewhere = [("COUNTINGHOUSE_DATA_DIR".to_owned(), at(&away, "elsewhere").display().to_string())];
    let missing = ["restore", "missing"];
    refused(&TestApp::command_on(&server.database, &elsewhere, &missing), "cannot copy");
    assert_eq!(names(&folder), files);
    assert!(std::fs::read(folder.join("countinghouse.db")).unwrap() == database);
    assert!(!at(&away, "new").join("master.key").exists() && !at(&away, "elsewhere").exists());
}

#[tokio::test]
async fn the_next_start_migrates_a_restored_older_schema() {
    let server = TestApp::start(Database::sqlite(), &[]).await;
    let away = tempfile::tempdir().unwrap();
    let file = at(&away, "backup.db");
    done(&server.command(&["backup", file.to_str().unwrap()]));
    let older = Database::sqlite();
    done(&TestApp::command_on(&older, &[], &["restore", file.to_str().unwrap()]));
    let down = done(&TestApp::command_on(&older, &[], &["migrate", "down", "--json"]));
    let down: serde_json::Value = serde_json::from_str(&down).unwrap();
    assert_eq!(down["pending"].as_array().unwrap().len(), 1);
    let again = at(&away, "older.db");
    done(&TestApp::command_on(&older, &[], &["backup", again.to_str().unwrap()]));
    let newest = Database::sqlite();
    done(&TestApp::command_on(&newest, &[], &["restore", again.to_str().unwrap()]));
    let server = TestApp::start(newest, &[]).await;
    let ready = server.anonymous().send(Method::GET, "/health/ready", &[], None).await;
    ready.expect(200);
}
