//! Values and ports that every Countinghouse crate uses.
//!
//! This crate depends on neither HTTP nor SQL. Values are validated once, when parsed ([`Money`],
//! [`Currency`], [`Decimal`], [`EmailAddress`], [`SingleLine`]). Time, identifiers and randomness come
//! through ports ([`Clock`], [`Ids`], [`SecureRandom`]), so that tests can fix them. The faults of a request
//! are collected in one [`FieldErrors`], so that one response reports them all.
//!
//! ```
//! use kernel::{Currency, Money};
//!
//! let aud = Currency::parse("aud").unwrap();
//! let price = Money::parse("110.5", aud).unwrap();
//! assert_eq!(price.minor(), 11_050);
//! assert_eq!(price.to_string(), "110.50");
//! ```

#![warn(missing_docs)]

pub mod account_token;
pub mod clock;
pub mod contention;
pub mod currency;
pub mod decimal;
mod digits;
pub mod email;
pub mod errors;
pub mod https_url;
pub mod id;
pub mod input;
pub mod logo_key;
pub mod money;
mod names;
pub mod one_failed;
pub mod page;
pub mod public_urls;
pub mod random;
pub mod scope;
pub mod sealing;
pub mod text;
pub mod transaction;
pub mod version;
pub mod zone;

pub use account_token::{AccountToken, TokenHash};
pub use clock::{Clock, SystemClock, instant_text};
pub use contention::{is_contended, may_see_uncommitted, report_uncertain, retry_contended};
pub use currency::Currency;
pub use decimal::{Decimal, DecimalFault};
pub use email::EmailAddress;
pub use errors::{FieldError, FieldErrors, ReadError, StoreError, StoreResult, error_chain};
pub use https_url::{HttpsUrl, HttpsUrlFault};
pub use id::{Id, Ids, SystemIds};
pub use input::{Field, FieldSource};
pub use logo_key::{LogoKey, LogoKind};
pub use money::Money;
pub use names::{Named, UnknownName};
pub use one_failed::OneFailed;
pub use page::{Cursor, CursorKey, OffsetPage, PageSize, ResultsPage};
pub use public_urls::PublicUrls;
pub use random::{SecureRandom, SystemRandom};
pub use scope::{AccountId, AccountScope, Operator, PartnerId, PartnerScope};
pub use sealing::{SealingKeys, Unsealable};
pub use text::{MultiLine, SingleLine, Text, TextFault};
pub use transaction::{AuditDetails, Commit};
pub use version::Version;
pub use zone::TimeZone;
