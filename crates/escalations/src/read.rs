//! Reading escalations.

use kernel::{AccountScope, StoreError};

use crate::escalation::{Escalation, EscalationId};
use crate::service::EscalationReader;

/// Why an escalation cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadEscalationError {
    /// The account has no such escalation.
    #[error("the account has no such escalation")]
    NotFound,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl EscalationReader {
    /// One escalation of the account, by id.
    ///
    /// # Errors
    /// [`ReadEscalationError::NotFound`], also for an escalation of another account.
    pub async fn get(
        &self,
        scope: &AccountScope,
        id: EscalationId,
    ) -> Result<Escalation, ReadEscalationError> {
        self.reads.get(scope.id, id).await?.ok_or(ReadEscalationError::NotFound)
    }
}
