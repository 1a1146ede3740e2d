//! The turn to write, of which there is one at a time.

use std::sync::mpsc::Sender;

use diesel::QueryResult;
use diesel::result::Error;
use tokio::sync::oneshot;

use super::dialect::Connection;
use super::messages::{Done, Ending, Message};
use crate::holds::Hold;
use crate::rows::StoredResponseRow;

/// The turn. Dropping it rolls back.
pub(super) struct Turn {
    /// Here until the turn is over.
    connection: Option<Connection>,
    number: u64,
    messages: Sender<Message>,
}

impl Turn {
    pub(super) const fn new(
        connection: Connection,
        number: u64,
        messages: Sender<Message>,
    ) -> Self {
        Self {
            number,
            connection: Some(connection),
            messages,
        }
    }

    /// The connection, while the turn is not over.
    pub(super) const fn connection(&mut self) -> Option<&mut Connection> {
        self.connection.as_mut()
    }

    /// Ends the turn: keeps an answer, if there is one, and commits. Whoever stops waiting does not stop the COMMIT.
    pub(super) async fn commit(
        &mut self,
        answer: Option<StoredResponseRow>,
        hold: Option<Hold>,
    ) -> QueryResult<()> {
        let connection = self.connection.take().ok_or(Error::NotInTransaction)?;
        let (tell, told) = oneshot::channel();
        let done = Done { hold, tell };
        let over = Message::Over(
            self.number,
            connection,
            Box::new(Ending::Commit(answer, done)),
        );
        // Should the thread be gone, that drops whom to tell.
        drop(self.messages.send(over));
        told.await
            .unwrap_or_else(|_gone| Err(Error::BrokenTransactionManager))
    }

    /// Ends the turn, and leaves nothing of it; then the hold ends.
    pub(super) fn roll_back(mut self, hold: Option<Hold>) {
        self.give_back(hold);
    }

    fn give_back(&mut self, hold: Option<Hold>) {
        if let Some(connection) = self.connection.take() {
            let over = Message::Over(self.number, connection, Box::new(Ending::RollBack(hold)));
            drop(self.messages.send(over));
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.give_back(None);
    }
}
