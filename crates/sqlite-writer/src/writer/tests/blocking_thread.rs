//! Statements that wait for a blocking thread while their transaction ends.

use std::sync::mpsc::Sender;

use super::*;

/// A runtime whose one blocking thread runs one statement after the other.
fn with_one_blocking_thread(test: impl Future<Output = ()>) {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_time().max_blocking_threads(1).build().unwrap().block_on(test);
}

/// Keeps the blocking thread busy until the returned sender is dropped.
fn occupy_blocking_thread() -> Sender<()> {
    let (release, released) = channel::<()>();
    tokio::task::spawn_blocking(move || released.recv());
    release
}

/// Waits until the blocking thread has run everything that was queued before.
async fn blocking_thread_is_idle() {
    tokio::task::spawn_blocking(|| ()).await.unwrap();
}

#[test]
fn statement_dropped_before_it_starts_is_not_run_in_a_later_transaction() {
    for (first_commits, starts_when_second_is_committed) in
        [(false, false), (false, true), (true, false), (true, true)]
    {
        with_one_blocking_thread(async {
            let file = TestFile::new().await;
            let occupied = occupy_blocking_thread();
            let mut first = file.writer.begin(Begin::JoinGroup, Execution::BlockingThread).await.unwrap();
            assert!(poll!(pin!(execute(&mut first, insert(1)))).is_pending());
            if first_commits {
                first.commit(None, None).await.unwrap();
            }
            drop(first);
            let mut second = file.note(Begin::JoinGroup, 2).await;
            if starts_when_second_is_committed {
                second.commit(receipt(2), None).await.unwrap();
                drop(occupied);
                blocking_thread_is_idle().await;
            } else {
                drop(occupied);
                blocking_thread_is_idle().await;
                second.commit(receipt(2), None).await.unwrap();
            }
            assert_eq!(file.committed(), [2]);
        });
    }
}

#[test]
fn statement_dropped_before_it_starts_is_not_run_after_its_autocommit_has_ended() {
    with_one_blocking_thread(async {
        let file = TestFile::new().await;
        let occupied = occupy_blocking_thread();
        let mut only = file.writer.begin(Begin::Autocommit, Execution::BlockingThread).await.unwrap();
        assert!(poll!(pin!(execute(&mut only, insert(1)))).is_pending());
        let (guard, ended) = channel::<()>();
        only.roll_back(Some(Box::new(guard)));
        assert!(ended.recv().is_err());
        drop(occupied);
        blocking_thread_is_idle().await;
        assert!(file.committed().is_empty());
    });
}

#[test]
fn statement_that_outlives_its_transaction_gets_an_error() {
    with_one_blocking_thread(async {
        let file = TestFile::new().await;
        let occupied = occupy_blocking_thread();
        let mut first = file.writer.begin(Begin::JoinGroup, Execution::BlockingThread).await.unwrap();
        let work = |connection: &mut SqliteConnection| connection.batch_execute(&insert(1));
        let outlives = first.connection().unwrap().spawn_blocking(work);
        drop(first);
        let mut second = file.note(Begin::JoinGroup, 2).await;
        drop(occupied);
        assert!(outlives.await.is_err());
        second.commit(receipt(2), None).await.unwrap();
        assert_eq!(file.committed(), [2]);
    });
}

#[test]
fn statement_dropped_while_it_runs_ends_before_the_next_transaction_begins() {
    for panics in [false, true] {
        with_one_blocking_thread(async {
            let file = TestFile::new().await;
            let mut first = file.writer.begin(Begin::JoinGroup, Execution::BlockingThread).await.unwrap();
            let (start, started) = channel();
            let (release, released) = channel::<()>();
            let work = move |connection: &mut SqliteConnection| {
                start.send(()).unwrap();
                assert!(released.recv().is_err());
                connection.batch_execute(&insert(1))?;
                assert!(!panics, "on purpose");
                Ok(())
            };
            drop(first.connection().unwrap().spawn_blocking(work));
            started.recv().unwrap();
            drop(first);
            let mut second = pin!(file.note_on(Begin::JoinGroup, Execution::BlockingThread, 2));
            assert!(poll!(&mut second).is_pending());
            drop(release);
            second.await.commit(receipt(2), None).await.unwrap();
            assert_eq!(file.committed(), [2]);
        });
    }
}

#[test]
fn failed_commit_releases_the_lock_even_if_a_queued_statement_keeps_the_connection_open() {
    with_one_blocking_thread(async {
        let file = TestFile::new().await;
        let mut first = file.writer.begin(Begin::JoinGroup, Execution::BlockingThread).await.unwrap();
        execute(&mut first, "INSERT INTO notes (n, about) VALUES (1, 99)".to_owned()).await.unwrap();
        let occupied = occupy_blocking_thread();
        assert!(poll!(pin!(execute(&mut first, insert(3)))).is_pending());
        assert!(first.commit(None, None).await.is_err());
        file.note(Begin::JoinGroup, 2).await.commit(receipt(2), None).await.unwrap();
        drop(occupied);
        blocking_thread_is_idle().await;
        assert_eq!(file.committed(), [2]);
    });
}
