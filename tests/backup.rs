//! A backup of a running server, and its restoration.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use store_diesel::MetadataKey;

use crate::test_app::{Caller, Database, TestApp, binary, invoice_body, until};

#[track_caller]
pub(crate) fn refused(output: &Output, said: &str) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains(said), "{said}: {errors}");
    assert!(output.stdout.is_empty());
}

#[track_caller]
pub(crate) fn done(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = folder.read_dir().unwrap().map(Result::unwrap);
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

pub(crate) fn at(folder: &tempfile::TempDir, name: &str) -> PathBuf {
    folder.path().join(name)
}

/// Creates invoices one after the other until it is stopped; returns the acknowledged ones.
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
    until("more invoices", async || (raised.load(Ordering::SeqCst) > count).then_some(())).await;
}

/// Every invoice of an account as the list shows it, byte for byte except for the server's own address,
/// newest first.
pub(crate) async fn all(account: &Caller) -> Vec<String> {
    let mut cursor = String::new();
    let mut seen = Vec::new();
    loop {
        let page = account.get(&format!("/invoices?limit=100{cursor}")).await;
        let page = page.expect(200).body;
        let shown = page["data"].as_array().unwrap().iter();
        seen.extend(shown.map(|invoice| invoice.to_string().replace(&account.base, "")));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return seen,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn backup_under_writes_is_consistent() {
    let server = TestApp::start(Database::sqlite(), &[]).await;
    let account = server.account().await;
    let kept = account.post_with_key("/invoices", "before", &invoice_body()).await.expect(201);
    let (stop, raised) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let writers: Vec<_> =
        (0..3).map(|_| tokio::spawn(raise(account.clone(), stop.clone(), raised.clone()))).collect();
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
    // The writers continue.
    until_more_than(&raised, raised.load(Ordering::SeqCst)).await;
    stop.store(true, Ordering::SeqCst);
    for writer in writers {
        writer.await.unwrap();
    }

    let whole = std::fs::read(&file).unwrap();
    refused(&server.command(&["backup", file.to_str().unwrap()]), "is there already");
    assert!(std::fs::read(&file).unwrap() == whole, "a backup is never written over");

    let (new, settings) = (Database::sqlite(), []);
    let restored = TestApp::command_on(&new, &settings, &["restore", file.to_str().unwrap(), "--json"]);
    let restored: serde_json::Value = serde_json::from_str(&done(&restored)).unwrap();
    assert_eq!(restored, printed);
    let second = TestApp::start(new, &[]).await;
    let there = account.at(&second.base);
    let (now, then) = (all(&account).await, all(&there).await);
    // The restored invoices are the first ones of the first server, complete and in the same order.
    assert!(then.len() > acknowledged_before && then.len() <= now.len());
    assert_eq!(then, now[now.len() - then.len()..]);
    let replayed = there.post_with_key("/invoices", "before", &invoice_body()).await;
    assert_eq!(replayed.bytes, kept.bytes);
    let next = there.post("/invoices", &invoice_body()).await.expect(201);
    let number = format!("INV-{:04}", then.len() + 1);
    assert_eq!(next.text("invoice_number"), number);
}

#[tokio::test]
async fn backup_of_a_missing_database_is_refused() {
    let database = Database::sqlite();
    let output = TestApp::command_on(&database, &[], &["backup", "b.db"]);
    refused(&output, "there is no database");
    assert!(names(database.folder.path()).is_empty());
}

/// A limit on the size of files stands for a full disk. The database is too large for SQLite's cache, so that
/// a part of the copy is written before it fails.
#[tokio::test]
async fn backup_that_fails_leaves_nothing_behind() {
    let database = Database::sqlite();
    let upkeep = database.store().await.upkeep;
    upkeep.migrate_up().await.unwrap();
    upkeep.set_metadata(MetadataKey::PublicUrl, &vec![0; 4 << 20]).await.unwrap();
    let away = tempfile::tempdir().unwrap();
    let limited = "trap '' XFSZ; ulimit -f 2000; exec \"$0\" backup b.db";
    let output = Command::new("sh")
        .args(["-c", limited])
        .arg(binary())
        .current_dir(away.path())
        .env("DATABASE_URL", &database.url)
        .output()
        .unwrap();
    refused(&output, "cannot copy");
    assert!(names(away.path()).is_empty(), "{:?}", names(away.path()));
}

#[tokio::test]
async fn postgres_is_backed_up_with_its_own_tools() {
    let Some(database) = Database::postgres() else {
        return;
    };
    let server = TestApp::start(database, &[]).await;
    refused(&server.command(&["backup", "b.db"]), "pg_dump --format=custom");
    refused(&server.command(&["restore", "b.db"]), "pg_restore --clean");
    let account = server.account().await;
    account.post("/invoices", &invoice_body()).await.expect(201);

    // The commands of docs/operation.md.
    let tool = |name| testkit::postgres::server().unwrap().tool(name);
    let (dump, restore) = (tool("pg_dump").expect("pg_dump"), tool("pg_restore").expect("pg_restore"));
    let away = tempfile::tempdir().unwrap();
    let file = at(&away, "countinghouse.dump");
    let file = file.to_str().unwrap();
    let new = Database::empty_postgres().unwrap();
    done(
        &Command::new(dump)
            .args(["--format=custom", &format!("--file={file}"), &server.database.url])
            .output()
            .unwrap(),
    );
    done(
        &Command::new(restore)
            .args(["--clean", "--if-exists", "--no-owner", "--exit-on-error", "--single-transaction"])
            .args([&format!("--dbname={}", new.url), file])
            .output()
            .unwrap(),
    );
    let second = TestApp::start(new, &[]).await;
    let (now, then) = (all(&account).await, all(&account.at(&second.base)).await);
    assert_eq!((now.len(), &now), (1, &then));
}
