//! The thread that begins groups of transactions and commits them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Weak;
use std::sync::mpsc::Receiver;

use tokio::runtime::Handle;

use crate::begin::{Begin, BeginError};
use crate::commit_group::CommitGroup;
use crate::write_transaction::{Next, SharedWriter, WriterMessage};

/// The thread; it holds the connection while no transaction does.
pub(crate) struct WriterThread {
    pub(crate) shared: Weak<SharedWriter>,
    pub(crate) parked: Option<Box<CommitGroup>>,
    pub(crate) path: String,
    pub(crate) runtime: Handle,
}

impl WriterThread {
    /// Ends when no writer and no transaction is left.
    pub(crate) fn serve(mut self, messages: &Receiver<WriterMessage>) {
        while let Ok(message) = messages.recv() {
            if catch_unwind(AssertUnwindSafe(|| self.take(message))).is_err() {
                tracing::error!("the thread that writes to the database panicked, and starts over");
                self.parked = None;
                let group = self.parked();
                self.go_on(group);
            }
        }
    }

    fn take(&mut self, message: WriterMessage) {
        let group = match message {
            WriterMessage::Wanted => self.parked(),
            WriterMessage::Ended(ended) => ended.settle(),
            WriterMessage::Returned(group) => group,
        };
        self.go_on(group);
    }

    /// The unused connection, or a group that has yet to connect.
    fn parked(&mut self) -> Box<CommitGroup> {
        let parked = self.parked.take();
        parked.unwrap_or_else(|| Box::new(CommitGroup::new(self.path.clone(), self.runtime.clone())))
    }

    fn go_on(&mut self, mut group: Box<CommitGroup>) {
        let Some(shared) = self.shared.upgrade() else {
            return group.commit();
        };
        loop {
            match shared.next(&group) {
                Next::Commit => group.commit(),
                Next::Begin(waiter) => match begin(&mut group, waiter.begin) {
                    Ok(()) => return shared.give(waiter, group),
                    Err(error) => waiter.refuse(error),
                },
                Next::Park => {
                    self.parked = Some(group);
                    return;
                }
            }
        }
    }
}

fn begin(group: &mut CommitGroup, begin: Begin) -> Result<(), BeginError> {
    group.connect()?;
    if begin != Begin::Autocommit {
        group.begin()?;
    }
    Ok(())
}
