//! Authentication and quotas: API keys, callers, switches.
//!
//! There are two separate key spaces (contract, "Authentication"): an account key gives access to the public
//! API of one account, a partner key to the partner API. A key contains a checksum, so that a mistyped or
//! invented key, or one of the other space, is refused without a look-up; only its SHA-256 is stored.
//!
//! ```
//! use access::{ApiKey, KeySpace};
//! use kernel::SystemRandom;
//!
//! let key = ApiKey::generate(KeySpace::Account, &SystemRandom::default());
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
pub use caller::{AccountCaller, AccountKeyRecord, Caller, PartnerCaller, PartnerKeyRecord, SwitchedOffBy};
pub use key::{ApiKey, KeyHash, KeyId, KeySpace, KeyUse, MalformedKey, NewKey};
pub use key_uses::KeyUses;
pub use password::{Password, PasswordError, PasswordFault, PasswordHash, Passwords};
pub use ports::{AttemptLimiter, Credentials, KeyUseStore, RateLimiter};
pub use quota::{Bucket, QuotaDecision, Quotas};
pub use rolling_window::RollingWindows;
pub use scope_cache::{CachedScope, ScopeCache};
