//! The service that the partners' use cases are methods of.

use std::sync::Arc;

use kernel::{Clock, Currency, Ids, PublicUrls, SealingKeys, SecureRandom};
use webhooks::TargetGuard;

use crate::logo::Logos;
use crate::ports::{AccountReads, ProvisioningStore};

/// The use cases of partner accounts, over their ports.
#[derive(Clone)]
pub struct PartnerAccounts {
    /// Begins transactions for a partner.
    pub store: Arc<dyn ProvisioningStore>,
    /// Reads accounts for a partner.
    pub reads: Arc<dyn AccountReads>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Makes ids.
    pub ids: Arc<dyn Ids>,
    /// Makes keys.
    pub random: Arc<dyn SecureRandom>,
    /// The currency of new accounts.
    pub default_currency: Currency,
    /// Checks the targets of webhooks.
    pub guard: Arc<dyn TargetGuard>,
    /// Fetches and stores logos.
    pub logos: Logos,
    /// Seals signing secrets and the tokens of invitations.
    pub keys: Arc<SealingKeys>,
    /// Makes the addresses of invitations and logos.
    pub urls: PublicUrls,
}
