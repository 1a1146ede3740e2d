//! The way in: what a request must get past before a use case sees it, strictly one step after the other.
//!
//! The route is matched already. Then come the key's shape and space, the key itself with every switch (one look-up), the
//! quota, the idempotency header, and the body last. Each extractor here takes all the steps that it needs by itself,
//! since actix polls the extractors of one handler side by side. One thing is begun early: a record that is read by its id is asked for along
//! with the key, and what is found waits for the caller to be let in ([`read_ahead`]).

mod ahead;
mod authenticated;
mod bearer;
mod bodiless;
mod caller;
mod keyed;
mod media_type;
mod payload;
mod writing;

pub(crate) use ahead::read_ahead;
pub(crate) use authenticated::Authenticated;
pub(crate) use bodiless::Bodiless;
pub(crate) use caller::CallerName;
pub(crate) use keyed::{Keyed, KeyedOperation};
pub(crate) use writing::Writing;

#[cfg(test)]
mod tests;
