//! What the thread that writes is told.

use diesel::QueryResult;
use tokio::sync::oneshot;

use super::dialect::Connection;
use super::writer_thread::WriterThread;
use crate::holds::Hold;
use crate::rows::StoredResponseRow;

/// What a turn is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    /// A statement that is a transaction of its own.
    Statement,
    /// A transaction.
    Transaction,
    /// A transaction that may see what is not committed yet, and be committed along with it.
    Joining,
}

/// What the thread is told.
pub(super) enum Message {
    /// Somebody wants a turn.
    Ask(Ask),
    /// A statement of whoever has the turn.
    Work(Box<dyn FnOnce() + Send>),
    /// The turn of this number is over.
    Over(u64, Connection, Box<Ending>),
    /// Nobody will ask any more.
    Stop,
}

/// What is to become of what was done in a turn.
pub(super) enum Ending {
    /// It stays, and the answer is kept.
    Commit(Option<StoredResponseRow>, Done),
    /// Nothing of its transaction stays. The hold ends when nothing of it is left.
    RollBack(Option<Hold>),
}

/// Somebody who waits for a turn.
pub(super) struct Ask {
    pub(super) wish: Wish,
    /// Begins the turn and hands it out, if it is still wanted.
    pub(super) start: Box<dyn FnOnce(&mut WriterThread) + Send>,
}

/// Whoever waits for a COMMIT, and what it holds until then.
pub(super) struct Done {
    pub(super) hold: Option<Hold>,
    pub(super) tell: oneshot::Sender<QueryResult<()>>,
}

impl Done {
    /// Says what came of it.
    pub(super) fn tell(self, committed: QueryResult<()>) {
        // The key is free before anybody knows.
        drop(self.hold);
        let _whoever_waited_is_gone = self.tell.send(committed);
    }
}
