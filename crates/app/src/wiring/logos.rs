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
            ledger: self.store.logo_ledger.clone(),
        }
    }

    /// The worker that removes copies which no account names.
    #[must_use]
    pub fn logo_sweeper(&self) -> LogoCleanup {
        LogoCleanup {
            ledger: self.store.logo_ledger.clone(),
            store: Arc::new(self.media.clone()),
            clock: self.clock.clone(),
        }
    }
}
