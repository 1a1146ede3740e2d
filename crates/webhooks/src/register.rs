//! Registering, enabling, disabling and deleting endpoints.

use kernel::{AccountId, HttpsUrl, Id, StoreError, retry_contended};

use crate::administration::WebhookAdministration;
use crate::endpoint::{Endpoint, EndpointId, Subscriptions};
use crate::ports::{EndpointsTx, TargetRefused};
use crate::secret::SigningSecret;

/// An endpoint to register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEndpoint {
    /// The address to deliver to.
    pub url: HttpsUrl,
    /// The events to deliver.
    pub events: Subscriptions,
}

/// A change of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndpointChange {
    /// No more deliveries are made; pending ones are stopped.
    Disable,
    /// Deliveries are made again, with the same secret as before.
    Enable,
    /// It is deleted, with its secret.
    Delete,
}

/// Why an endpoint was not registered or changed.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    /// There is no such account.
    #[error("there is no such account")]
    NoAccount,
    /// There is no such endpoint.
    #[error("there is no such endpoint")]
    NotFound,
    /// The account has the maximum number of enabled endpoints.
    #[error(
        "the account has {} enabled endpoints, and may have no more: disable or delete one first",
        Endpoint::MAX_ENABLED
    )]
    TooManyEnabled,
    /// The account has the maximum number of endpoints.
    #[error(
        "the account has {} endpoints, and may have no more: delete one first",
        Endpoint::MAX_PER_ACCOUNT
    )]
    TooMany,
    /// The URL is not an allowed delivery target.
    #[error(transparent)]
    Target(#[from] TargetRefused),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl WebhookAdministration {
    /// Registers an endpoint, enabled, and makes its signing secret. The secret is returned in the clear only
    /// here.
    ///
    /// # Errors
    /// An [`EndpointError`]; then nothing was changed.
    pub async fn register(
        &self,
        account: AccountId,
        new: NewEndpoint,
    ) -> Result<(Endpoint, SigningSecret), EndpointError> {
        // Names are resolved before the transaction, so that no lock is held during network calls.
        self.guard.check(&new.url).await?;
        retry_contended(|| self.try_to_register(account, &new)).await
    }

    async fn try_to_register(
        &self,
        account: AccountId,
        new: &NewEndpoint,
    ) -> Result<(Endpoint, SigningSecret), EndpointError> {
        let mut tx = self.endpoints.begin(account).await?;
        let others = held(&mut *tx, account).await?;
        may_enable_one_more(&others)?;
        if others.len() >= Endpoint::MAX_PER_ACCOUNT {
            return Err(EndpointError::TooMany);
        }
        let now = self.clock.now();
        let endpoint = Endpoint {
            id: Id::new(&*self.ids, now),
            account,
            url: new.url.clone(),
            events: new.events,
            enabled: true,
            provisioned: false,
            created_at: now,
            updated_at: now,
        };
        let secret = SigningSecret::generate(&*self.random);
        let sealed = secret.seal(&self.keys, &*self.random, account, endpoint.id);
        tx.endpoints().insert(&endpoint, &sealed).await?;
        tx.commit().await?;
        Ok((endpoint, secret))
    }

    /// Every endpoint of an account, oldest first.
    ///
    /// # Errors
    /// [`EndpointError::NoAccount`], or an error of the store.
    pub async fn endpoints(&self, account: AccountId) -> Result<Vec<Endpoint>, EndpointError> {
        self.endpoints.list(account).await?.ok_or(EndpointError::NoAccount)
    }

    /// Disables, enables or deletes an endpoint of an account. Disabling or enabling it again changes
    /// nothing.
    ///
    /// # Errors
    /// An [`EndpointError`]; then nothing was changed.
    pub async fn change(
        &self,
        account: AccountId,
        id: EndpointId,
        change: EndpointChange,
    ) -> Result<Endpoint, EndpointError> {
        retry_contended(|| self.try_to_change(account, id, change)).await
    }

    async fn try_to_change(
        &self,
        account: AccountId,
        id: EndpointId,
        change: EndpointChange,
    ) -> Result<Endpoint, EndpointError> {
        let mut tx = self.endpoints.begin(account).await?;
        let all = held(&mut *tx, account).await?;
        let mut endpoint = all.iter().find(|one| one.id == id).cloned().ok_or(EndpointError::NotFound)?;
        let now = self.clock.now();
        match change {
            EndpointChange::Enable if endpoint.enabled => return Ok(endpoint),
            EndpointChange::Disable if !endpoint.enabled => return Ok(endpoint),
            EndpointChange::Enable => {
                may_enable_one_more(&all)?;
                endpoint.enabled = true;
            }
            EndpointChange::Disable | EndpointChange::Delete => endpoint.enabled = false,
        }
        endpoint.updated_at = now;
        if change == EndpointChange::Delete {
            tx.endpoints().delete(&endpoint, now).await?;
        } else {
            tx.endpoints().update(&endpoint).await?;
        }
        tx.commit().await?;
        Ok(endpoint)
    }
}

/// Whether one more endpoint may be enabled. `all` are all endpoints of the account, locked.
///
/// # Errors
/// [`EndpointError::TooManyEnabled`].
pub fn may_enable_one_more(all: &[Endpoint]) -> Result<(), EndpointError> {
    let enabled = all.iter().filter(|endpoint| endpoint.enabled).count();
    if enabled >= Endpoint::MAX_ENABLED { Err(EndpointError::TooManyEnabled) } else { Ok(()) }
}

async fn held(tx: &mut dyn EndpointsTx, account: AccountId) -> Result<Vec<Endpoint>, EndpointError> {
    tx.endpoints().lock_all(account).await?.ok_or(EndpointError::NoAccount)
}
