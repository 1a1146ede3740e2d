//! The service whose methods are the partners' use cases.

use std::sync::Arc;

use kernel::{Clock, Currency, Ids, PublicUrls, SealingKeys, SecureRandom};
use webhooks::TargetGuard;

use crate::logo::Logos;
use crate::ports::{AccountReads, ProvisioningStore};

/// The use cases of partner accounts, over their ports.
#[derive(Clone)]
pub struct PartnerAccounts {
    pub store: Arc<dyn ProvisioningStore>,
    pub reads: Arc<dyn AccountReads>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
    pub random: Arc<dyn SecureRandom>,
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
