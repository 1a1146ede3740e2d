//! Logos: what may be one, and where it comes from and goes to.
//!
//! A partner names an address; the service downloads the picture there ([`LogoSource`]), looks at it ([`Logo::check`]) and keeps a copy of its
//! own ([`LogoStore`]), which is what it hands out from then on. A copy and the record of it are kept in two places that no transaction
//! spans, so the order of the steps makes up for that:
//!
//! 1. The copy's removal is noted, due an hour later ([`LogoRemovals::note`]).
//! 2. The copy is stored.
//! 3. The transaction that writes its name into the account takes that note away ([`AccountLogos::adopt`]), and notes the removal of the copy
//!    that the account had before ([`AccountLogos::discard`]).
//! 4. A worker removes what is noted and due ([`LogoCleanup`]).
//!
//! Wherever this breaks off, an account never names a copy that is not there, and a copy that no account names is removed in the end.

mod image;
mod invalid_logo;
mod ports;
mod remove_unused;
mod shape;
mod take;

pub use image::Logo;
pub use invalid_logo::InvalidLogo;
pub use ports::{
    AccountLogos, LogoFetchError, LogoRemovals, LogoSource, LogoStore, LogoStoreError,
};
pub use remove_unused::{LogoCleanup, RemovedLogos};
pub use take::{LogoUnavailable, Logos};

#[cfg(test)]
mod tests;
