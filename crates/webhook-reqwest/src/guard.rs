//! The address guard: the service calls public addresses only.
//!
//! A target is checked twice. Registering one runs `Guard::check`, so that a mistake is reported at once; a
//! name can lead elsewhere later, so that is not enough. Connecting runs `Guard::look_up` (names, as the
//! client's resolver) and `Guard::check_host` (addresses written as such, for which no resolver is asked):
//! the client connects to the addresses that were checked, without a second look-up.
//!
//! A name with one address that is not public is refused, even if the others are public: its owner chooses
//! their order.

pub mod addresses;
mod check;
pub mod names;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::Host;

use crate::fault::Fault;
use addresses::is_public;
use names::Names;

/// Where outgoing requests may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// To public addresses only.
    Public,
    /// To any address, for development and tests: `COUNTINGHOUSE_ALLOW_PRIVATE_TARGETS`.
    Anywhere,
}

/// Checks hosts by their addresses.
#[derive(Clone)]
pub(crate) struct Guard {
    names: Arc<dyn Names>,
    reach: Reach,
    /// [`is_public`], but for tests, which have no public address to call.
    public: fn(IpAddr) -> bool,
}

impl Guard {
    pub(crate) fn new(reach: Reach, names: Arc<dyn Names>) -> Self {
        Self { names, reach, public: is_public }
    }

    /// A guard with other public addresses.
    #[cfg(test)]
    pub(crate) fn with_public(mut self, public: fn(IpAddr) -> bool) -> Self {
        self.public = public;
        self
    }

    /// Refuses a host that can be checked without looking it up: an address, or a name that can only mean
    /// this machine (RFC 6761). Other names of local networks (`.local`, `.internal`, those of one label) are
    /// checked by their addresses.
    pub(crate) fn check_host(&self, host: Option<Host<&str>>) -> Result<(), Fault> {
        match host {
            None => Err(Fault::Unresolved),
            Some(Host::Domain(name)) => self.check_name(name),
            Some(Host::Ipv4(address)) => self.check_address(address.into()),
            Some(Host::Ipv6(address)) => self.check_address(address.into()),
        }
    }

    /// The addresses of a name, all of them within reach.
    pub(crate) async fn look_up(&self, name: &str) -> Result<Vec<IpAddr>, Fault> {
        self.check_name(name)?;
        let found = self.names.addresses(name).await.unwrap_or_default();
        if found.is_empty() {
            return Err(Fault::Unresolved);
        }
        found.iter().try_for_each(|address| self.check_address(*address))?;
        Ok(found)
    }

    fn check_name(&self, name: &str) -> Result<(), Fault> {
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        let local = name == "localhost" || name.ends_with(".localhost");
        if local && self.reach == Reach::Public {
            return Err(Fault::NotPublic);
        }
        Ok(())
    }

    fn check_address(&self, address: IpAddr) -> Result<(), Fault> {
        match self.reach {
            Reach::Anywhere => Ok(()),
            Reach::Public if (self.public)(address) => Ok(()),
            Reach::Public => Err(Fault::NotPublic),
        }
    }
}

/// The client asks here for every connection that it makes to a name.
impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = self.clone();
        Box::pin(async move {
            let found = guard.look_up(name.as_str()).await?;
            // The client puts the URL's port, or that of https, in the place of 0.
            let found: Addrs = Box::new(found.into_iter().map(|ip| SocketAddr::new(ip, 0)));
            Ok(found)
        })
    }
}
