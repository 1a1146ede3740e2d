//! Reading contacts.

use kernel::{
    AccountScope, Cursor, EmailAddress, FieldErrors, PageSize, ResultsPage, StoreError, StoreResult,
};

use crate::contact::{Contact, ContactId, ExternalId};
use crate::search::SearchText;
use crate::service::ContactService;

/// Why a contact cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LookUpError {
    /// Neither an e-mail address nor an external id was given.
    #[error("the look-up is not complete")]
    Invalid(#[source] FieldErrors),
    /// The account has no such contact.
    #[error("the account has no such contact")]
    NotFound,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ContactService {
    /// One contact of the account, by id.
    ///
    /// # Errors
    /// [`LookUpError::NotFound`], also for a contact of another account.
    pub async fn get(&self, scope: &AccountScope, id: ContactId) -> Result<Contact, LookUpError> {
        self.reads.get(scope.id, id).await?.ok_or(LookUpError::NotFound)
    }

    /// The contact that has the e-mail address (in any case), the external id (exactly), or both if both are
    /// given.
    ///
    /// # Errors
    /// [`LookUpError::Invalid`] when neither is given.
    pub async fn look_up(
        &self,
        scope: &AccountScope,
        email: Option<EmailAddress>,
        external_id: Option<ExternalId>,
    ) -> Result<Contact, LookUpError> {
        if email.is_none() && external_id.is_none() {
            let mut faults = FieldErrors::default();
            faults.add("email", "email or external_id is required");
            faults.add("external_id", "email or external_id is required");
            return Err(LookUpError::Invalid(faults));
        }
        let found = self.reads.look_up(scope.id, email.as_ref(), external_id.as_ref()).await?;
        found.ok_or(LookUpError::NotFound)
    }

    /// One page of the account's contacts, newest first; with a search text, only the contacts that it finds.
    pub async fn list(
        &self,
        scope: &AccountScope,
        search: Option<&SearchText>,
        size: PageSize,
        after: Option<Cursor>,
    ) -> StoreResult<ResultsPage<Contact>> {
        self.reads.list(scope.id, search, size, after).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use async_trait::async_trait;
    use kernel::{AccountId, Currency, Id, SystemIds, TimeZone};
    use testkit::FixedClock;

    use super::*;
    use crate::ports::{ContactReads, ContactsStore, ContactsTx};

    /// An account without contacts.
    struct Nobody;

    #[async_trait]
    impl ContactsStore for Nobody {
        async fn begin(&self, _: AccountId) -> StoreResult<Box<dyn ContactsTx>> {
            unreachable!("nothing is written")
        }
    }

    #[async_trait]
    impl ContactReads for Nobody {
        async fn get(&self, _: AccountId, _: ContactId) -> StoreResult<Option<Contact>> {
            Ok(None)
        }

        async fn names(&self, _: AccountId, _: &[ContactId]) -> StoreResult<Vec<(ContactId, String)>> {
            Ok(Vec::new())
        }

        async fn look_up(
            &self,
            _: AccountId,
            _: Option<&EmailAddress>,
            _: Option<&ExternalId>,
        ) -> StoreResult<Option<Contact>> {
            Ok(None)
        }

        async fn list(
            &self,
            _: AccountId,
            _: Option<&SearchText>,
            _: PageSize,
            _: Option<Cursor>,
        ) -> StoreResult<ResultsPage<Contact>> {
            unreachable!("nothing is listed")
        }
    }

    #[tokio::test]
    async fn look_up_needs_an_email_or_an_external_id() {
        let contacts = ContactService {
            store: Arc::new(Nobody),
            reads: Arc::new(Nobody),
            clock: Arc::new(FixedClock::default()),
            ids: Arc::new(SystemIds::default()),
        };
        let scope = AccountScope {
            id: Id::new(&SystemIds::default(), FixedClock::START),
            time_zone: TimeZone::utc(),
            currency: Currency::parse("AUD").unwrap(),
            invoice_prefix: None,
            communications_enabled: true,
            monthly_invoice_limit: None,
        };
        let email = || Some(EmailAddress::parse("ada@example.com").unwrap());
        let external_id = || Some(ExternalId::parse("A").unwrap());
        for (email, external_id) in [(email(), None), (None, external_id())] {
            let found = contacts.look_up(&scope, email, external_id).await;
            assert!(matches!(found, Err(LookUpError::NotFound)), "{found:?}");
        }
        let neither = contacts.look_up(&scope, None, None).await;
        assert!(matches!(neither, Err(LookUpError::Invalid(_))), "{neither:?}");
    }
}
