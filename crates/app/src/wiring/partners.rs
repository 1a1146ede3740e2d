//! What partners and the owners of their accounts are served by.

use std::sync::Arc;

use anyhow::Context as _;
use kernel::SealingKeys;
use partner_accounts::{Logins, PartnerAccounts};
use webhook_reqwest::{Client, Reach};
use webhooks::TargetGuard;

use super::House;
use crate::passwords::BlockingPasswords;
use crate::settings::Settings;

impl House {
    /// The client that calls the addresses which accounts name.
    ///
    /// # Errors
    /// One line that names the setting that cannot be used.
    pub fn caller(settings: &Settings) -> anyhow::Result<Client> {
        let reach = if settings.allow_private_targets {
            Reach::Anywhere
        } else {
            Reach::Public
        };
        let extra_ca = settings.extra_ca_file.as_deref();
        Client::new(reach, extra_ca).context("COUNTINGHOUSE_EXTRA_CA_FILE")
    }

    /// The partners' use cases. `public_url` is the base of every address handed out.
    #[must_use]
    pub fn partner_accounts(
        &self,
        settings: &Settings,
        public_url: &str,
        keys: Arc<SealingKeys>,
        guard: Arc<dyn TargetGuard>,
    ) -> PartnerAccounts {
        PartnerAccounts {
            store: self.store.provisioning.clone(),
            reads: self.store.account_reads.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            chance: self.chance.clone(),
            default_currency: settings.default_currency,
            guard,
            keys,
            public_url: public_url.to_owned(),
        }
    }

    /// The use cases of those who sign in.
    #[must_use]
    pub fn logins(&self) -> Logins {
        Logins {
            store: self.store.logins.clone(),
            passwords: Arc::new(BlockingPasswords::new(self.chance.clone())),
            clock: self.clock.clone(),
        }
    }
}
