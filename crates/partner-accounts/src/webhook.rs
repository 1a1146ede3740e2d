//! The webhook endpoint that is created with an account; its address is the account's `webhook_url`.

use kernel::{AccountId, Field, HttpsUrl, Id, StoreResult};
use time::OffsetDateTime;
use webhooks::{Endpoint, SigningSecret, Subscriptions, may_enable_one_more};

use crate::amend::AmendAccountError;
use crate::partner_accounts::PartnerAccounts;
use crate::ports::ProvisioningTx;

impl PartnerAccounts {
    /// Inserts an endpoint that is subscribed to all events, and returns its secret. The account's endpoints
    /// must be locked.
    pub(crate) async fn insert_endpoint(
        &self,
        tx: &mut dyn ProvisioningTx,
        account: AccountId,
        url: &HttpsUrl,
        now: OffsetDateTime,
    ) -> StoreResult<SigningSecret> {
        let endpoint = Endpoint {
            id: Id::new(&*self.ids, now),
            account,
            url: url.clone(),
            events: Subscriptions::ALL,
            enabled: true,
            provisioned: true,
            created_at: now,
            updated_at: now,
        };
        let secret = SigningSecret::generate(&*self.random);
        let sealed = secret.seal(&self.keys, &*self.random, account, endpoint.id);
        tx.endpoints().insert(&endpoint, &sealed).await?;
        Ok(secret)
    }

    /// Changes the endpoint of a locked account as `webhook_url` requests: a new URL with the old secret,
    /// disabled, enabled again, or created. Returns the secret of a created endpoint.
    pub(crate) async fn change_endpoint(
        &self,
        tx: &mut dyn ProvisioningTx,
        account: AccountId,
        requested: &Field<HttpsUrl>,
        now: OffsetDateTime,
    ) -> Result<Option<SigningSecret>, AmendAccountError> {
        if matches!(requested, Field::Absent | Field::Faulty) {
            return Ok(None);
        }
        let all = tx.endpoints().lock_all(account).await?.ok_or(AmendAccountError::NotFound)?;
        let present = all.iter().find(|endpoint| endpoint.provisioned);
        let Some(url) = requested.as_value() else {
            if let Some(enabled) = present.filter(|endpoint| endpoint.enabled) {
                let disabled = Endpoint { enabled: false, updated_at: now, ..enabled.clone() };
                tx.endpoints().update(&disabled).await?;
            }
            return Ok(None);
        };
        if !present.is_some_and(|endpoint| endpoint.enabled) {
            may_enable_one_more(&all).map_err(|_full| AmendAccountError::TooManyEnabled)?;
        }
        if let Some(present) = present {
            if present.url != *url || !present.enabled {
                let changed =
                    Endpoint { url: url.clone(), enabled: true, updated_at: now, ..present.clone() };
                tx.endpoints().update(&changed).await?;
            }
            return Ok(None);
        }
        if all.len() >= Endpoint::MAX_PER_ACCOUNT {
            return Err(AmendAccountError::TooManyEndpoints);
        }
        Ok(Some(self.insert_endpoint(tx, account, url, now).await?))
    }
}
