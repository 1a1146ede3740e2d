//! The file of the embedded database: copied during writes, and inspected.

use std::path::Path;

use store_diesel::{EmbeddedFile, FileError};

use crate::database::{on_sqlite, open};
use crate::fixtures::{OPERATOR, partner, tenant};

fn inspect(path: &Path) -> Result<store_diesel::Findings, FileError> {
    EmbeddedFile::at(path).inspect()
}

#[test]
fn a_copy_is_whole_and_nobody_is_held_up_meanwhile() {
    on_sqlite(async |db| {
        let store = &db.store;
        let key = store_diesel::MetadataKey::MasterKeyCheck;
        store.upkeep.metadata_or_insert(key, &[7]).await.unwrap();
        partner(store).await;
        let file = EmbeddedFile::of(&db.url).unwrap();
        let target = file.path().with_file_name("it's a copy.db");
        // The copy leaves out a transaction that is open while it is made, and does not wait for it.
        let account = tenant(store).await.id;
        let mut tx = store.invoicing.begin(account).await.unwrap();
        tx.jobs().queue(crate::jobs::job_of(account)).await.unwrap();
        file.copy_to(&target).unwrap();
        tx.commit().await.unwrap();

        let findings = inspect(&target).unwrap();
        assert_eq!(findings.master_key_check, Some(vec![7]));
        assert!(findings.migrations.pending.is_empty());
        assert_eq!(findings.migrations.newer().count(), 0);
        let copy = open(&format!("sqlite://{}", target.display())).await;
        let partners = copy.operator.partners(OPERATOR).await.unwrap();
        assert!(!partners.is_empty());
        assert!(crate::jobs::lease(&copy, crate::fixtures::NOW, 10).await.is_empty());
        // A copy never overwrites a file.
        assert!(matches!(file.copy_to(&target), Err(FileError::Failed(_))));
    });
}

#[test]
fn foreign_or_damaged_database_file_is_recognised() {
    on_sqlite(async |db| {
        let file = EmbeddedFile::of(&db.url).unwrap();
        let at = |name: &str| file.path().with_file_name(name);
        std::fs::write(at("text"), "a letter to the bank").unwrap();
        assert!(matches!(inspect(&at("text")), Err(FileError::NoDatabase)));
        std::fs::write(at("empty"), "").unwrap();
        assert!(matches!(inspect(&at("empty")), Err(FileError::NoDatabase)));
        assert!(matches!(inspect(&at("none")), Err(FileError::Failed(_))));

        for _ in 0..50 {
            tenant(&db.store).await;
        }
        file.copy_to(&at("copy")).unwrap();
        let whole = std::fs::read(at("copy")).unwrap();
        std::fs::write(at("cut"), &whole[..whole.len() / 2]).unwrap();
        assert!(matches!(inspect(&at("cut")), Err(FileError::Damaged(_))));

        db.execute("DROP TABLE invoices").await;
        file.copy_to(&at("foreign")).unwrap();
        let foreign = inspect(&at("foreign"));
        assert!(matches!(foreign, Err(FileError::Foreign("invoices"))));
    });
}

#[test]
fn steps_of_a_newer_version_are_seen() {
    on_sqlite(async |db| {
        db.execute("INSERT INTO __diesel_schema_migrations (version) VALUES ('9999')").await;
        let migrations = db.store.upkeep.migrations().await.unwrap();
        assert_eq!(migrations.newer().collect::<Vec<_>>(), ["9999"]);
        assert!(migrations.pending.is_empty());
    });
}

#[test]
fn write_ahead_log_is_merged_unless_the_database_is_open() {
    on_sqlite(async |db| {
        let file = EmbeddedFile::of(&db.url).unwrap();
        assert!(file.merge_log().is_err(), "the store has it open");
        let alone = file.path().with_file_name("alone.db");
        file.copy_to(&alone).unwrap();
        EmbeddedFile::at(&alone).merge_log().unwrap();
    });
}

#[test]
fn a_server_is_no_file() {
    assert!(EmbeddedFile::of("postgres://h/x").is_none());
}
