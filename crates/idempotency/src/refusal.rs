//! Keeping a refusal.

use kernel::{AccountId, StoreError, while_contended};

use crate::answer::{Answer, Settled};
use crate::key::Ticket;
use crate::ports::{AnswerStore, Claim};

/// Keeps the answer to a request that was refused, so that sending it again gets the same refusal.
///
/// The refused work was rolled back already, so this is a transaction of its own. If another request took the key in
/// between, its answer counts and is returned in place of the refusal.
///
/// # Errors
/// A [`StoreError`]; then the refusal is not kept and the key is free.
pub async fn keep_refusal(
    store: &dyn AnswerStore,
    account: AccountId,
    ticket: &Ticket,
    refusal: Answer,
) -> Result<Settled, StoreError> {
    while_contended(|| attempt(store, account, ticket, &refusal)).await
}

async fn attempt(
    store: &dyn AnswerStore,
    account: AccountId,
    ticket: &Ticket,
    refusal: &Answer,
) -> Result<Settled, StoreError> {
    let mut tx = store.begin(account).await?;
    match tx.answers().claim(ticket).await? {
        Claim::Settled(settled) => Ok(settled),
        Claim::Fresh => {
            tx.answers().keep(ticket, refusal).await?;
            tx.commit().await?;
            Ok(Settled::Fresh(refusal.clone()))
        }
    }
}
