//! The sandbox and its connections to the service.

use std::sync::Arc;

use kernel::{AccountId, Clock, PublicUrls, SealingKeys, StoreError};
use payments::{GatewayError, OnlineReads, SandboxRecords};

use crate::checkout;
use crate::payload::StoredCheckout;

/// How often a change of a checkout is retried after conflicting changes.
const TRIES: u32 = 10;

/// A payment gateway whose checkouts are rows of the service's own database.
#[derive(Clone)]
pub struct Sandbox {
    /// Stores the checkouts.
    pub records: Arc<dyn SandboxRecords>,
    /// Reads the secrets that sign events.
    pub reads: Arc<dyn OnlineReads>,
    /// The keys under which those secrets are sealed.
    pub keys: Arc<SealingKeys>,
    pub clock: Arc<dyn Clock>,
    /// Builds the URLs of checkouts, and the URL that events are sent to.
    pub urls: PublicUrls,
    /// Sends events.
    pub client: reqwest::Client,
}

impl Sandbox {
    /// Creates the client that sends events.
    ///
    /// # Errors
    /// When it cannot be created.
    pub fn client() -> reqwest::Result<reqwest::Client> {
        reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build()
    }

    pub(crate) async fn find_stored(
        &self,
        account: AccountId,
        id: &str,
    ) -> Result<Option<(String, StoredCheckout)>, GatewayError> {
        let Some(text) = self.records.read(account, id).await.map_err(|error| unreachable_store(&error))?
        else {
            return Ok(None);
        };
        let checkout = StoredCheckout::read(&text)?;
        Ok(Some((text, checkout)))
    }

    /// Changes a checkout. After a conflict, `change` is applied again to the current state.
    pub(crate) async fn change<T>(
        &self,
        account: AccountId,
        id: &str,
        change: impl Fn(&mut StoredCheckout) -> Result<T, GatewayError> + Send + Sync,
    ) -> Result<(StoredCheckout, T), GatewayError> {
        for _ in 0..TRIES {
            let found = self.find_stored(account, id).await?;
            let (before, mut checkout) = found.ok_or(GatewayError::NotFound)?;
            let made = change(&mut checkout)?;
            let text = text(&checkout)?;
            if text == before {
                return Ok((checkout, made));
            }
            let written = self.records.write(account, id, Some(&before), &text, self.clock.now()).await;
            match written {
                Ok(true) => return Ok((checkout, made)),
                Ok(false) | Err(StoreError::Contended(_)) => {}
                Err(error) => return Err(unreachable_store(&error)),
            }
        }
        Err(GatewayError::Unreachable("the checkout is being changed by others".to_owned()))
    }

    /// The account and the checkout of a charge.
    pub(crate) fn checkout_of(charge: &payments::ChargeId) -> Option<(AccountId, &str)> {
        let checkout = checkout::checkout_of(charge)?;
        Some((checkout::account_of(checkout)?, checkout))
    }
}

pub(crate) fn text(checkout: &StoredCheckout) -> Result<String, GatewayError> {
    serde_json::to_string(checkout).map_err(|fault| GatewayError::Refused(fault.to_string()))
}

pub(crate) fn unreachable_store(error: &StoreError) -> GatewayError {
    GatewayError::Unreachable(format!("the sandbox's store failed: {error}"))
}
