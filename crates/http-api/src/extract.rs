//! What a request must pass before a use case sees it, one step after the other: the bearer token, the key
//! and its switches (one look-up), the quota, the `Idempotency-Key` header, the body.
//!
//! actix polls the extractors of one handler concurrently, so each extractor here takes all the steps that it
//! needs by itself.

mod admit;
mod authenticated;
mod bearer;
mod idempotent;
mod json_type;
mod path_id;
mod read_ahead;

pub(crate) use authenticated::{Authenticated, AuthenticatedJson, AuthenticatedWrite};
pub(crate) use idempotent::{IdempotentOperation, IdempotentRequest};
pub(crate) use path_id::path_id;
pub(crate) use read_ahead::read_ahead;

#[cfg(test)]
mod tests;
