//! The sandbox and its connections to the service.

use std::sync::Arc;
use std::time::Duration;

use https_client::{CallLimits, HttpsClient, SetupError};
use kernel::{AccountId, Clock, PublicUrls, SealingKeys, StoreError};
use payments::{GatewayError, OnlineReads, SandboxRecords};

use crate::checkout;
use crate::payload::StoredCheckout;

/// How often a change of a checkout is retried after conflicting changes.
const TRIES: u32 = 10;

/// The limits of sending an event to the service, whose response is short.
const EVENT_LIMITS: CallLimits = CallLimits {
    connecting: Duration::from_secs(5),
    call: Duration::from_secs(10),
    max_response_bytes: 64 * 1024,
    reuse_connections: true,
};

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
    pub client: HttpsClient,
}

impl Sandbox {
    /// Creates the client that sends events. `extra_ca_pem` has certificates that are trusted in addition to
    /// the system's.
    ///
    /// # Errors
    /// When the certificates cannot be used, or the client cannot be made.
    pub fn client(extra_ca_pem: Option<&[u8]>) -> Result<HttpsClient, SetupError> {
        HttpsClient::new(EVENT_LIMITS, extra_ca_pem)
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
