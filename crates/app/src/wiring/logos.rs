//! Logos: how they are fetched, stored and removed.

use std::sync::Arc;

use partner_accounts::{LogoCleanup, Logos};
use webhook_reqwest::{Client, LogoDownloads};

use super::Dependencies;

impl Dependencies {
    /// Takes logos, with the client that guards the network.
    #[must_use]
    pub fn logos(&self, caller: Client) -> Logos {
        Logos {
            source: Arc::new(LogoDownloads::new(caller)),
            store: Arc::new(self.media.clone()),
            removals: self.store.logo_removals.clone(),
        }
    }

    /// The worker that removes copies which no account names.
    #[must_use]
    pub fn logo_cleanup(&self) -> LogoCleanup {
        LogoCleanup {
            removals: self.store.logo_removals.clone(),
            store: Arc::new(self.media.clone()),
            clock: self.clock.clone(),
        }
    }
}
