//! Where SQLite's blocking work is done.

use std::error::Error;

use diesel_async::sync_connection_wrapper::SpawnBlocking;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, TryFutureExt};
use tokio::runtime::Handle;

/// The blocking threads of the runtime that opened the store, whichever runtime asks.
///
/// diesel-async's own choice blocks the asking thread when a query is cancelled, and panics where the runtime has but one. Here
/// a cancelled query runs to its end on its own, and its connection is not lent again.
#[derive(Debug, Clone)]
pub(super) struct OnHandle(pub(super) Handle);

impl SpawnBlocking for OnHandle {
    fn spawn_blocking<'a, R>(
        &mut self,
        task: impl FnOnce() -> R + Send + 'static,
    ) -> BoxFuture<'a, Result<R, Box<dyn Error + Send + Sync + 'static>>>
    where
        R: Send + 'static,
    {
        self.0.spawn_blocking(task).map_err(Box::from).boxed()
    }

    fn get_runtime() -> Self {
        Self(Handle::current())
    }
}
