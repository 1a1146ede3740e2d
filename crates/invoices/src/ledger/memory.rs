//! Tasks in memory: for examples, tests and programs that need no more.

use async_trait::async_trait;
use kernel::StoreError;

use super::ports::LedgerQueue;
use super::task::LedgerTask;

/// Tasks in memory, which are gone with the process. A shared reference to it is its own place in a
/// transaction: what is queued is due at once.
pub type MemoryLedgerTasks = outbox::MemoryQueue<LedgerTask>;

#[async_trait]
impl LedgerQueue for &MemoryLedgerTasks {
    async fn queue(&mut self, task: &LedgerTask) -> Result<(), StoreError> {
        self.put(task);
        Ok(())
    }
}
