mod blocking_thread;

use std::any::Any;
use std::pin::pin;

use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use diesel::result::{DatabaseErrorKind, Error};
use diesel::sql_types::BigInt;
use futures_util::future::join_all;
use futures_util::poll;
use proptest::prelude::*;

use super::*;
use crate::{LastStatement, MAX_GROUP, TransactionGuard};

/// A receipt is the last row that a transaction writes, with the number of its note.
const TABLES: &str = "\
    CREATE TABLE notes (n INTEGER PRIMARY KEY, about INTEGER REFERENCES notes (n) DEFERRABLE INITIALLY DEFERRED); \
    CREATE TABLE receipts (n INTEGER PRIMARY KEY)";

/// A writer on a file that has the tables.
struct TestFile {
    writer: Writer,
    path: String,
    _removed_with_the_test: Box<dyn Any>,
}

impl TestFile {
    async fn new() -> Self {
        let (guard, url) = testkit::sqlite::temporary();
        let path = url.strip_prefix("sqlite://").unwrap().to_owned();
        let writer = Writer::start(&path, Duration::from_secs(60)).unwrap();
        let mut autocommit = writer.begin(Begin::Autocommit, Execution::CallingThread).await.unwrap();
        execute(&mut autocommit, TABLES.to_owned()).await.unwrap();
        drop(autocommit);
        Self { writer, path, _removed_with_the_test: Box::new(guard) }
    }

    /// A transaction that has inserted a note.
    async fn note(&self, begin: Begin, n: i64) -> WriteTransaction {
        self.note_on(begin, Execution::CallingThread, n).await
    }

    async fn note_on(&self, begin: Begin, execution: Execution, n: i64) -> WriteTransaction {
        let mut transaction = self.writer.begin(begin, execution).await.unwrap();
        execute(&mut transaction, insert(n)).await.unwrap();
        transaction
    }

    /// The notes that another connection sees.
    fn committed(&self) -> Vec<i64> {
        #[derive(QueryableByName)]
        struct Row {
            #[diesel(sql_type = BigInt)]
            n: i64,
        }
        let mut connection = SqliteConnection::establish(&self.path).unwrap();
        let mut numbers = |table: &str| -> Vec<i64> {
            let rows = diesel::sql_query(format!("SELECT n FROM {table} ORDER BY n"));
            let rows = rows.load(&mut connection).unwrap();
            rows.into_iter().map(|row: Row| row.n).collect()
        };
        let notes = numbers("notes");
        assert_eq!(notes, numbers("receipts"), "a note without its receipt, or the other way round");
        notes
    }
}

fn insert(n: i64) -> String {
    format!("INSERT INTO notes (n) VALUES ({n})")
}

async fn execute(transaction: &mut WriteTransaction, statement: String) -> QueryResult<()> {
    let connection = transaction.connection().unwrap();
    let work = move |connection: &mut SqliteConnection| connection.batch_execute(&statement);
    connection.spawn_blocking(work).await
}

fn receipt(n: i64) -> Option<LastStatement> {
    let statement = format!("INSERT INTO receipts (n) VALUES ({n})");
    Some(Box::new(move |connection| connection.batch_execute(&statement)))
}

/// What a transaction does after its note, and how it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Commit,
    CommitWithoutWaiting,
    /// The receipt already exists.
    LastStatementFails,
    RollBack,
    FailAndRollBack,
    Panic,
    /// SQLite rolls the whole transaction back by itself, as when the disk is full.
    LoseTransaction,
    LoseTransactionAndCommit,
    /// Only COMMIT detects the violation.
    ViolateAtCommit,
}

/// Whether COMMIT reported that the note is committed; `None` when the transaction did not wait.
async fn end(mut transaction: WriteTransaction, n: i64, end: End) -> Option<bool> {
    match end {
        End::FailAndRollBack => assert!(execute(&mut transaction, insert(n)).await.is_err()),
        End::Panic => {
            let panics = |_: &mut SqliteConnection| -> QueryResult<()> { panic!("on purpose") };
            let connection = transaction.connection().unwrap();
            assert!(connection.spawn_blocking(panics).await.is_err());
        }
        End::LoseTransaction | End::LoseTransactionAndCommit => {
            let loses = format!("INSERT OR ROLLBACK INTO notes (n) VALUES ({n})");
            assert!(execute(&mut transaction, loses).await.is_err());
        }
        End::ViolateAtCommit => {
            let violates = format!("UPDATE notes SET about = -1 WHERE n = {n}");
            execute(&mut transaction, violates).await.unwrap();
        }
        End::Commit | End::CommitWithoutWaiting | End::LastStatementFails | End::RollBack => {}
    }
    match end {
        End::Commit | End::LoseTransactionAndCommit | End::ViolateAtCommit => {
            Some(transaction.commit(receipt(n), None).await.is_ok())
        }
        End::CommitWithoutWaiting => {
            let _not_waited_for = poll!(pin!(transaction.commit(receipt(n), None)));
            None
        }
        End::LastStatementFails => Some(transaction.commit(receipt(0), None).await.is_ok()),
        _ => {
            drop(transaction);
            Some(false)
        }
    }
}

#[tokio::test]
async fn members_of_a_group_commit_and_fail_separately() {
    for (second_end, first_is_kept, second_is_kept) in [
        (End::Commit, true, true),
        (End::LastStatementFails, true, false),
        (End::RollBack, true, false),
        (End::FailAndRollBack, true, false),
        (End::Panic, true, false),
        (End::LoseTransaction, false, false),
        (End::LoseTransactionAndCommit, false, false),
        (End::ViolateAtCommit, false, false),
    ] {
        for execution in [Execution::CallingThread, Execution::BlockingThread] {
            let file = TestFile::new().await;
            let mut zeroth = file.note(Begin::NewGroup, 0).await;
            zeroth.commit(receipt(0), None).await.unwrap();
            let mut first = file.note(Begin::NewGroup, 1).await;
            assert!(!first.sees_uncommitted());
            let mut second = pin!(file.note_on(Begin::JoinGroup, execution, 2));
            assert!(poll!(&mut second).is_pending());
            let mut committing = pin!(first.commit(receipt(1), None));
            assert!(poll!(&mut committing).is_pending());
            let second = second.await;
            assert!(second.sees_uncommitted());
            // The second holds the connection, so the first is not committed yet.
            assert!(poll!(&mut committing).is_pending(), "{second_end:?}");
            assert_eq!(file.committed(), [0]);

            let told = end(second, 2, second_end).await;
            assert_eq!(told, Some(second_is_kept), "{second_end:?}");
            let committed = committing.await;
            assert_eq!(committed.is_ok(), first_is_kept, "{second_end:?}");
            if let Err(error) = committed {
                // A failure caused by the other member can be retried; one found by COMMIT itself cannot.
                let again =
                    Error::DatabaseError(DatabaseErrorKind::SerializationFailure, Box::new(String::new()));
                let is_same = std::mem::discriminant(&kind(error)) == std::mem::discriminant(&kind(again));
                assert_eq!(is_same, second_end != End::ViolateAtCommit);
            }
            let kept = [(0, true), (1, first_is_kept), (2, second_is_kept)];
            let kept = kept.iter().filter(|(_, is_kept)| *is_kept);
            let mut kept: Vec<i64> = kept.map(|(n, _)| *n).collect();
            assert_eq!(file.committed(), kept, "{second_end:?}");

            // Whatever the result of those two, the next one is not affected.
            let mut third = file.note(Begin::NewGroup, 3).await;
            third.commit(receipt(3), None).await.unwrap();
            kept.push(3);
            assert_eq!(file.committed(), kept, "{second_end:?}");
        }
    }
}

fn kind(error: Error) -> DatabaseErrorKind {
    match error {
        Error::DatabaseError(kind, _) => kind,
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn transaction_lost_by_the_first_member_does_not_fail_the_next() {
    let file = TestFile::new().await;
    let first = file.note(Begin::NewGroup, 1).await;
    let mut second = pin!(file.note(Begin::JoinGroup, 2));
    assert!(poll!(&mut second).is_pending());
    let told = end(first, 1, End::LoseTransactionAndCommit).await;
    assert_eq!(told, Some(false));
    assert_eq!(end(second.await, 2, End::Commit).await, Some(true));
    assert_eq!(file.committed(), [2]);
}

#[tokio::test]
async fn new_group_begins_when_the_earlier_ones_are_committed() {
    for begin in [Begin::NewGroup, Begin::Autocommit] {
        let file = TestFile::new().await;
        let mut first = file.note(Begin::JoinGroup, 1).await;
        let mut second = pin!(file.writer.begin(begin, Execution::CallingThread));
        assert!(poll!(&mut second).is_pending());
        let (second, committed) = tokio::join!(second, first.commit(receipt(1), None));
        committed.unwrap();
        assert!(!second.unwrap().sees_uncommitted());
        assert_eq!(file.committed(), [1]);
    }
}

#[tokio::test]
async fn new_group_after_a_roll_back_sees_nothing_uncommitted() {
    let file = TestFile::new().await;
    let first = file.note(Begin::JoinGroup, 1).await;
    let mut second = pin!(file.note(Begin::NewGroup, 2));
    assert!(poll!(&mut second).is_pending());
    drop(first);
    let mut second = second.await;
    assert!(!second.sees_uncommitted());
    second.commit(receipt(2), None).await.unwrap();
    assert_eq!(file.committed(), [2]);
}

#[tokio::test]
async fn full_group_is_committed_while_others_wait() {
    let file = TestFile::new().await;
    let numbers = 1..=i64::try_from(MAX_GROUP).unwrap();
    let mut transaction = file.note(Begin::JoinGroup, 0).await;
    let mut committing = Vec::new();
    for n in numbers {
        let mut next = pin!(file.note(Begin::JoinGroup, n));
        assert!(poll!(&mut next).is_pending());
        let last = receipt(n - 1);
        committing.push(tokio::spawn(async move { transaction.commit(last, None).await }));
        transaction = next.await;
        let is_full = committing.len() == MAX_GROUP;
        let committed = if is_full { MAX_GROUP } else { 0 };
        assert_eq!(file.committed().len(), committed);
    }
    for committed in join_all(committing).await {
        committed.unwrap().unwrap();
    }
}

#[tokio::test]
async fn guard_is_held_until_the_commit_even_if_it_is_not_waited_for() {
    let file = TestFile::new().await;
    let guard = Arc::new(());
    let mut first = file.note(Begin::JoinGroup, 1).await;
    let mut second = pin!(file.note(Begin::JoinGroup, 2));
    assert!(poll!(&mut second).is_pending());
    let boxed: TransactionGuard = Box::new(guard.clone());
    assert!(poll!(pin!(first.commit(receipt(1), Some(boxed)))).is_pending());
    drop(first);
    let mut second = second.await;
    assert_eq!(Arc::strong_count(&guard), 2);
    second.commit(receipt(2), None).await.unwrap();
    assert_eq!(Arc::strong_count(&guard), 1);
    assert_eq!(file.committed(), [1, 2]);
}

#[tokio::test]
async fn waiter_that_times_out_or_goes_away_gets_no_transaction() {
    let file = TestFile::new().await;
    let first = file.note(Begin::JoinGroup, 2).await;
    {
        let mut gone = pin!(file.note(Begin::JoinGroup, 3));
        assert!(poll!(&mut gone).is_pending());
        assert_eq!(file.writer.waiting(), 1);
    }
    assert_eq!(file.writer.waiting(), 0);
    assert!(file.writer.is_in_use());
    let impatient = Writer { acquire_timeout: Duration::ZERO, ..file.writer.clone() };
    let timed_out = impatient.begin(Begin::JoinGroup, Execution::CallingThread).await;
    assert!(matches!(timed_out, Err(BeginError::TimedOut)));
    drop(first);
    let mut next = file.note(Begin::JoinGroup, 4).await;
    next.commit(receipt(4), None).await.unwrap();
    assert!(!file.writer.is_in_use());
    assert_eq!(file.committed(), [4]);
}

#[tokio::test]
async fn transaction_outlives_the_writer() {
    let file = TestFile::new().await;
    let mut transaction = file.note(Begin::NewGroup, 1).await;
    let TestFile { writer, path, _removed_with_the_test } = file;
    drop(writer);
    transaction.commit(receipt(1), None).await.unwrap();
    drop(transaction);
    let again = Writer::start(&path, Duration::from_secs(60)).unwrap();
    let mut other = again.begin(Begin::JoinGroup, Execution::CallingThread).await.unwrap();
    let inserted = execute(&mut other, insert(1)).await;
    assert!(inserted.is_err(), "the note is there already");
}

#[tokio::test]
async fn guard_that_panics_fails_no_other_transaction() {
    struct PanicsWhenDropped;
    impl Drop for PanicsWhenDropped {
        fn drop(&mut self) {
            panic!("on purpose");
        }
    }
    let file = TestFile::new().await;
    let first = file.note(Begin::JoinGroup, 1).await;
    first.roll_back(Some(Box::new(PanicsWhenDropped)));
    let mut second = file.note(Begin::JoinGroup, 2).await;
    let guard: TransactionGuard = Box::new(PanicsWhenDropped);
    second.commit(receipt(2), Some(guard)).await.unwrap();
    let mut third = file.note(Begin::JoinGroup, 3).await;
    third.commit(receipt(3), None).await.unwrap();
    assert_eq!(file.committed(), [2, 3]);
}

#[tokio::test]
async fn writer_whose_thread_has_ended_fails_at_once() {
    let (to_thread, messages) = channel();
    drop(messages);
    let writer =
        Writer { shared: Arc::new(SharedWriter::new(to_thread)), acquire_timeout: Duration::from_millis(1) };
    let refused = writer.begin(Begin::JoinGroup, Execution::CallingThread).await;
    assert!(refused.is_err());
}

fn ends() -> impl Strategy<Value = Vec<(bool, bool, End)>> {
    let end = prop_oneof![
        8 => Just(End::Commit),
        1 => Just(End::CommitWithoutWaiting),
        1 => Just(End::LastStatementFails),
        2 => Just(End::RollBack),
        1 => Just(End::FailAndRollBack),
        1 => Just(End::LoseTransaction),
        1 => Just(End::LoseTransactionAndCommit),
        1 => Just(End::ViolateAtCommit),
    ];
    prop::collection::vec((any::<bool>(), any::<bool>(), end), 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.div_ceil(4), ..ProptestConfig::default() })]

    #[test]
    fn every_transaction_gets_its_own_outcome(ends in ends()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let (told, committed) = runtime.block_on(async {
            let file = TestFile::new().await;
            file.note(Begin::NewGroup, 0).await.commit(receipt(0), None).await.unwrap();
            let transactions = ends.iter().zip(1..).map(async |((joins, blocks, how), n)| {
                let begin = if *joins { Begin::JoinGroup } else { Begin::NewGroup };
                let execution = if *blocks { Execution::BlockingThread } else { Execution::CallingThread };
                let transaction = file.note_on(begin, execution, n).await;
                (n, end(transaction, n, *how).await)
            });
            let told = join_all(transactions).await;
            // After this, the transactions that did not wait are committed too.
            drop(file.note(Begin::NewGroup, 1_000).await);
            (told, file.committed())
        });
        let fails_others = |(_, _, end): &(bool, bool, End)| matches!(
            end,
            End::LoseTransaction | End::LoseTransactionAndCommit | End::ViolateAtCommit
        );
        let all_are_committed = !ends.iter().any(fails_others);
        for (n, is_committed) in told {
            match is_committed {
                Some(is_committed) => prop_assert_eq!(committed.contains(&n), is_committed, "{}", n),
                None => prop_assert!(committed.contains(&n) || !all_are_committed, "{}", n),
            }
        }
    }
}
