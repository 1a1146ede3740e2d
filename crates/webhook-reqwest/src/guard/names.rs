//! Resolving host names.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, ToSocketAddrs};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Shared};
use tokio::sync::Semaphore;

/// Resolves host names.
#[async_trait]
pub trait HostResolver: Send + Sync {
    /// Every address of a name.
    ///
    /// # Errors
    /// The system's error when it knows none.
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// Asks the system's resolver, like every program of the machine: hosts file, name servers, search domains.
pub struct SystemNames {
    lookups: Arc<Semaphore>,
    under_way: Arc<Mutex<LookupsByName>>,
    resolve: fn(&str) -> io::Result<Vec<IpAddr>>,
}

type LookupsByName = HashMap<String, Lookup>;

/// A look-up, for all who ask for its name meanwhile.
type Lookup = Shared<BoxFuture<'static, Result<Vec<IpAddr>, Arc<io::Error>>>>;

impl SystemNames {
    /// How many names are looked up at once. Each look-up occupies a thread for as long as its name servers
    /// take, even if the caller no longer waits. The runtime has 512 threads for all blocking work, and slow
    /// names must leave enough of them.
    pub const MAX_LOOKUPS: usize = 256;

    fn with(resolve: fn(&str) -> io::Result<Vec<IpAddr>>) -> Self {
        Self { lookups: Arc::new(Semaphore::new(Self::MAX_LOOKUPS)), under_way: Arc::default(), resolve }
    }

    /// The look-up of a name that is under way, or else a new one: the attempts to a few receivers whose name
    /// servers never respond would otherwise take all turns from the others.
    fn lookup(&self, name: &str) -> Lookup {
        let mut under_way = locked(&self.under_way);
        if let Some(lookup) = under_way.get(name) {
            return lookup.clone();
        }
        let (lookups, ended, resolve) = (self.lookups.clone(), self.under_way.clone(), self.resolve);
        let resolved = name.to_owned();
        // A task of its own, which completes even if every caller was dropped.
        let task = tokio::spawn(async move {
            let found = in_turn(&lookups, resolve, resolved.clone()).await;
            locked(&ended).remove(&resolved);
            found
        });
        let lookup = task.map(|found| found.unwrap_or_else(|error| Err(Arc::new(io::Error::other(error)))));
        let lookup = lookup.boxed().shared();
        under_way.insert(name.to_owned(), lookup.clone());
        lookup
    }
}

async fn in_turn(
    lookups: &Semaphore,
    resolve: fn(&str) -> io::Result<Vec<IpAddr>>,
    name: String,
) -> Result<Vec<IpAddr>, Arc<io::Error>> {
    let _permit = lookups.acquire().await.map_err(io::Error::other)?;
    let found = tokio::task::spawn_blocking(move || resolve(&name)).await;
    Ok(found.map_err(io::Error::other)??)
}

fn locked(lookups: &Mutex<LookupsByName>) -> MutexGuard<'_, LookupsByName> {
    // No change to the map panics half way.
    lookups.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Default for SystemNames {
    fn default() -> Self {
        Self::with(|name| Ok((name, 0).to_socket_addrs()?.map(|address| address.ip()).collect()))
    }
}

#[async_trait]
impl HostResolver for SystemNames {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let found = self.lookup(name).await;
        found.map_err(|error| io::Error::new(error.kind(), error))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::future::join_all;
    use futures_util::poll;

    use super::*;

    #[tokio::test]
    async fn system_resolves_localhost_and_no_invalid_name() {
        let names = SystemNames::default();
        let found = names.addresses("localhost").await.unwrap();
        assert!(!found.is_empty() && found.iter().all(IpAddr::is_loopback));
        assert!(names.addresses("nobody.invalid").await.is_err());
    }

    static RESPONDS: OnceLock<()> = OnceLock::new();
    static QUESTIONS: AtomicUsize = AtomicUsize::new(0);

    /// The name servers of `slow` respond once they are told to.
    fn resolve(name: &str) -> io::Result<Vec<IpAddr>> {
        if name == "slow" {
            QUESTIONS.fetch_add(1, Ordering::SeqCst);
            RESPONDS.wait();
        }
        Ok(vec![IpAddr::from([203, 0, 113, 7])])
    }

    #[tokio::test]
    async fn slow_name_is_looked_up_once_at_a_time_and_delays_no_other() {
        let names = SystemNames::with(resolve);
        let mut waiting: Vec<_> =
            (0..2 * SystemNames::MAX_LOOKUPS).map(|_| names.addresses("slow")).collect();
        for one in &mut waiting {
            assert!(poll!(one).is_pending());
        }
        waiting.truncate(2);
        assert_eq!(names.addresses("fast").await.unwrap().len(), 1);
        RESPONDS.set(()).unwrap();
        for found in join_all(waiting).await {
            assert_eq!(found.unwrap().len(), 1);
        }
        assert_eq!(QUESTIONS.load(Ordering::SeqCst), 1);
        names.addresses("slow").await.unwrap();
        assert_eq!(QUESTIONS.load(Ordering::SeqCst), 2);
    }
}
