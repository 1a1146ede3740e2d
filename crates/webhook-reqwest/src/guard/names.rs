//! Resolving host names.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, ToSocketAddrs};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Shared};
use tokio::sync::{AcquireError, Semaphore, SemaphorePermit};

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
    turns: Arc<Turns>,
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
        Self { turns: Arc::new(Turns::new()), under_way: Arc::default(), resolve }
    }

    /// The look-up of a name that is under way, or else a new one: the attempts to a few receivers whose name
    /// servers never respond would otherwise take all turns from the others.
    fn lookup(&self, name: &str) -> Lookup {
        let mut under_way = locked(&self.under_way);
        if let Some(lookup) = under_way.get(name) {
            return lookup.clone();
        }
        let (turns, ended, resolve) = (self.turns.clone(), self.under_way.clone(), self.resolve);
        let resolved = name.to_owned();
        // A task of its own, which completes even if every caller was dropped.
        let task = tokio::spawn(async move {
            let found = in_turn(&turns, resolve, resolved.clone()).await;
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
    turns: &Turns,
    resolve: fn(&str) -> io::Result<Vec<IpAddr>>,
    name: String,
) -> Result<Vec<IpAddr>, Arc<io::Error>> {
    let _permit = turns.take(&name).await.map_err(io::Error::other)?;
    let asked = name.clone();
    let timed = move || {
        let begun = Instant::now();
        (resolve(&asked), begun.elapsed())
    };
    let (found, took) = tokio::task::spawn_blocking(timed).await.map_err(io::Error::other)?;
    turns.ended(name, found.is_ok() && took <= QUICK);
    Ok(found?)
}

/// A look-up that takes longer is slow.
const QUICK: Duration = Duration::from_secs(1);
/// How many quick names are remembered.
const MAX_REMEMBERED: usize = 4_096;

/// The turns of look-ups. Some are reserved for names whose last look-up was quick, so that name servers that
/// have never responded, however many, do not keep receivers from being called that respond.
struct Turns {
    for_all: Semaphore,
    for_quick: Semaphore,
    quick: Mutex<QuickNames>,
}

impl Turns {
    const RESERVED: usize = 64;

    fn new() -> Self {
        Self {
            for_all: Semaphore::new(SystemNames::MAX_LOOKUPS - Self::RESERVED),
            for_quick: Semaphore::new(Self::RESERVED),
            quick: Mutex::default(),
        }
    }

    async fn take(&self, name: &str) -> Result<SemaphorePermit<'_>, AcquireError> {
        let is_quick = locked(&self.quick).contains(name);
        tokio::select! {
            biased;
            turn = self.for_all.acquire() => turn,
            turn = self.for_quick.acquire(), if is_quick => turn,
        }
    }

    fn ended(&self, name: String, is_quick: bool) {
        let mut quick = locked(&self.quick);
        if is_quick { quick.put(name) } else { quick.remove(&name) }
    }
}

/// The names whose last look-up was quick: the latest [`MAX_REMEMBERED`].
#[derive(Default)]
struct QuickNames {
    /// Each name with the number of its last look-up.
    names: HashMap<String, u64>,
    ended: u64,
}

impl QuickNames {
    fn contains(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    fn put(&mut self, name: String) {
        self.ended = self.ended.wrapping_add(1);
        self.names.insert(name, self.ended);
        if self.names.len() > MAX_REMEMBERED {
            let oldest = self.names.iter().min_by_key(|(_, ended)| **ended).map(|(name, _)| name.clone());
            oldest.and_then(|name| self.names.remove(&name));
        }
    }

    fn remove(&mut self, name: &str) {
        self.names.remove(name);
    }
}

fn locked<T>(names: &Mutex<T>) -> MutexGuard<'_, T> {
    // No change to the names panics half way.
    names.lock().unwrap_or_else(PoisonError::into_inner)
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
    use tokio::time::timeout;

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

    static HANGING: OnceLock<()> = OnceLock::new();

    fn resolve_or_hang(name: &str) -> io::Result<Vec<IpAddr>> {
        if name.starts_with("hangs") {
            HANGING.wait();
        }
        Ok(vec![IpAddr::from([203, 0, 113, 7])])
    }

    #[tokio::test]
    async fn names_that_hang_leave_turns_for_those_that_resolved_quickly() {
        let names = SystemNames::with(resolve_or_hang);
        names.turns.ended("known".to_owned(), true);
        let hanging: Vec<_> = (0..2 * SystemNames::MAX_LOOKUPS).map(|n| format!("hangs{n}")).collect();
        let mut hanging: Vec<_> = hanging.iter().map(|name| names.addresses(name)).collect();
        for one in &mut hanging {
            assert!(poll!(one).is_pending());
        }
        while names.turns.for_all.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        let known = timeout(Duration::from_secs(10), names.addresses("known")).await;
        let mut unknown = names.addresses("unknown");
        let waiting = timeout(Duration::from_millis(50), &mut unknown).await;
        // Before anything fails: the runtime waits for its threads.
        HANGING.set(()).unwrap();
        assert!(known.is_ok_and(|found| found.is_ok()));
        assert!(waiting.is_err() && unknown.await.is_ok());
        join_all(hanging).await;
    }

    #[test]
    fn names_that_were_looked_up_last_are_remembered() {
        let turns = Turns::new();
        for n in 0..MAX_REMEMBERED + 300 {
            turns.ended(n.to_string(), true);
        }
        let quick = locked(&turns.quick);
        assert_eq!(quick.names.len(), MAX_REMEMBERED);
        assert!((300..MAX_REMEMBERED + 300).all(|n| quick.contains(&n.to_string())));
    }
}
