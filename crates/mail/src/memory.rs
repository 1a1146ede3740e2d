//! A queue in memory: for examples, tests and programs that need no more.

use async_trait::async_trait;
use kernel::StoreError;

use crate::ports::OutgoingMail;
use crate::queued::QueuedMail;

/// Mails in memory, which are gone with the process. A shared reference to it is its own place in a transaction: what is
/// queued is due at once.
pub type MemoryQueue = outbox::MemoryQueue<QueuedMail>;

#[async_trait]
impl OutgoingMail for &MemoryQueue {
    async fn queue(&mut self, mail: &QueuedMail) -> Result<(), StoreError> {
        self.put(mail);
        Ok(())
    }
}
