//! The payloads of reminder jobs and of test reminders.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::message::MessageId;

/// A reminder to send.
#[derive(Serialize, Deserialize)]
pub struct ReminderTask {
    /// The message.
    pub(super) message: Uuid,
}

impl ReminderTask {
    /// The job kind of reminders.
    pub const KIND: &'static str = "reminder";

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
