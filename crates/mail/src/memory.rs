//! A queue in memory, for examples and tests.

use async_trait::async_trait;
use kernel::StoreError;

use crate::ports::OutgoingMail;
use crate::queued::{NewMail, QueuedMail};

/// Mails in memory, which end with the process. What a shared reference to it queues is due at once.
pub type MemoryQueue = outbox::MemoryQueue<QueuedMail>;

#[async_trait]
impl OutgoingMail for &MemoryQueue {
    async fn queue(&mut self, mail: NewMail) -> Result<(), StoreError> {
        self.put(&mail.into());
        Ok(())
    }
}
