//! `cargo xtask seed` on an embedded database of its own.

#![expect(clippy::expect_used, reason = "a test that is wrong should stop there")]

use std::path::Path;
use std::process::{Command, Output};

fn command(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let numbers = ["--accounts", "--contacts", "--invoices"].into_iter().filter(|name| !words.contains(name));
    command.arg("seed").args(numbers.flat_map(|name| [name, "1"])).args(words);
    command.current_dir(folder).env_remove("DATABASE_URL");
    command.env("COUNTINGHOUSE_DATA_DIR", folder.join("data"));
    command
}

fn seed(folder: &Path, words: &[&str]) -> Output {
    command(folder, words).output().expect("the binary starts")
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
fn numbers_that_do_not_fit_are_refused_before_a_database_is_made() {
    let folder = tempfile::tempdir().unwrap();
    for (words, said) in
        [(["--accounts", "0"], "at least one account"), (["--contacts", "0"], "at least 1 contacts")]
    {
        refused(&seed(folder.path(), &words), said);
    }
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

#[test]
fn file_that_is_filled_is_named_as_the_url_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("other.db");
    let mut command = command(folder.path(), &[]);
    let filled = command.env("DATABASE_URL", format!("sqlite://{}", file.display())).output().unwrap();
    let errors = String::from_utf8_lossy(&filled.stderr);
    assert!(errors.contains(&format!("Filling the embedded database {}.", file.display())), "{errors}");
    assert!(filled.status.success() && file.exists(), "{errors}");
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
