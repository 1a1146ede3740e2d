//! Logos: where copies are kept, how they are fetched, and who removes them.

use std::sync::Arc;

use anyhow::Context as _;
use media_object_store::Media;
use partner_accounts::{LogoCleanup, Logos};
use webhook_reqwest::{Client, LogoDownloads};

use super::Dependencies;
use crate::settings::Settings;

/// Opens the place where copies are kept.
pub(super) fn open(settings: &Settings) -> anyhow::Result<Media> {
    let extra_ca = settings.extra_ca_file.as_deref();
    Media::open(&settings.media, extra_ca).context("COUNTINGHOUSE_MEDIA_URL")
}

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
