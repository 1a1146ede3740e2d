//! Storing the response of a refused request.

use kernel::{AccountId, StoreResult, retry_contended};

use crate::key::Ticket;
use crate::ports::{Claim, StoredResponseStore};
use crate::stored_response::{IdempotentOutcome, StoredResponse};

/// Stores the response of a refused request, so that a repeated request gets the same response.
///
/// The refused work was already rolled back, so this needs its own transaction. If another request claimed
/// the key meanwhile, its outcome is returned.
///
/// # Errors
/// A [`kernel::StoreError`]; then nothing is stored and the key can be used again.
pub async fn store_error_response(
    store: &dyn StoredResponseStore,
    account: AccountId,
    ticket: &Ticket,
    response: StoredResponse,
) -> StoreResult<IdempotentOutcome> {
    retry_contended(|| attempt(store, account, ticket, &response)).await
}

async fn attempt(
    store: &dyn StoredResponseStore,
    account: AccountId,
    ticket: &Ticket,
    response: &StoredResponse,
) -> StoreResult<IdempotentOutcome> {
    let mut tx = store.begin(account).await?;
    match tx.stored_responses().claim(ticket).await? {
        Claim::Taken(settled) => Ok(settled),
        Claim::Fresh => {
            tx.stored_responses().store(ticket, response).await?;
            tx.commit().await?;
            Ok(IdempotentOutcome::Fresh(response.clone()))
        }
    }
}
