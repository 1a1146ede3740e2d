//! Where SQLite's blocking work is done.

use std::cell::Cell;
use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::Sender;

use diesel_async::sync_connection_wrapper::SpawnBlocking;
use futures_util::future::{BoxFuture, ready};
use futures_util::{FutureExt, TryFutureExt};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::messages::Message;

thread_local! {
    static IS_THE_WRITERS: Cell<bool> = const { Cell::new(false) };
}

/// The place of a connection's work, whichever runtime asks.
///
/// diesel-async's own choice blocks the asking thread when a query is cancelled, and panics where the runtime has but one. Here
/// a cancelled query runs to its end on its own.
#[derive(Debug, Clone)]
pub(super) enum Place {
    /// The blocking threads of the runtime that opened the store.
    Anywhere(Handle),
    /// The one thread that writes.
    Writer(Sender<Message>),
}

/// Says that this thread is the one that writes: what is to be done there is then done at once.
pub(super) fn this_is_the_writers() {
    IS_THE_WRITERS.set(true);
}

type Done<R> = Result<R, Box<dyn Error + Send + Sync + 'static>>;

impl SpawnBlocking for Place {
    fn spawn_blocking<'a, R>(
        &mut self,
        task: impl FnOnce() -> R + Send + 'static,
    ) -> BoxFuture<'a, Done<R>>
    where
        R: Send + 'static,
    {
        match self {
            Self::Anywhere(handle) => handle.spawn_blocking(task).map_err(Box::from).boxed(),
            Self::Writer(_) if IS_THE_WRITERS.get() => ready(unless_it_panics(task)).boxed(),
            Self::Writer(messages) => {
                let (tell, told) = oneshot::channel();
                let work = move || {
                    let _whoever_asked_is_gone = tell.send(unless_it_panics(task));
                };
                // Should the thread be gone, that drops whom to tell.
                drop(messages.send(Message::Work(Box::new(work))));
                async move { told.await.unwrap_or_else(|gone| Err(Box::from(gone))) }.boxed()
            }
        }
    }

    fn get_runtime() -> Self {
        Self::Anywhere(Handle::current())
    }
}

fn unless_it_panics<R>(task: impl FnOnce() -> R) -> Done<R> {
    // A panic is a failure like any other: a transaction is rolled back after it.
    catch_unwind(AssertUnwindSafe(task)).map_err(|_panic| "the work of a query panicked".into())
}
