//! The connections of one serving thread to several servers.

use std::sync::{Mutex, PoisonError};

use crate::pool::Pool;

/// The pools of one serving thread, one for each server that it has used.
#[derive(Default)]
pub struct ServersOfThread {
    pools: Mutex<Vec<Pool>>,
}

impl ServersOfThread {
    /// The thread's copy of a server's pool. Call this in that thread, inside its runtime.
    ///
    /// Copies of pools that are not among `in_use` are dropped: a replaced server is not used again. The
    /// number of copies of a pool does not tell, because each thread has one.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn pool_of<'a>(&self, server: &Pool, in_use: impl Iterator<Item = &'a Pool> + Clone) -> Pool {
        let mut pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        pools.retain(|own| in_use.clone().any(|pool| own.is_copy_of(pool)));
        if let Some(own) = pools.iter().find(|own| own.is_copy_of(server)) {
            return own.clone();
        }
        let own = server.for_thread();
        pools.push(own.clone());
        own
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Weak};

    use super::*;
    use crate::options::PoolOptions;

    #[tokio::test]
    async fn connections_to_a_replaced_server_are_dropped_by_every_thread() {
        let options = PoolOptions { threads: 2, ..PoolOptions::default() };
        let server = || Pool::new("postgres://localhost/x", &options).unwrap();
        let (kept, replaced, new) = (server(), server(), server());
        let threads = [ServersOfThread::default(), ServersOfThread::default()];
        let before = [&kept, &replaced];
        let own = |pool: &Pool| {
            let own = threads.each_ref().map(|thread| thread.pool_of(pool, before.into_iter()).own);
            own.map(|own| Arc::downgrade(&own.unwrap()))
        };
        let (of_kept, of_replaced) = (own(&kept), own(&replaced));
        assert_eq!(own(&replaced).map(|own| own.as_ptr()), of_replaced.each_ref().map(Weak::as_ptr));
        drop(replaced);
        let after = [&kept, &new];
        for thread in &threads {
            thread.pool_of(&new, after.into_iter());
        }
        assert_eq!(of_kept.map(|own| own.strong_count()), [1, 1]);
        assert_eq!(of_replaced.map(|own| own.strong_count()), [0, 0]);
    }
}
