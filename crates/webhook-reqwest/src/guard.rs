//! The address guard: the service calls only public addresses.
//!
//! A target is checked twice. `AddressGuard::check` runs when a target is registered, so that a mistake is
//! reported at once. That is not enough, since a name can resolve differently later. So connecting runs
//! `AddressGuard::look_up` (for names, as the client's resolver) and `AddressGuard::check_host` (for literal
//! addresses, which need no resolver): the client connects to the addresses that were checked, without a
//! second look-up.
//!
//! A name with one address that is not public is refused, even if its other addresses are public: the name's
//! owner chooses their order.

pub mod addresses;
mod check;
pub mod names;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::Host;

use crate::fault::CallFault;
use addresses::is_public;
use names::HostResolver;

/// Which addresses outgoing requests may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Only public addresses.
    Public,
    /// Any address, for development and tests: `COUNTINGHOUSE_ALLOW_PRIVATE_TARGETS`.
    Anywhere,
}

/// Checks hosts by their addresses.
#[derive(Clone)]
pub(crate) struct AddressGuard {
    names: Arc<dyn HostResolver>,
    reach: Reach,
    /// [`is_public`], except in tests, which have no public address to call.
    public: fn(IpAddr) -> bool,
}

impl AddressGuard {
    pub(crate) fn new(reach: Reach, names: Arc<dyn HostResolver>) -> Self {
        Self { names, reach, public: is_public }
    }

    /// A guard with another definition of public addresses.
    #[cfg(test)]
    pub(crate) fn with_public(mut self, public: fn(IpAddr) -> bool) -> Self {
        self.public = public;
        self
    }

    /// Refuses a host that can be judged without a look-up: an address that is not public, or a name that
    /// always means this machine (RFC 6761). Other names of local networks (`.local`, `.internal`, single
    /// labels) are checked by their addresses.
    pub(crate) fn check_host(&self, host: Option<Host<&str>>) -> Result<(), CallFault> {
        match host {
            None => Err(CallFault::Unresolved),
            Some(Host::Domain(name)) => self.check_name(name),
            Some(Host::Ipv4(address)) => self.check_address(address.into()),
            Some(Host::Ipv6(address)) => self.check_address(address.into()),
        }
    }

    /// The addresses of a name, if all of them may be reached.
    pub(crate) async fn look_up(&self, name: &str) -> Result<Vec<IpAddr>, CallFault> {
        self.check_name(name)?;
        let found = self.names.addresses(name).await.unwrap_or_default();
        if found.is_empty() {
            return Err(CallFault::Unresolved);
        }
        found.iter().try_for_each(|address| self.check_address(*address))?;
        Ok(found)
    }

    fn check_name(&self, name: &str) -> Result<(), CallFault> {
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        let local = name == "localhost" || name.ends_with(".localhost");
        if local && self.reach == Reach::Public {
            return Err(CallFault::NotPublic);
        }
        Ok(())
    }

    fn check_address(&self, address: IpAddr) -> Result<(), CallFault> {
        match self.reach {
            Reach::Anywhere => Ok(()),
            Reach::Public if (self.public)(address) => Ok(()),
            Reach::Public => Err(CallFault::NotPublic),
        }
    }
}

/// The client calls this for every connection to a name.
impl Resolve for AddressGuard {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = self.clone();
        Box::pin(async move {
            let found = guard.look_up(name.as_str()).await?;
            // The client replaces port 0 by the URL's port, or by that of https.
            let found: Addrs = Box::new(found.into_iter().map(|ip| SocketAddr::new(ip, 0)));
            Ok(found)
        })
    }
}
