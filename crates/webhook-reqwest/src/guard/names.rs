//! Resolving host names.

use std::io;
use std::net::{IpAddr, ToSocketAddrs};
use std::sync::Arc;

use async_trait::async_trait;
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
#[derive(Debug)]
pub struct SystemNames {
    lookups: Arc<Semaphore>,
}

impl SystemNames {
    /// How many names are looked up at once. Each look-up occupies a thread for as long as its name servers
    /// take, even if the caller no longer waits. The runtime has 512 threads for all blocking work, and slow
    /// names must leave enough of them.
    pub const MAX_LOOKUPS: usize = 256;
}

impl Default for SystemNames {
    fn default() -> Self {
        Self { lookups: Arc::new(Semaphore::new(Self::MAX_LOOKUPS)) }
    }
}

#[async_trait]
impl HostResolver for SystemNames {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let lookups = Arc::clone(&self.lookups);
        let permit = lookups.acquire_owned().await.map_err(io::Error::other)?;
        let name = name.to_owned();
        let lookup = tokio::task::spawn_blocking(move || {
            // The thread holds the permit: a look-up whose caller was dropped still counts.
            let _permit = permit;
            let found = (name.as_str(), 0).to_socket_addrs()?;
            Ok(found.map(|address| address.ip()).collect())
        });
        lookup.await.map_err(io::Error::other)?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn system_resolves_localhost_and_no_invalid_name() {
        let names = SystemNames::default();
        let found = names.addresses("localhost").await.unwrap();
        assert!(!found.is_empty() && found.iter().all(IpAddr::is_loopback));
        assert!(names.addresses("nobody.invalid").await.is_err());
    }
}
