//! Connections of one serving thread's own.
//!
//! A thread that serves requests runs a runtime of its own. A connection that another thread drives costs it two changes of thread for
//! every statement, which is dearer than the statement's own work; one that it drives itself costs none. So each such thread has
//! a few connections to itself, and takes from those that all share when they are lent. One more, its line, is never lent.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::{self, ThreadId};

use tokio::runtime::{Handle, RuntimeFlavor};

use super::line::Line;
use super::pool::Connections;

/// What one thread has to itself.
#[derive(Clone)]
pub(super) struct Near {
    pub(super) connections: Connections,
    pub(super) line: Line,
}

/// The pools of the threads that have one.
#[derive(Clone)]
pub(super) struct NearPools {
    opener: ThreadId,
    most: usize,
    pools: Arc<RwLock<HashMap<ThreadId, Near>>>,
}

impl NearPools {
    /// Of this many threads each may have a pool.
    pub(super) fn new(most: usize) -> Self {
        Self {
            opener: thread::current().id(),
            most,
            pools: Arc::default(),
        }
    }

    /// The pool of the thread that asks, made when it asks for the first time. `None` for a thread that does not drive what it
    /// waits for, for the one that opened the store, and for those that came when every pool was taken.
    pub(super) fn here(&self, make: impl FnOnce() -> Option<Connections>) -> Option<Near> {
        let thread = thread::current().id();
        if thread == self.opener {
            return None;
        }
        let pools = self.pools.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(near) = pools.get(&thread) {
            return Some(near.clone());
        }
        let is_full = pools.len() >= self.most;
        drop(pools);
        let drives_itself = Handle::try_current()
            .is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::CurrentThread);
        if is_full || !drives_itself {
            return None;
        }
        let near = Near {
            connections: make()?,
            line: Line::default(),
        };
        let mut pools = self.pools.write().unwrap_or_else(PoisonError::into_inner);
        if pools.len() >= self.most {
            return None;
        }
        pools.insert(thread, near.clone());
        Some(near)
    }

    /// What each thread has that has something.
    pub(super) fn all(&self) -> Vec<Near> {
        let pools = self.pools.read().unwrap_or_else(PoisonError::into_inner);
        pools.values().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use deadpool::managed;
    use tokio::runtime::Builder;

    use super::super::connector::{Connector, Maker};
    use super::*;
    use crate::StoreOptions;

    /// A pool that is never asked to connect.
    fn pool() -> Option<Connections> {
        let connector = Connector::new("postgres://localhost/x", &StoreOptions::default()).ok()?;
        let maker = Maker {
            connector: Arc::new(connector),
            runtime: None,
        };
        managed::Pool::builder(maker).max_size(1).build().ok()
    }

    /// How many of two askings on a thread of its own are answered with a pool.
    fn asked(near: &NearPools, mut runtime: Builder) -> usize {
        let ask =
            || async { near.here(pool).into_iter().count() + near.here(pool).into_iter().count() };
        let runtime = runtime.build().unwrap();
        thread::scope(|scope| scope.spawn(|| runtime.block_on(ask())).join().unwrap())
    }

    #[test]
    fn threads_that_drive_themselves_have_a_pool_each_as_long_as_there_are_any() {
        let near = NearPools::new(2);
        assert_eq!(asked(&near, Builder::new_multi_thread()), 0);
        assert_eq!(asked(&near, Builder::new_current_thread()), 2);
        assert_eq!(asked(&near, Builder::new_current_thread()), 2);
        assert_eq!(asked(&near, Builder::new_current_thread()), 0);
        assert_eq!(near.all().len(), 2);
    }

    #[test]
    fn whoever_opened_the_store_shares() {
        let near = NearPools::new(2);
        let runtime = Builder::new_current_thread().build().unwrap();
        assert!(runtime.block_on(async { near.here(pool) }).is_none());
        assert!(near.here(pool).is_none());
    }
}
