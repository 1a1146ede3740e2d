//! Resolving an escalation.

use kernel::{AccountId, StoreError, retry_contended};

use crate::escalation::{AlreadyResolved, Escalation, EscalationId, Notes};
use crate::service::EscalationService;
use crate::terms::ResolutionOutcome;

/// Why an escalation was not resolved.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// The account has no such escalation.
    #[error("the account has no such escalation")]
    NotFound,
    /// The escalation was resolved before.
    #[error(transparent)]
    AlreadyResolved(#[from] AlreadyResolved),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl EscalationService {
    /// Resolves an escalation and publishes `escalation.resolved` in the same transaction. Of several
    /// concurrent calls one succeeds; the others get [`ResolveError::AlreadyResolved`].
    ///
    /// # Errors
    /// A [`ResolveError`]; then nothing was changed.
    pub async fn resolve(
        &self,
        account: AccountId,
        id: EscalationId,
        outcome: ResolutionOutcome,
        notes: Option<Notes>,
    ) -> Result<Escalation, ResolveError> {
        retry_contended(|| self.try_to_resolve(account, id, outcome, notes.clone())).await
    }

    async fn try_to_resolve(
        &self,
        account: AccountId,
        id: EscalationId,
        outcome: ResolutionOutcome,
        notes: Option<Notes>,
    ) -> Result<Escalation, ResolveError> {
        let mut tx = self.store.begin(account).await?;
        let mut escalation = tx.escalations().lock(id).await?.ok_or(ResolveError::NotFound)?;
        escalation.resolve(outcome, notes, self.clock.now())?;
        tx.escalations().update(&escalation).await?;
        self.publish(&mut *tx, &escalation).await?;
        tx.commit().await?;
        Ok(escalation)
    }
}
