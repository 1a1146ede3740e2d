//! What a request must pass before a use case sees it, one step after the other: the bearer token, the key
//! and its switches (one look-up), the quota, the `Idempotency-Key` header, the body.
//!
//! actix polls the extractors of one handler concurrently, so each extractor here takes all the steps that it
//! needs by itself.

mod admit;
mod authenticated;
mod idempotent;
mod json_type;
mod read_ahead;

pub(crate) use authenticated::{Authenticated, AuthenticatedJson, AuthenticatedWrite, path_id};
pub(crate) use idempotent::IdempotentRequest;
pub(crate) use read_ahead::read_ahead;

#[cfg(test)]
mod tests;
