//! The checks of a request before its use case runs, in order: the bearer token, the key and whether it is
//! switched off (one look-up), the quota, the `Idempotency-Key` header, the body.
//!
//! actix polls the extractors of one handler concurrently, so each extractor here does all the checks that it
//! needs.

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
