//! Keeping a refusal.

use kernel::{AccountId, StoreError, retry_contended};

use crate::key::Ticket;
use crate::ports::{Claim, StoredResponseStore};
use crate::stored_response::{IdempotentOutcome, StoredResponse};

/// Keeps the answer to a request that was refused, so that sending it again gets the same refusal.
///
/// The refused work was rolled back already, so this is a transaction of its own. If another request took the key in
/// between, its answer counts and is returned in place of the refusal.
///
/// # Errors
/// A [`StoreError`]; then the refusal is not kept and the key is free.
pub async fn store_error_response(
    store: &dyn StoredResponseStore,
    account: AccountId,
    ticket: &Ticket,
    refusal: StoredResponse,
) -> Result<IdempotentOutcome, StoreError> {
    retry_contended(|| attempt(store, account, ticket, &refusal)).await
}

async fn attempt(
    store: &dyn StoredResponseStore,
    account: AccountId,
    ticket: &Ticket,
    refusal: &StoredResponse,
) -> Result<IdempotentOutcome, StoreError> {
    let mut tx = store.begin(account).await?;
    match tx.stored_responses().claim(ticket).await? {
        Claim::Taken(settled) => Ok(settled),
        Claim::Fresh => {
            tx.stored_responses().keep(ticket, refusal).await?;
            tx.commit().await?;
            Ok(IdempotentOutcome::Fresh(refusal.clone()))
        }
    }
}
