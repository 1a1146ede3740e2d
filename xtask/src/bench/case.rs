//! A kind of request, and how to write the next one.

use std::sync::atomic::{AtomicU64, Ordering};

use super::figure::Goal;
use super::floor::Script;

/// Writes the `n`th request.
pub(super) type Write = Box<dyn Fn(u64, &mut Vec<u8>) + Send + Sync>;

/// A kind of request that is measured.
pub(super) struct Case {
    pub(super) name: String,
    /// The status of the answer.
    pub(super) expected: u16,
    write: Write,
    written: AtomicU64,
    /// What the database does for such a request.
    pub(super) script: Script,
    /// What is to be reached, and with how many connections.
    pub(super) goal: Option<(u32, Goal)>,
}

impl Case {
    pub(super) fn new(name: impl Into<String>, expected: u16, script: Script, write: Write) -> Self {
        Self { name: name.into(), expected, write, written: AtomicU64::new(0), script, goal: None }
    }

    /// With this many connections, this is to be reached.
    pub(super) fn with_goal(mut self, connections: u32, goal: Goal) -> Self {
        self.goal = Some((connections, goal));
        self
    }

    /// Writes a request that was not written before.
    pub(super) fn write_next(&self, request: &mut Vec<u8>) {
        (self.write)(self.written.fetch_add(1, Ordering::Relaxed), request);
    }
}
