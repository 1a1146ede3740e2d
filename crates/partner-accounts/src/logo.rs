//! Logos: which files are accepted, and how they are fetched, stored and removed.
//!
//! A partner sends an address. The service downloads the picture ([`LogoSource`]), checks it
//! ([`Logo::check`]) and stores a copy ([`LogoStore`]), whose address it publishes. The copy and the account
//! are in two stores without a common transaction, so the order of the steps matters:
//!
//! 1. The removal of the copy is scheduled, due an hour later ([`LogoRemovals::schedule`]).
//! 2. The copy is stored.
//! 3. The transaction that writes the copy's name into the account deletes that removal
//!    ([`AccountLogos::adopt`]) and schedules the removal of the account's previous copy
//!    ([`AccountLogos::discard`]).
//! 4. A worker removes the copies whose removal is due ([`LogoCleanup`]).
//!
//! After a crash at any step, no account refers to a missing copy, and unreferenced copies are removed later.

mod change;
mod fetch;
mod image;
mod ports;
mod remove_unused;

pub(crate) use change::change_logo;
pub use fetch::{LogoUnavailable, Logos};
pub use image::{InvalidLogo, Logo};
pub use ports::{AccountLogos, LogoFetchError, LogoRemovals, LogoSource, LogoStore, LogoStoreError};
pub use remove_unused::{LogoCleanup, RemovedLogos};

#[cfg(test)]
mod tests;
