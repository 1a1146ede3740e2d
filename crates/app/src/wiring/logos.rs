//! Logos: how they are fetched, stored and removed.

use std::sync::Arc;

use anyhow::Context as _;
use partner_accounts::{LogoCleanup, Logos};
use webhook_reqwest::{Client, LogoDownloads};

use super::Dependencies;

impl Dependencies {
    /// Creates the folder of logos, unless they are kept in a bucket.
    ///
    /// # Errors
    /// One line that names the setting of the folder.
    pub fn create_logo_folder(&self) -> anyhow::Result<()> {
        self.media.create_folder().context("COUNTINGHOUSE_DATA_DIR")
    }

    /// The use case that fetches and stores logos; its client checks the addresses.
    #[must_use]
    pub fn logos(&self, client: Client) -> Logos {
        Logos {
            source: Arc::new(LogoDownloads::new(client)),
            store: Arc::new(self.media.clone()),
            removals: self.store.logo_removals.clone(),
        }
    }

    /// The worker that removes copies of logos that no account uses.
    #[must_use]
    pub fn logo_cleanup(&self) -> LogoCleanup {
        LogoCleanup {
            removals: self.store.logo_removals.clone(),
            store: Arc::new(self.media.clone()),
            clock: self.clock.clone(),
        }
    }
}
