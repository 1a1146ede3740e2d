//! The database a test runs on.

use tempfile::TempDir;

/// A database of a test's own, empty but for its schema.
pub(crate) struct Database {
    pub(crate) name: &'static str,
    pub(crate) url: String,
    /// The data directory, which goes when the test ends; it holds the embedded database.
    pub(crate) folder: TempDir,
}

impl Database {
    /// One of each kind: SQLite always, PostgreSQL where there are binaries.
    pub(crate) fn both() -> Vec<Self> {
        let mut both = vec![Self::sqlite()];
        both.extend(Self::postgres());
        both
    }

    /// The same database for another process, which gets a data directory of its own.
    pub(crate) fn reopened(&self) -> Self {
        Self {
            name: self.name,
            url: self.url.clone(),
            folder: tempfile::tempdir().expect("a temporary directory"),
        }
    }

    pub(crate) fn sqlite() -> Self {
        let (folder, url) = testkit::sqlite::temporary();
        Self { name: "sqlite", url, folder }
    }

    pub(crate) fn postgres() -> Option<Self> {
        testkit::postgres::server().map(Self::on)
    }

    /// A database on a server that a test may restart.
    pub(crate) fn on(server: &testkit::postgres::Server) -> Self {
        Self {
            name: "postgres",
            url: server.create_from_template("migrated", migrate),
            folder: tempfile::tempdir().expect("a temporary directory"),
        }
    }

    pub(crate) fn empty_postgres() -> Option<Self> {
        let url = testkit::postgres::server()?.create_database();
        let folder = tempfile::tempdir().expect("a temporary directory");
        Some(Self { name: "postgres", url, folder })
    }
}

/// Any 32 bytes will do: what matters is that every process of a test has the same.
pub(crate) const MASTER_KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

fn migrate(url: &str) {
    let output = std::process::Command::new(super::binary())
        .args(["migrate", "up", "--json"])
        .env("DATABASE_URL", url)
        .output()
        .expect("the binary starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
