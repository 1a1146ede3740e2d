//! The payloads of reminder jobs and of test reminders.

use outbox::Task;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::message::MessageId;

/// A reminder to send.
#[derive(Serialize, Deserialize)]
pub struct ReminderTask {
    /// The message.
    pub(super) message: Uuid,
}

impl Task for ReminderTask {
    const KIND: &'static str = "reminder";
}

impl ReminderTask {
    /// The message to send.
    #[must_use]
    pub const fn message(&self) -> MessageId {
        MessageId::from_uuid(self.message)
    }
}

/// A test reminder that is mailed to the owner, as the preview showed it.
#[derive(Serialize, Deserialize)]
pub(super) struct TestContent {
    pub(super) subject: String,
    pub(super) text: String,
    pub(super) html: String,
}
