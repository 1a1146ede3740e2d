use std::any::Any;
use std::pin::pin;

use diesel::Connection as _;
use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use futures_util::poll;
use idempotency::{Endpoint, Fingerprint, IdempotencyKey, StoredResponse, Ticket};
use uuid::Uuid;

use super::*;
use crate::rows::StoredResponseRow;
use crate::types::RowId;

mod shared_commit;
mod turns;

/// Under the key of an answer stands the number of its note.
const TABLES: &str = "\
    CREATE TABLE notes (n INTEGER PRIMARY KEY, about INTEGER REFERENCES notes (n) DEFERRABLE INITIALLY DEFERRED); \
    CREATE TABLE idempotency_keys (account_id BLOB, endpoint TEXT, key TEXT PRIMARY KEY, fingerprint BLOB, status INTEGER, body BLOB)";

/// A writer, and tables of notes and answers that everybody else sees when they are committed.
struct Stand {
    writer: Writer,
    path: String,
    _goes_with_the_test: Box<dyn Any>,
}

impl Stand {
    async fn new() -> Self {
        let (guard, url) = testkit::sqlite::temporary();
        let path = url.strip_prefix("sqlite://").unwrap().to_owned();
        let writer = Writer::start(&path, Duration::from_secs(60)).unwrap();
        let made = |connection: &mut SqliteConnection| connection.batch_execute(TABLES);
        writer.turn(Wish::Statement, made).await.unwrap().1.unwrap();
        Self {
            writer,
            path,
            _goes_with_the_test: Box::new(guard),
        }
    }

    async fn note(&self, wish: Wish, n: i64) -> Turn {
        let (turn, noted) = self.writer.turn(wish, insert(n)).await.unwrap();
        noted.unwrap();
        turn
    }

    fn seen(&self) -> Vec<i64> {
        #[derive(QueryableByName)]
        struct Note {
            #[diesel(sql_type = BigInt)]
            n: i64,
        }
        let mut connection = SqliteConnection::establish(&self.path).unwrap();
        let mut numbers = |of: &str| -> Vec<i64> {
            let notes = diesel::sql_query(of).load(&mut connection);
            notes
                .unwrap()
                .into_iter()
                .map(|note: Note| note.n)
                .collect()
        };
        let notes = numbers("SELECT n FROM notes ORDER BY n");
        let answers = numbers("SELECT CAST(key AS INTEGER) AS n FROM idempotency_keys ORDER BY n");
        assert_eq!(
            notes, answers,
            "no note without its answer, and the other way round"
        );
        notes
    }
}

fn ticket(n: i64) -> Ticket {
    Ticket {
        endpoint: Endpoint::CreateInvoice,
        key: IdempotencyKey::parse(&n.to_string()).unwrap(),
        fingerprint: Fingerprint::of(b"{}"),
    }
}

const ACCOUNT: RowId = RowId(Uuid::from_u128(1));

fn answer(n: i64) -> Option<StoredResponseRow> {
    let answer = StoredResponse {
        status: 201,
        body: b"{}".to_vec(),
    };
    Some(StoredResponseRow::new(ACCOUNT, &ticket(n), &answer))
}

fn insert(n: i64) -> impl FnOnce(&mut SqliteConnection) -> QueryResult<()> + Send + 'static {
    move |connection| connection.batch_execute(&format!("INSERT INTO notes (n) VALUES ({n})"))
}

/// How a turn goes on after its note, and ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Commits,
    CommitsUnheard,
    /// Somebody has kept an answer under its key.
    CommitsTooLate,
    RollsBack,
    FailsAndRollsBack,
    Panics,
    /// SQLite rolls the whole transaction back by itself, as when the disk is full.
    IsRolledBack,
    IsRolledBackAndCommits,
    /// What only the COMMIT finds out.
    CannotBeCommitted,
}

/// Whether it was told that its note is kept. `None` when it did not listen.
async fn end(mut turn: Turn, n: i64, ending: Ending) -> Option<bool> {
    let mut say = async |work: fn(i64) -> String| {
        let statement = work(n);
        let connection = turn.connection().unwrap();
        let said =
            connection.spawn_blocking(move |connection| connection.batch_execute(&statement));
        said.await.is_ok()
    };
    let rolls_all_back = |n| format!("INSERT OR ROLLBACK INTO notes (n) VALUES ({n})");
    match ending {
        Ending::Commits | Ending::CommitsUnheard | Ending::CommitsTooLate | Ending::RollsBack => {}
        Ending::FailsAndRollsBack => {
            assert!(!say(|n| format!("INSERT INTO notes (n) VALUES ({n})")).await);
        }
        Ending::Panics => {
            let connection = turn.connection().unwrap();
            let panics = |_: &mut SqliteConnection| -> QueryResult<()> { panic!("on purpose") };
            assert!(connection.spawn_blocking(panics).await.is_err());
        }
        Ending::IsRolledBack | Ending::IsRolledBackAndCommits => {
            assert!(!say(rolls_all_back).await)
        }
        Ending::CannotBeCommitted => {
            assert!(say(|n| format!("UPDATE notes SET about = -1 WHERE n = {n}")).await);
        }
    }
    match ending {
        Ending::Commits | Ending::IsRolledBackAndCommits | Ending::CannotBeCommitted => {
            Some(turn.commit(answer(n), None).await.is_ok())
        }
        Ending::CommitsUnheard => {
            let _nobody_listens = poll!(pin!(turn.commit(answer(n), None)));
            None
        }
        Ending::CommitsTooLate => Some(turn.commit(answer(0), None).await.is_ok()),
        _ => {
            drop(turn);
            Some(false)
        }
    }
}
