//! Host names and the addresses behind them.

use std::io;
use std::net::{IpAddr, ToSocketAddrs};
use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::Semaphore;

/// Knows the addresses of host names.
#[async_trait]
pub trait Names: Send + Sync {
    /// Every address of a name.
    ///
    /// # Errors
    /// What the system says when it knows none.
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// Asks the system, as every program of the machine does: its hosts file, its name servers, its search
/// domains.
#[derive(Debug)]
pub struct SystemNames {
    lookups: Arc<Semaphore>,
}

impl SystemNames {
    /// How many names are looked up at once. Each holds a thread for as long as its name servers take,
    /// whether or not someone still waits for the result; the runtime has 512 such threads for everything
    /// that blocks, and slow names must leave it enough of them.
    pub const MOST_LOOKUPS: usize = 256;
}

impl Default for SystemNames {
    fn default() -> Self {
        Self { lookups: Arc::new(Semaphore::new(Self::MOST_LOOKUPS)) }
    }
}

#[async_trait]
impl Names for SystemNames {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let lookups = Arc::clone(&self.lookups);
        let permit = lookups.acquire_owned().await.map_err(io::Error::other)?;
        let name = name.to_owned();
        let lookup = tokio::task::spawn_blocking(move || {
            // The permit goes with the thread: a lookup whose caller has gone still counts.
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
