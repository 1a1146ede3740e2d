//! The task that listens for commits of other processes.

use std::sync::OnceLock;

use tokio::runtime::Handle;
use tokio::task::AbortHandle;

/// The task that listens for commits of other processes. It starts when it is first needed, and ends with the
/// store.
#[derive(Default)]
pub(super) struct Listening(OnceLock<AbortHandle>);

impl Listening {
    pub(super) fn start<F: Future<Output = ()> + Send + 'static>(
        &self,
        runtime: &Handle,
        listening: impl FnOnce() -> F,
    ) {
        self.0.get_or_init(|| runtime.spawn(listening()).abort_handle());
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        if let Some(task) = self.0.get() {
            task.abort();
        }
    }
}
