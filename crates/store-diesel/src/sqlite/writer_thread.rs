//! The thread that writes: it serves those who ask one after the other.
//!
//! Who has the turn sends its statements here, and says in the end whether they are to stay. Going on to the next one takes no change of
//! thread. What takes longest is that a COMMIT reaches the disk, and so those who wait may share one: each is told that it is committed when
//! all of them are.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError};

use diesel::{QueryResult, SqliteConnection};
use kernel::StoreError;

use super::blocking::{Place, this_is_the_writers};
use super::dialect::Connection;
use super::group_commit::Group;
use super::messages::{Ask, Ending, Message, Wish};
use super::turn::Turn;
use crate::errors::{failed, store_error};

/// No more than so many share a COMMIT: the first of them waits for the last.
pub(super) const MOST_IN_A_GROUP: usize = 16;

/// The thread, and what it has in hand.
pub(super) struct WriterThread {
    path: String,
    messages: Sender<Message>,
    /// The turn that somebody has, and what it is for.
    current: Option<(u64, Wish)>,
    turns: u64,
    is_lent: Arc<AtomicBool>,
    waiting: VecDeque<Ask>,
    group: Group,
    stops: bool,
}

impl WriterThread {
    pub(super) fn new(path: String, messages: Sender<Message>, is_lent: Arc<AtomicBool>) -> Self {
        Self {
            path,
            messages,
            current: None,
            turns: 0,
            is_lent,
            waiting: VecDeque::new(),
            group: Group::default(),
            stops: false,
        }
    }

    /// Serves until it is told to stop.
    pub(super) fn serve(mut self, messages: &Receiver<Message>) {
        this_is_the_writers();
        while !(self.stops && self.is_idle()) {
            // It could tell itself something, and so the channel is never closed.
            let message = if self.current.is_some() || self.is_idle() {
                messages.recv().map_err(TryRecvError::from)
            } else {
                messages.try_recv()
            };
            let step = || match message {
                Ok(message) => self.take(message),
                Err(_) => self.go_on(),
            };
            if catch_unwind(AssertUnwindSafe(step)).is_err() {
                self.start_over();
            }
        }
    }

    /// Whatever somebody's work brought about, the others can go on: with another connection, on which nothing is open.
    fn start_over(&mut self) {
        tracing::error!("the thread that writes to the database panicked, and starts over");
        self.current = None;
        self.is_lent.store(false, Ordering::Relaxed);
        self.group = Group::default();
    }

    /// Whether there is nothing to do.
    fn is_idle(&self) -> bool {
        self.current.is_none() && self.waiting.is_empty() && self.group.is_over()
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Ask(ask) => self.waiting.push_back(ask),
            Message::Work(work) => work(),
            Message::Over(number, connection, ending) => {
                self.turn_is_over(number, connection, *ending)
            }
            Message::Stop => self.stops = true,
        }
    }

    fn turn_is_over(&mut self, number: u64, connection: Connection, ending: Ending) {
        let current = self.current.take_if(|(current, _)| *current == number);
        let Some((_, wish)) = current else {
            // It is of before everything started over.
            drop(connection);
            return drop(ending);
        };
        self.group.is_back(connection);
        self.is_lent.store(false, Ordering::Relaxed);
        match ending {
            Ending::Commit(answer, done) => self.group.keep(answer, done),
            Ending::RollBack(hold) => {
                if wish != Wish::Statement {
                    self.group.undo();
                }
                drop(hold);
            }
        }
    }

    /// The next one's turn, or else the COMMIT of those who are done.
    fn go_on(&mut self) {
        let is_full = self.group.len() >= MOST_IN_A_GROUP;
        let joins = |ask: &Ask| ask.wish == Wish::Joining;
        if is_full || !self.waiting.front().is_some_and(joins) {
            self.group.end();
        }
        if let Some(ask) = self.waiting.pop_front() {
            (ask.start)(self);
        }
    }

    /// Begins a turn with some work, and hands it out with what came of that.
    pub(super) fn begin<R: Send + 'static>(
        &mut self,
        wish: Wish,
        work: impl FnOnce(&mut SqliteConnection) -> QueryResult<R> + Send + 'static,
    ) -> Result<(Turn, QueryResult<R>), StoreError> {
        let connected = self
            .group
            .connect(&self.path, Place::Writer(self.messages.clone()));
        connected.map_err(|source| StoreError::Unavailable(source.into()))?;
        if wish != Wish::Statement {
            self.group.begin().map_err(store_error)?;
        }
        let done = self.group.run(work);
        let connection = self.group.lend();
        let connection = connection.ok_or_else(|| failed("there is no connection to lend"))?;
        self.turns = self.turns.wrapping_add(1);
        self.current = Some((self.turns, wish));
        self.is_lent.store(true, Ordering::Relaxed);
        let turn = Turn::new(connection, self.turns, self.messages.clone());
        Ok((turn, done))
    }
}
