//! Connections of one serving thread.
//!
//! A connection whose socket another thread drives costs two changes of thread for every statement, which is
//! more than the statement's own work. A connection that the thread's own runtime drives costs none.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use deadpool::managed::Timeouts;

use crate::connect::{Connections, Object};
use crate::pipelined::PipelinedConnection;

/// The connections of one thread: some to lend, and perhaps one for pipelining.
pub struct PerThreadPool {
    pub(crate) connections: Connections,
    pub(crate) pipelined: Option<PipelinedConnection>,
}

impl PerThreadPool {
    /// A connection if one is free. A connection that cannot be opened is no error: a shared one may be open
    /// already.
    pub(crate) async fn try_get(&self) -> Option<Object> {
        let timeouts = Timeouts { wait: Some(Duration::ZERO), ..self.connections.timeouts() };
        self.connections.timeout_get(&timeouts).await.ok()
    }
}

/// The pools that exist, for a limited number of threads.
pub(crate) struct PerThreadPools {
    max_threads: usize,
    pools: Mutex<Vec<Weak<PerThreadPool>>>,
}

impl PerThreadPools {
    pub(crate) fn new(max_threads: usize) -> Self {
        Self { max_threads, pools: Mutex::default() }
    }

    /// Adds a pool, unless there are as many as allowed. A dropped pool no longer counts.
    pub(crate) fn add(&self, make: impl FnOnce() -> Option<PerThreadPool>) -> Option<Arc<PerThreadPool>> {
        let mut pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        pools.retain(|pool| pool.strong_count() > 0);
        if pools.len() >= self.max_threads {
            return None;
        }
        let pool = Arc::new(make()?);
        pools.push(Arc::downgrade(&pool));
        Some(pool)
    }

    pub(crate) fn all(&self) -> Vec<Arc<PerThreadPool>> {
        let pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        pools.iter().filter_map(Weak::upgrade).collect()
    }
}
