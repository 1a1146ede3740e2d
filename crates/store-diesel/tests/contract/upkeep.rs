//! Migrations, the check of the master key, pings.

use diesel_async::{AsyncConnection as _, AsyncPgConnection, SimpleAsyncConnection as _};
use futures_util::future::join_all;
use kernel::StoreError;
use store_diesel::{DatabaseKind, MetadataKey, Migrations, Store};

use crate::database::{on_both, on_postgres, open, runtime};
use crate::fixtures::partner;

/// The names of all migrations, in order.
fn names() -> Vec<String> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations");
    let mut names = Vec::new();
    for database in ["both", "postgres"] {
        let entries = std::fs::read_dir(folder.join(database)).unwrap();
        let entries = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.extend(entries.filter(|name| !name.starts_with('.')));
    }
    names.sort();
    names
}

/// Runs a test on databases without any migration.
fn on_both_empty(test: impl AsyncFn(&Store, &str)) {
    runtime().block_on(async {
        let (_guard, url) = testkit::sqlite::temporary();
        test(&open(&url).await, &url).await;
    });
    let Some(server) = testkit::postgres::server() else {
        return;
    };
    let url = server.create_database();
    runtime().block_on(async { test(&open(&url).await, &url).await });
}

fn migrations(applied: &[String], pending: &[String]) -> Migrations {
    Migrations { applied: applied.to_vec(), pending: pending.to_vec() }
}

#[test]
fn migrations_are_applied_reverted_and_applied_again() {
    on_both_empty(async |store, _| {
        let (upkeep, names) = (&store.upkeep, names());
        assert_eq!(upkeep.migrations().await.unwrap(), migrations(&[], &names));
        for _ in 0..2 {
            let up = upkeep.migrate_up().await.unwrap();
            assert_eq!(up, migrations(&names, &[]));
            assert_eq!(upkeep.migrate_up().await.unwrap(), up);
            partner(store).await;
            for left in (0..names.len()).rev() {
                let down = upkeep.migrate_down().await.unwrap();
                assert_eq!(down, migrations(&names[..left], &names[left..]));
            }
            let down = upkeep.migrate_down().await.unwrap();
            assert_eq!(down, migrations(&[], &names));
        }
    });
}

#[test]
fn several_processes_may_migrate_at_once() {
    on_both_empty(async |_, url| {
        let ups = (0..4).map(async |_| open(url).await.upkeep.migrate_up().await.unwrap());
        for up in join_all(ups).await {
            assert_eq!(up, migrations(&names(), &[]));
        }
    });
}

/// What waits for a table makes all that comes later wait behind it.
#[test]
fn migration_waits_for_a_long_writer_and_blocks_nobody_meanwhile() {
    on_postgres(async |db| {
        let connect = async || AsyncPgConnection::establish(&db.url).await.unwrap();
        let (mut writer, mut other) = (connect().await, connect().await);
        let upkeep = &db.store.upkeep;
        let references_invoices = |name: &String| name.ends_with("_communications");
        while upkeep.migrations().await.unwrap().applied.iter().any(references_invoices) {
            upkeep.migrate_down().await.unwrap();
        }
        writer.batch_execute("BEGIN; LOCK TABLE invoices IN ROW EXCLUSIVE MODE").await.unwrap();
        let migrating = async {
            upkeep.migrate_up().await.unwrap();
        };
        let writing = async {
            let waiting = "SELECT count(*) AS count FROM pg_locks WHERE relation = 'invoices'::regclass AND NOT granted";
            while db.count(waiting).await == 0 {}
            let written =
                other.batch_execute("SET lock_timeout = '3s'; UPDATE invoices SET notes = NULL").await;
            writer.batch_execute("COMMIT").await.unwrap();
            written.unwrap();
        };
        tokio::join!(migrating, writing);
        assert!(upkeep.migrations().await.unwrap().pending.is_empty());
    });
}

#[test]
fn the_first_value_of_a_metadata_key_stays_until_it_is_replaced() {
    on_both(async |db| {
        let (upkeep, key) = (&db.store.upkeep, MetadataKey::CursorKey);
        assert_eq!(upkeep.metadata(key).await.unwrap(), None);
        let first = vec![1, 0, 255];
        assert_eq!(upkeep.metadata_or_insert(key, &first).await.unwrap(), first);
        assert_eq!(upkeep.metadata_or_insert(key, &[2]).await.unwrap(), first);
        upkeep.replace_metadata(key, &[2], &[3]).await.unwrap();
        assert_eq!(upkeep.metadata(key).await.unwrap(), Some(first.clone()));
        upkeep.replace_metadata(key, &first, &[3]).await.unwrap();
        assert_eq!(upkeep.metadata(key).await.unwrap(), Some(vec![3]));
        upkeep.set_metadata(key, &[4]).await.unwrap();
        assert_eq!(upkeep.metadata(key).await.unwrap(), Some(vec![4]));
        let other = upkeep.metadata(MetadataKey::MasterKeyCheck).await.unwrap();
        assert_eq!(other, None);
    });
}

#[test]
fn pool_has_no_more_connections_than_it_may_have() {
    on_both(async |db| {
        let upkeep = &db.store.upkeep;
        upkeep.ping().await.unwrap();
        let status = upkeep.pool_status();
        assert!(status.open >= 1 && status.available <= status.open && status.open <= status.max_connections);
    });
}

#[test]
fn a_server_that_is_not_there_is_unavailable() {
    runtime().block_on(async {
        // Port 1 of this machine refuses connections.
        let url = "postgres://user:hunter2@127.0.0.1:1/x";
        let store = store_diesel::open(url, &store_diesel::StoreOptions::default()).await;
        let store = store.unwrap();
        assert_eq!(store.upkeep.kind(), DatabaseKind::Postgres);
        for error in [store.upkeep.ping().await.unwrap_err(), store.upkeep.migrate_up().await.unwrap_err()] {
            assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
            assert!(!format!("{error:?}").contains("hunter2"));
        }
    });
}

/// The test server has no TLS: a mode that requires TLS must fail.
#[test]
fn required_tls_is_refused_by_a_server_without_it() {
    on_postgres(async |db| {
        for (mode, works) in [("disable", true), ("prefer", true), ("require", false), ("verify-full", false)]
        {
            let store = open(&format!("{}?sslmode={mode}", db.url)).await;
            assert_eq!(store.upkeep.ping().await.is_ok(), works, "{mode}");
        }
    });
}

#[test]
fn invalid_database_url_is_refused() {
    runtime().block_on(async {
        for url in ["mysql://h/x", "sqlite://", "sqlite://:memory:", "postgres://", ""] {
            let options = store_diesel::StoreOptions::default();
            assert!(store_diesel::open(url, &options).await.is_err(), "{url}");
        }
    });
}
