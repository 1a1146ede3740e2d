//! `cargo xtask seed` on an embedded database of its own.

#![expect(clippy::expect_used, reason = "a test that is wrong should stop there")]

use std::path::Path;
use std::process::{Command, Output};

fn seed(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["seed", "--accounts", "1", "--contacts", "1", "--invoices", "1"])
        .args(words)
        .current_dir(folder)
        .env_remove("DATABASE_URL")
        .env("COUNTINGHOUSE_DATA_DIR", folder.join("data"))
        .output()
        .expect("the binary starts")
}

#[track_caller]
fn refused(output: &Output, said: &str) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && errors.contains(said), "{errors}");
}

#[test]
fn file_of_keys_that_cannot_be_written_is_refused_before_anything_is_inserted() {
    let folder = tempfile::tempdir().unwrap();
    refused(&seed(folder.path(), &["--keys", "missing/keys"]), "cannot write missing/keys");
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

#[test]
fn the_same_seed_is_refused_and_the_keys_of_the_first_run_stay() {
    let folder = tempfile::tempdir().unwrap();
    let keys = || std::fs::read_to_string(folder.path().join("keys")).unwrap();
    let first = seed(folder.path(), &["--keys", "keys"]);
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    let kept = keys();
    assert_eq!(kept.lines().count(), 2);
    refused(&seed(folder.path(), &["--keys", "keys"]), "use another --seed");
    assert_eq!(keys(), kept);
    assert!(seed(folder.path(), &["--keys", "keys", "--seed", "2"]).status.success());
    assert_ne!(keys(), kept);
}
