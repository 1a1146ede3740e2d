//! Accounts, their endpoints and invitations on the store in memory.

use access::NewKey;
use async_trait::async_trait;
use kernel::{AccountId, EmailAddress, PartnerScope, SingleLine, StoreError};
use mail::OutgoingMail;
use partner_accounts::{
    Account, AccountLogos, Accounts, InsertedAccount, Invitation, Invitations, KeyInfo,
    PaymentSlug, ProvisioningStore, ProvisioningTx,
};
use time::OffsetDateTime;
use webhooks::{Endpoint, Endpoints, SealedSecret, TargetGuard, TargetRefused};

use super::store::Store;
use super::transaction::Tx;

/// Refuses targets whose host says so.
pub(crate) struct Gatekeeper;

#[async_trait]
impl TargetGuard for Gatekeeper {
    async fn check(&self, url: &kernel::HttpsUrl) -> Result<(), TargetRefused> {
        if url.url().host_str() == Some("private.example.com") {
            let what = "leads to an address that is not public";
            return Err(TargetRefused(what.to_owned()));
        }
        Ok(())
    }
}

#[async_trait]
impl ProvisioningStore for Store {
    async fn begin(&self, _: PartnerScope) -> Result<Box<dyn ProvisioningTx>, StoreError> {
        Ok(self.draft().await?)
    }
}

impl ProvisioningTx for Tx {
    fn accounts(&mut self) -> &mut dyn Accounts {
        self
    }

    fn endpoints(&mut self) -> &mut dyn Endpoints {
        self
    }

    fn logos(&mut self) -> &mut dyn AccountLogos {
        self
    }

    fn invitations(&mut self) -> &mut dyn Invitations {
        self
    }

    fn outgoing(&mut self) -> &mut dyn OutgoingMail {
        self
    }
}

#[async_trait]
impl Invitations for Tx {
    async fn insert(&mut self, invitation: &Invitation) -> Result<(), StoreError> {
        self.draft.invitations.push(invitation.clone());
        Ok(())
    }
}

#[async_trait]
impl Endpoints for Tx {
    async fn lock_all(&mut self, account: AccountId) -> Result<Option<Vec<Endpoint>>, StoreError> {
        let all = self.draft.endpoints.iter().map(|(endpoint, _)| endpoint);
        let of_account = all.filter(|endpoint| endpoint.account == account);
        Ok(Some(of_account.cloned().collect()))
    }

    async fn insert(
        &mut self,
        endpoint: &Endpoint,
        secret: &SealedSecret,
    ) -> Result<(), StoreError> {
        let new = (endpoint.clone(), secret.clone());
        self.draft.endpoints.push(new);
        Ok(())
    }

    async fn update(&mut self, endpoint: &Endpoint) -> Result<(), StoreError> {
        let mut all = self.draft.endpoints.iter_mut();
        let place = all.find(|(one, _)| one.id == endpoint.id);
        place.expect("it is held").0 = endpoint.clone();
        Ok(())
    }

    async fn delete(&mut self, endpoint: &Endpoint, _: OffsetDateTime) -> Result<(), StoreError> {
        let all = &mut self.draft.endpoints;
        all.retain(|(one, _)| one.id != endpoint.id);
        Ok(())
    }
}

#[async_trait]
impl Accounts for Tx {
    async fn with_external_id(
        &mut self,
        external_id: &SingleLine<255>,
    ) -> Result<Option<Account>, StoreError> {
        let mut accounts = self.draft.accounts.iter();
        let found = accounts.find(|account| account.external_id.as_ref() == Some(external_id));
        Ok(found.cloned())
    }

    async fn email_is_taken(&mut self, email: &EmailAddress) -> Result<bool, StoreError> {
        let mut accounts = self.draft.accounts.iter();
        Ok(accounts.any(|account| account.email == *email))
    }

    async fn taken_slugs(&mut self, names: &[PaymentSlug]) -> Result<Vec<PaymentSlug>, StoreError> {
        let slugs = self
            .draft
            .accounts
            .iter()
            .map(|account| &account.payment_slug);
        Ok(slugs.filter(|slug| names.contains(slug)).cloned().collect())
    }

    async fn insert_new(&mut self, account: &Account) -> Result<InsertedAccount, StoreError> {
        self.draft.accounts.push(account.clone());
        Ok(InsertedAccount::Done)
    }

    async fn lock(&mut self, id: AccountId) -> Result<Option<Account>, StoreError> {
        let mut accounts = self.draft.accounts.iter();
        Ok(accounts.find(|account| account.id == id).cloned())
    }

    async fn update(&mut self, account: &Account) -> Result<(), StoreError> {
        let mut accounts = self.draft.accounts.iter_mut();
        let place = accounts.find(|one| one.id == account.id);
        *place.expect("it is held") = account.clone();
        Ok(())
    }

    async fn put_key(&mut self, account: AccountId, key: &NewKey) -> Result<bool, StoreError> {
        let mut accounts = self.draft.accounts.iter_mut();
        let Some(account) = accounts.find(|one| one.id == account) else {
            return Ok(false);
        };
        account.key = Some(KeyInfo::from(key));
        Ok(true)
    }
}
