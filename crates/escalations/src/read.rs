//! Reading escalations.

use kernel::{AccountScope, ReadError};

use crate::escalation::{Escalation, EscalationId};
use crate::service::EscalationReader;

impl EscalationReader {
    /// One escalation of the account, by id.
    ///
    /// # Errors
    /// [`ReadError::NotFound`], also for an escalation of another account.
    pub async fn get(&self, scope: &AccountScope, id: EscalationId) -> Result<Escalation, ReadError> {
        let found = self.reads.get(scope.id, id).await?;
        found.ok_or(ReadError::NotFound("the account has no such escalation"))
    }
}
