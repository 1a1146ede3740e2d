//! The transactions on the writing connection, and the queue for it.
//!
//! The connection has one holder at any time: a [`WriteTransaction`], or the writer's thread. A transaction
//! that ends passes it to the next one that can join the group; otherwise the thread commits the group and
//! begins the next one.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use diesel::QueryResult;
use diesel::result::Error;
use tokio::sync::oneshot;

use crate::begin::{Begin, BeginError};
use crate::commit_group::{CommitGroup, LastStatement, Member, TransactionGuard, release};
use crate::connection::{Connection, Execution};

/// A transaction on the writing connection. Dropping it rolls it back.
pub struct WriteTransaction {
    /// `None` once the transaction has ended.
    group: Option<Box<CommitGroup>>,
    begin: Begin,
    execution: Execution,
    sees_uncommitted: bool,
    shared: Arc<SharedWriter>,
}

impl WriteTransaction {
    /// The connection, until the transaction has ended.
    pub fn connection(&mut self) -> Option<&mut Connection> {
        self.group.as_mut()?.connection()
    }

    /// Whether the transaction is open and may have read data that is never committed unless it commits
    /// itself.
    #[must_use]
    pub const fn sees_uncommitted(&self) -> bool {
        self.sees_uncommitted && self.group.is_some()
    }

    /// Runs the last statement, if there is one, and commits; the guard is dropped afterwards. If the last
    /// statement fails, nothing is committed. Dropping the future after its first poll does not stop the
    /// COMMIT.
    ///
    /// # Errors
    /// When the last statement or COMMIT failed; nothing is committed then.
    pub async fn commit(
        &mut self,
        last: Option<LastStatement>,
        guard: Option<TransactionGuard>,
    ) -> QueryResult<()> {
        let (committed, result) = oneshot::channel();
        self.end(Ending::Commit(last, Member { guard, committed }));
        result.await.unwrap_or(Err(Error::BrokenTransactionManager))
    }

    /// Rolls back. The guard is dropped afterwards.
    pub fn roll_back(mut self, guard: Option<TransactionGuard>) {
        self.end(Ending::RollBack(guard));
    }

    fn end(&mut self, ending: Ending) {
        let Some(group) = self.group.take() else {
            return;
        };
        let ended = Ended { group, begin: self.begin, ending };
        self.shared.is_in_use.store(false, Ordering::Relaxed);
        match self.execution {
            Execution::CallingThread => self.shared.pass_on(ended.settle()),
            // A statement may still be running; the writer's thread waits for it.
            Execution::BlockingThread => self.shared.send(WriterMessage::Ended(ended)),
        }
    }
}

impl Drop for WriteTransaction {
    fn drop(&mut self) {
        self.end(Ending::RollBack(None));
    }
}

enum Ending {
    Commit(Option<LastStatement>, Member),
    RollBack(Option<TransactionGuard>),
}

/// A transaction that is ending.
pub(crate) struct Ended {
    group: Box<CommitGroup>,
    begin: Begin,
    ending: Ending,
}

impl Ended {
    /// Releases the savepoint, or rolls it back.
    pub(crate) fn settle(mut self) -> Box<CommitGroup> {
        self.group.end_statements();
        match self.ending {
            Ending::Commit(last, member) => self.group.release(last, member),
            Ending::RollBack(guard) => {
                if self.begin != Begin::Autocommit {
                    self.group.undo();
                }
                release(guard);
            }
        }
        self.group
    }
}

/// A caller that waits for the connection.
pub(crate) struct Waiter {
    pub(crate) begin: Begin,
    pub(crate) execution: Execution,
    pub(crate) give: oneshot::Sender<Result<WriteTransaction, BeginError>>,
}

impl Waiter {
    /// Whether the caller's transaction may begin in this group as it is.
    const fn can_join(&self, group: &CommitGroup) -> bool {
        match self.begin {
            Begin::Autocommit => false,
            Begin::NewGroup => group.has_room() && !group.has_members(),
            Begin::JoinGroup => group.has_room(),
        }
    }

    pub(crate) fn refuse(self, error: BeginError) {
        drop(self.give.send(Err(error)));
    }
}

/// A message to the writer's thread.
pub(crate) enum WriterMessage {
    /// A caller waits for the connection, which the thread holds.
    Wanted,
    /// A transaction has ended, and the thread must settle it.
    Ended(Ended),
    /// The group was not passed on: no waiter could join it, or its savepoint failed.
    Returned(Box<CommitGroup>),
}

/// What the writer, its transactions and its thread share.
pub(crate) struct SharedWriter {
    queue: Mutex<WaiterQueue>,
    to_thread: Sender<WriterMessage>,
    is_in_use: AtomicBool,
}

#[derive(Default)]
struct WaiterQueue {
    waiters: VecDeque<Waiter>,
    /// `false` while the thread holds the connection and has nothing to do.
    thread_is_busy: bool,
}

impl WaiterQueue {
    /// The first caller that still waits.
    fn front(&mut self) -> Option<&Waiter> {
        while self.waiters.front().is_some_and(|waiter| waiter.give.is_closed()) {
            self.waiters.pop_front();
        }
        self.waiters.front()
    }
}

/// What the thread does next.
pub(crate) enum Next {
    Begin(Waiter),
    Commit,
    Park,
}

impl SharedWriter {
    pub(crate) fn new(to_thread: Sender<WriterMessage>) -> Self {
        Self { queue: Mutex::default(), to_thread, is_in_use: AtomicBool::new(false) }
    }

    fn queue(&self) -> MutexGuard<'_, WaiterQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_in_use(&self) -> bool {
        self.is_in_use.load(Ordering::Relaxed)
    }

    pub(crate) fn waiting(&self) -> usize {
        self.queue().waiters.iter().filter(|waiter| !waiter.give.is_closed()).count()
    }

    fn send(&self, message: WriterMessage) {
        // If the thread has ended, this drops the callers' channels, and the callers get an error.
        drop(self.to_thread.send(message));
    }

    pub(crate) fn enqueue(&self, waiter: Waiter) {
        let mut queue = self.queue();
        queue.waiters.push_back(waiter);
        let was_busy = std::mem::replace(&mut queue.thread_is_busy, true);
        drop(queue);
        if !was_busy {
            self.send(WriterMessage::Wanted);
        }
    }

    /// Gives the connection to the next transaction that can join the group, or else to the thread.
    fn pass_on(self: &Arc<Self>, mut group: Box<CommitGroup>) {
        let joins = |waiter: &mut Waiter| waiter.can_join(&group);
        let mut queue = self.queue();
        let waiter = queue.front().is_some().then(|| queue.waiters.pop_front_if(joins)).flatten();
        drop(queue);
        match waiter {
            Some(waiter) => match group.begin() {
                Ok(()) => self.give(waiter, group),
                Err(error) => {
                    waiter.refuse(error.into());
                    self.send(WriterMessage::Returned(group));
                }
            },
            None => self.send(WriterMessage::Returned(group)),
        }
    }

    pub(crate) fn next(&self, group: &CommitGroup) -> Next {
        let mut queue = self.queue();
        let can_join = queue.front().map(|waiter| waiter.can_join(group));
        if group.is_open() && can_join != Some(true) {
            return Next::Commit;
        }
        match queue.waiters.pop_front() {
            Some(waiter) => Next::Begin(waiter),
            None => {
                queue.thread_is_busy = false;
                Next::Park
            }
        }
    }

    pub(crate) fn give(self: &Arc<Self>, waiter: Waiter, group: Box<CommitGroup>) {
        group.execute_on(waiter.execution);
        self.is_in_use.store(true, Ordering::Relaxed);
        let transaction = WriteTransaction {
            sees_uncommitted: group.has_members(),
            group: Some(group),
            begin: waiter.begin,
            execution: waiter.execution,
            shared: self.clone(),
        };
        // If the caller no longer waits, the transaction is dropped here, which rolls it back and passes the
        // connection on.
        drop(waiter.give.send(Ok(transaction)));
    }
}
