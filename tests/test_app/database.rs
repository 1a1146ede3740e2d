//! The database on which a test runs.

use std::panic::resume_unwind;
use std::sync::Arc;

use store_diesel::{Layout, Store, StoreOptions};
use tempfile::TempDir;

/// A separate database for a test, empty except for its schema.
pub(crate) struct Database {
    pub(crate) name: &'static str,
    pub(crate) url: String,
    /// The data directory with the embedded database; it is removed when the test ends.
    pub(crate) folder: TempDir,
    /// A database of a cluster, which is removed when its last owner is dropped.
    cluster: Option<Arc<testkit::citus::Database>>,
}

impl Database {
    /// One database of each kind: SQLite always, PostgreSQL if there are binaries, and a Citus cluster with
    /// `REQUIRE_CITUS=1`.
    pub(crate) fn both() -> Vec<Self> {
        let mut both = vec![Self::sqlite()];
        both.extend(Self::postgres());
        both.extend(Self::citus());
        both
    }

    /// Runs a test that waits a long time, for a lease or a deadline, on both databases at the same time,
    /// each in a thread with its own runtime.
    pub(crate) async fn on_both_at_once(test: impl AsyncFn(Self) + Sync) {
        let test = &test;
        std::thread::scope(|scope| {
            let run = |database: Self| scope.spawn(move || runtime().block_on(test(database)));
            let running: Vec<_> = Self::both().into_iter().map(run).collect();
            // Waits for all threads before a failure is passed on.
            let ended: Vec<_> = running.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
            if let Some(panic) = ended.into_iter().find_map(Result::err) {
                resume_unwind(panic);
            }
        });
    }

    /// The same database for another process, with its own data directory.
    pub(crate) fn reopened(&self) -> Self {
        Self {
            name: self.name,
            url: self.url.clone(),
            folder: tempfile::tempdir().expect("a temporary directory"),
            cluster: self.cluster.clone(),
        }
    }

    pub(crate) fn sqlite() -> Self {
        let (folder, url) = testkit::sqlite::temporary();
        Self { name: "sqlite", url, folder, cluster: None }
    }

    pub(crate) fn citus() -> Option<Self> {
        let database = testkit::citus::cluster()?.create_from_template("migrated", |url| {
            migrate(url, &["--citus"]);
        });
        Some(Self {
            name: "citus",
            url: database.url(),
            folder: tempfile::tempdir().expect("a temporary directory"),
            cluster: Some(Arc::new(database)),
        })
    }

    /// Opens the service's store in this process.
    pub(crate) async fn store(&self) -> Store {
        let layout = if self.is_distributed() { Layout::ByAccount } else { Layout::OneServer };
        let options = StoreOptions { layout, ..StoreOptions::default() };
        store_diesel::open(&self.url, &options).await.unwrap()
    }

    /// Whether the tables are distributed.
    pub(crate) const fn is_distributed(&self) -> bool {
        self.cluster.is_some()
    }

    pub(crate) fn postgres() -> Option<Self> {
        testkit::postgres::server().map(Self::on)
    }

    /// A database on a server that a test may restart.
    pub(crate) fn on(server: &testkit::postgres::Server) -> Self {
        Self {
            name: "postgres",
            url: server.create_from_template("migrated", |url| migrate(url, &[])),
            folder: tempfile::tempdir().expect("a temporary directory"),
            cluster: None,
        }
    }

    pub(crate) fn empty_postgres() -> Option<Self> {
        let url = testkit::postgres::server()?.create_database();
        let folder = tempfile::tempdir().expect("a temporary directory");
        Some(Self { name: "postgres", url, folder, cluster: None })
    }
}

/// Any 32 bytes, the same for every process of a test.
pub(crate) const MASTER_KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime")
}

fn migrate(url: &str, more: &[&str]) {
    let output = std::process::Command::new(super::binary())
        .args(["migrate", "up", "--json"])
        .args(more)
        .env("DATABASE_URL", url)
        .output()
        .expect("the binary starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
