//! The file of an embedded database: copied while in use, and inspected before it replaces another.
//!
//! None of this opens a store, since a store changes what it opens, and a backup must stay unchanged. All
//! functions block the calling thread.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use diesel::connection::SimpleConnection as _;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Text};
use diesel::sqlite::Sqlite;
use kernel::errors::Source;
use store_schema::migration_set;
use store_schema::ports::{MetadataKey, Migrations};
use store_schema::schema::{applied_migrations, service_metadata};

use super::migrations::MIGRATIONS;

/// The first bytes of every SQLite database (<https://www.sqlite.org/fileformat.html>).
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Tables that exist in every version of the service.
const TABLES: [&str; 4] = ["__diesel_schema_migrations", "partners", "accounts", "invoices"];

/// The file of an embedded database.
#[derive(Debug, Clone)]
pub struct EmbeddedFile(PathBuf);

/// The properties of an intact database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Findings {
    /// The migrations of its schema.
    pub migrations: Migrations,
    /// The stored value that checks the master key.
    pub master_key_check: Option<Vec<u8>>,
}

/// Why a database file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It lacks the header of a SQLite database.
    #[error("it is no SQLite database")]
    NoDatabase,
    /// SQLite reports damage.
    #[error("it is damaged: {0}")]
    Damaged(String),
    /// It is a database of another program.
    #[error("it is no database of Countinghouse: it has no table {0}")]
    Foreign(&'static str),
    /// It cannot be read or written.
    #[error("SQLite cannot work on it")]
    Failed(#[source] Source),
}

impl EmbeddedFile {
    /// The file that a database URL names; `None` when the URL names a server.
    #[must_use]
    pub fn of(url: &str) -> Option<Self> {
        let path = url.strip_prefix("sqlite://")?;
        Some(Self(PathBuf::from(path)))
    }

    /// The file at a path.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Copies the database, as it is at one moment, into a file that is empty or missing. Concurrent readers
    /// and writers are not blocked: the copy is one long read, and writes go to the log meanwhile. The copy
    /// may not have reached the disk yet.
    ///
    /// # Errors
    /// A [`FileError`]; the target may then hold a part of the copy.
    pub fn copy_to(&self, target: &Path) -> Result<(), FileError> {
        let name = text(target)?;
        let mut connection = self.open()?;
        let copied = diesel::sql_query("VACUUM INTO $1").bind::<Text, _>(name).execute(&mut connection);
        if copied.is_err() {
            // Closed first: SQLite may have the journal of the copy open.
            drop(connection);
            remove_journals(target);
        }
        copied.map(|_nothing| ()).map_err(failed)
    }

    /// Merges the log into the database file, if no other process has the database open.
    ///
    /// # Errors
    /// A [`FileError`] when another process has it open, or when the database is too damaged.
    pub fn merge_log(&self) -> Result<(), FileError> {
        // SQLite deletes the log beside a file that is not a database.
        self.must_begin_as_one()?;
        self.open()?.batch_execute("PRAGMA journal_mode = DELETE").map_err(failed)
    }

    /// Reads and checks the whole database, which no process may have open.
    ///
    /// # Errors
    /// The fault that was found.
    pub fn inspect(&self) -> Result<Findings, FileError> {
        self.must_begin_as_one()?;
        let mut connection = self.open()?;
        must_be_whole(&mut connection)?;
        for table in TABLES {
            if !has_table(&mut connection, table)? {
                return Err(FileError::Foreign(table));
            }
        }
        let taken = applied_migrations::table
            .order(applied_migrations::version)
            .select(applied_migrations::version)
            .load::<String>(&mut connection)
            .map_err(failed)?;
        Ok(Findings {
            migrations: migration_set::sort::<Sqlite>(&MIGRATIONS, taken).map_err(FileError::Failed)?,
            master_key_check: master_key_check(&mut connection)?,
        })
    }

    fn must_begin_as_one(&self) -> Result<(), FileError> {
        let mut start = Vec::new();
        let file = File::open(&self.0);
        file.and_then(|file| file.take(16).read_to_end(&mut start))
            .map_err(|source| FileError::Failed(source.into()))?;
        if start == MAGIC { Ok(()) } else { Err(FileError::NoDatabase) }
    }

    fn open(&self) -> Result<SqliteConnection, FileError> {
        let mut connection =
            SqliteConnection::establish(text(&self.0)?).map_err(|source| FileError::Failed(source.into()))?;
        connection.batch_execute("PRAGMA busy_timeout = 5000").map_err(failed)?;
        Ok(connection)
    }
}

#[derive(QueryableByName)]
#[diesel(check_for_backend(Sqlite))]
struct IntegrityRow {
    #[diesel(sql_type = Text, column_name = "integrity_check")]
    text: String,
}

fn must_be_whole(connection: &mut SqliteConnection) -> Result<(), FileError> {
    let found = diesel::sql_query("PRAGMA integrity_check(1)").load::<IntegrityRow>(connection);
    match found.map_err(failed)?.as_slice() {
        [one] if one.text == "ok" => Ok(()),
        found => {
            let lines: Vec<_> = found.iter().map(|one| one.text.trim()).collect();
            Err(FileError::Damaged(lines.join("; ")))
        }
    }
}

fn has_table(connection: &mut SqliteConnection, name: &str) -> Result<bool, FileError> {
    let there = sql::<Bool>("EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ")
        .bind::<Text, _>(name)
        .sql(")");
    diesel::select(there).get_result::<bool>(connection).map_err(failed)
}

fn master_key_check(connection: &mut SqliteConnection) -> Result<Option<Vec<u8>>, FileError> {
    // A later migration than the first created the table.
    if !has_table(connection, "service_metadata")? {
        return Ok(None);
    }
    service_metadata::table
        .filter(service_metadata::name.eq(MetadataKey::MasterKeyCheck.name()))
        .select(service_metadata::value)
        .get_result::<Vec<u8>>(connection)
        .optional()
        .map_err(failed)
}

/// Removes what SQLite leaves beside a copy that failed.
fn remove_journals(copy: &Path) {
    for ending in ["-journal", "-wal", "-shm"] {
        let mut name = OsString::from(copy);
        name.push(ending);
        // Usually there is none.
        let _ = std::fs::remove_file(name);
    }
}

fn text(path: &Path) -> Result<&str, FileError> {
    path.to_str().ok_or_else(|| FileError::Failed("its path is no UTF-8 text".into()))
}

fn failed(error: diesel::result::Error) -> FileError {
    match error {
        diesel::result::Error::DatabaseError(_, info)
            if info.message().contains("malformed") || info.message().contains("not a database") =>
        {
            FileError::Damaged(info.message().to_owned())
        }
        error => FileError::Failed(error.into()),
    }
}
