//! A backup beside a running server, and what becomes of it.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use reqwest::Method;

use crate::harness::{Caller, Database, Server, invoice_body};

#[track_caller]
fn refused(output: &Output, said: &str) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains(said), "{said}: {errors}");
    assert!(output.stdout.is_empty());
}

#[track_caller]
fn done(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = folder.read_dir().unwrap().map(Result::unwrap);
    let mut names: Vec<_> = entries
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn at(folder: &tempfile::TempDir, name: &str) -> PathBuf {
    folder.path().join(name)
}

/// Raises invoices one after the other until it is time to stop; says which were acknowledged.
async fn raise(account: Caller, stop: Arc<AtomicBool>, raised: Arc<AtomicUsize>) -> Vec<String> {
    let mut ids = Vec::new();
    while !stop.load(Ordering::SeqCst) {
        let answer = account.post("/invoices", &invoice_body()).await.expect(201);
        ids.push(answer.text("id").to_owned());
        raised.fetch_add(1, Ordering::SeqCst);
    }
    ids
}

async fn until_more_than(raised: &AtomicUsize, count: usize) {
    while raised.load(Ordering::SeqCst) <= count {
        tokio::task::yield_now().await;
    }
}

/// Every invoice of an account as the list shows it, byte for byte, newest first.
async fn all(account: &Caller) -> Vec<String> {
    let mut cursor = String::new();
    let mut seen = Vec::new();
    loop {
        let page = account.get(&format!("/invoices?limit=100{cursor}")).await;
        let page = page.expect(200).body;
        seen.extend(
            page["data"]
                .as_array()
                .unwrap()
                .iter()
                .map(ToString::to_string),
        );
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return seen,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_beside_a_server_under_writes_is_one_moment_of_it() {
    let server = Server::start(Database::sqlite(), &[]).await;
    let account = server.account().await;
    let kept = account
        .post_once("/invoices", "before", &invoice_body())
        .await
        .expect(201);
    let (stop, raised) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicUsize::new(0)),
    );
    let writers: Vec<_> = (0..3)
        .map(|_| tokio::spawn(raise(account.clone(), stop.clone(), raised.clone())))
        .collect();
    until_more_than(&raised, 20).await;
    let acknowledged_before = raised.load(Ordering::SeqCst);

    let away = tempfile::tempdir().unwrap();
    let file = at(&away, "backup.db");
    let printed = server.command_json(&["backup", file.to_str().unwrap()]);
    let bytes = std::fs::metadata(&file).unwrap().len();
    assert_eq!(printed, serde_json::json!({"file": file, "bytes": bytes}));
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(names(away.path()), ["backup.db"]);
    // The writers go on.
    until_more_than(&raised, raised.load(Ordering::SeqCst)).await;
    stop.store(true, Ordering::SeqCst);
    for writer in writers {
        writer.await.unwrap();
    }

    let whole = std::fs::read(&file).unwrap();
    refused(
        &server.command(&["backup", file.to_str().unwrap()]),
        "is there already",
    );
    assert!(
        std::fs::read(&file).unwrap() == whole,
        "a backup is never written over"
    );

    let (new, settings) = (Database::sqlite(), []);
    let restored = Server::command_on(
        &new,
        &settings,
        &["restore", file.to_str().unwrap(), "--json"],
    );
    let restored: serde_json::Value = serde_json::from_str(&done(&restored)).unwrap();
    assert_eq!(restored, printed);
    let second = Server::start(new, &[]).await;
    let there = account.at(&second.base);
    let (now, then) = (all(&account).await, all(&there).await);
    // What was restored is the beginning of what the first server has, whole and in the same order.
    assert!(then.len() > acknowledged_before && then.len() <= now.len());
    assert_eq!(then, now[now.len() - then.len()..]);
    let replayed = there
        .post_once("/invoices", "before", &invoice_body())
        .await;
    assert_eq!(replayed.bytes, kept.bytes);
    let next = there.post("/invoices", &invoice_body()).await.expect(201);
    let number = format!("INV-{:04}", then.len() + 1);
    assert_eq!(next.text("invoice_number"), number);
}

#[tokio::test]
async fn a_restore_wants_the_database_for_itself_and_keeps_the_old_one() {
    let mut server = Server::start(Database::sqlite(), &[]).await;
    let account = server.account().await;
    let first = account.post("/invoices", &invoice_body()).await.expect(201);
    let away = tempfile::tempdir().unwrap();
    let file = at(&away, "backup.db");
    let words = ["restore", file.to_str().unwrap()];
    let said = done(&server.command(&["backup", file.to_str().unwrap()]));
    assert!(
        said.contains("master key") && said.contains("media"),
        "{said}"
    );
    let second = account.post("/invoices", &invoice_body()).await.expect(201);

    refused(&server.command(&words), "is in use: stop the service");
    account
        .get(&format!("/invoices/{}", second.text("id")))
        .await
        .expect(200);
    // Killed, it leaves its log behind, and what it acknowledged may be there alone.
    server.kill();
    let before = names(server.database.folder.path());
    assert!(
        before.contains(&"countinghouse.db-wal".to_owned()),
        "{before:?}"
    );
    let said = done(&server.command(&words));
    let aside = names(server.database.folder.path());
    let aside: Vec<_> = aside
        .iter()
        .filter(|name| name.contains("before-restore"))
        .collect();
    assert_eq!(aside.len(), 1, "{aside:?}");
    assert!(said.contains(aside[0].as_str()), "{said}");

    server.start_again();
    let account = account.at(&server.base);
    assert_eq!(all(&account).await.len(), 1);
    account
        .get(&format!("/invoices/{}", first.text("id")))
        .await
        .expect(200);
    // The way back: the old database is whole, with its log in it.
    server.kill();
    let old = server.database.folder.path().join(aside[0]);
    done(&server.command(&["restore", old.to_str().unwrap()]));
    server.start_again();
    let account = account.at(&server.base);
    account
        .get(&format!("/invoices/{}", second.text("id")))
        .await
        .expect(200);
}

#[tokio::test]
async fn what_cannot_be_restored_is_refused_before_anything_is_touched() {
    let mut server = Server::start(Database::sqlite(), &[]).await;
    server.account().await;
    let away = tempfile::tempdir().unwrap();
    let file = at(&away, "backup.db");
    done(&server.command(&["backup", file.to_str().unwrap()]));
    server.terminate();

    let good = std::fs::read(&file).unwrap();
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(at(&away, name), bytes).unwrap();
    };
    write("letter", b"To whom it may concern");
    write("cut", &good[..good.len() / 2]);
    write("logged", &good);
    write("logged-wal", b"what is not in it yet");
    let folder = server.database.folder.path().to_owned();
    let (files, database) = (
        names(&folder),
        std::fs::read(folder.join("countinghouse.db")).unwrap(),
    );
    for (name, said) in [
        ("letter", "no SQLite database"),
        ("cut", "damaged"),
        ("logged", "is no backup"),
        ("missing", "cannot copy"),
    ] {
        let path = at(&away, name);
        refused(&server.command(&["restore", path.to_str().unwrap()]), said);
    }
    let other = [(
        "COUNTINGHOUSE_MASTER_KEY".to_owned(),
        format!("{}=", "A".repeat(43)),
    )];
    let words = ["restore", file.to_str().unwrap()];
    let output = Server::command_on(&server.database, &other, &words);
    refused(&output, "master key does not fit");
    let none = [(
        "COUNTINGHOUSE_DATA_DIR".to_owned(),
        at(&away, "new").display().to_string(),
    )];
    let output = Server::command_without_master_key(&server.database, &none, &words);
    refused(&output, "there is no master key");
    assert_eq!(names(&folder), files);
    assert!(std::fs::read(folder.join("countinghouse.db")).unwrap() == database);
    assert!(!at(&away, "new").join("master.key").exists());
}

#[tokio::test]
async fn a_backup_of_nothing_is_refused_and_makes_nothing() {
    let database = Database::sqlite();
    let output = Server::command_on(&database, &[], &["backup", "b.db"]);
    refused(&output, "there is no database");
    assert!(names(database.folder.path()).is_empty());
}

#[tokio::test]
async fn postgres_is_backed_up_with_its_own_tools() {
    let Some(database) = Database::postgres() else {
        return;
    };
    let run = |words: &[&str]| Server::command_on(&database, &[], words);
    refused(&run(&["backup", "b.db"]), "pg_dump --format=custom");
    refused(&run(&["restore", "b.db"]), "pg_restore --clean");
}

#[tokio::test]
async fn a_backup_of_an_older_schema_is_brought_up_to_date_by_the_next_start() {
    let server = Server::start(Database::sqlite(), &[]).await;
    let away = tempfile::tempdir().unwrap();
    let file = at(&away, "backup.db");
    done(&server.command(&["backup", file.to_str().unwrap()]));
    let older = Database::sqlite();
    done(&Server::command_on(
        &older,
        &[],
        &["restore", file.to_str().unwrap()],
    ));
    let down = done(&Server::command_on(
        &older,
        &[],
        &["migrate", "down", "--json"],
    ));
    let down: serde_json::Value = serde_json::from_str(&down).unwrap();
    assert_eq!(down["pending"].as_array().unwrap().len(), 1);
    let again = at(&away, "older.db");
    done(&Server::command_on(
        &older,
        &[],
        &["backup", again.to_str().unwrap()],
    ));
    let newest = Database::sqlite();
    done(&Server::command_on(
        &newest,
        &[],
        &["restore", again.to_str().unwrap()],
    ));
    let server = Server::start(newest, &[]).await;
    let ready = server
        .anonymous()
        .send(Method::GET, "/health/ready", &[], None)
        .await;
    ready.expect(200);
}
