//! The outcome of a command with an idempotency key.

use anyhow::bail;
use idempotency::{IdempotentOutcome, StoredResponse};

/// The response of a command that was carried out now or before. `record` names what it makes.
///
/// # Errors
/// The key was used for other content, or another process is at work under it; then nothing was done.
pub(super) fn response(outcome: IdempotentOutcome, record: &str) -> anyhow::Result<StoredResponse> {
    match outcome {
        IdempotentOutcome::Fresh(response) | IdempotentOutcome::Replayed(response) => Ok(response),
        IdempotentOutcome::KeyReused(_) => {
            bail!("the idempotency key was used for a {record} with other content; nothing was done")
        }
        IdempotentOutcome::InFlight => {
            bail!("a {record} with this idempotency key is being processed; try again")
        }
    }
}
