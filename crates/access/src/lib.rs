//! Who is calling, and how often: API keys, callers, switches, quotas.
//!
//! There are two key spaces that never mix (contract, "Authentication"): an account key opens the public API
//! of one account, a partner key opens the partner API. A key carries a checksum, so that one that was
//! mistyped, made up or meant for the other space is refused before anything is looked up; the store knows
//! only its SHA-256.
//!
//! ```
//! use access::{ApiKey, KeySpace};
//! use kernel::SystemRandom;
//!
//! let key = ApiKey::generate(KeySpace::Account, &SystemRandom::default()).unwrap();
//! assert!(ApiKey::parse(KeySpace::Account, key.reveal()).is_ok());
//! assert!(ApiKey::parse(KeySpace::Partner, key.reveal()).is_err());
//! ```

pub mod attempts;
pub mod authenticate;
pub mod caller;
pub mod key;
pub mod key_uses;
pub mod password;
pub mod ports;
pub mod quota;
pub mod rolling_window;
pub mod scope_cache;

pub use attempts::AttemptWindow;
pub use authenticate::{AccessError, Authenticator};
pub use caller::{AccountCaller, AccountStanding, Caller, PartnerCaller, PartnerStanding, SwitchedOffBy};
pub use key::{ApiKey, KeyHash, KeyId, KeySpace, KeyUse, MalformedKey, NewKey};
pub use key_uses::KeyUses;
pub use password::{Password, PasswordError, PasswordFault, PasswordHash, Passwords};
pub use ports::{AttemptLimiter, Credentials, KeyUseStore, RateLimiter};
pub use quota::{Bucket, QuotaDecision, Quotas};
pub use rolling_window::RollingWindows;
pub use scope_cache::{CachedScope, ScopeCache};
