//! Reading contacts.

use kernel::{AccountScope, Cursor, EmailAddress, FieldErrors, Page, PageSize, StoreError};

use crate::contact::{Contact, ContactId, ExternalId};
use crate::search::SearchText;
use crate::service::ContactService;

/// Why a contact cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LookUpError {
    /// Neither an e-mail address nor an external id was given.
    #[error("the look-up is not complete")]
    Invalid(FieldErrors),
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

    /// The one contact that has the e-mail address (whatever its case), the external id (exactly), or both
    /// when both are given.
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

    /// One page of the account's contacts, newest first; with a search text only those that it finds.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn list(
        &self,
        scope: &AccountScope,
        search: Option<&SearchText>,
        size: PageSize,
        after: Option<Cursor>,
    ) -> Result<Page<Contact>, StoreError> {
        self.reads.list(scope.id, search, size, after).await
    }
}
