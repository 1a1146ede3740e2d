//! Logins of account owners: sign-in with password and second factor, sessions, password reset, and audit
//! entries.
//!
//! The token of a session or a password reset contains the id of its account and 256 random bits. Its SHA-256
//! is stored; only mail that waits to be sent holds a token, sealed. A session is refused as soon as the
//! transaction that ends it, or that switches its account off, is committed.
//!
//! ```
//! use kernel::SystemRandom;
//! use sessions::RecoveryCode;
//!
//! let codes = RecoveryCode::generate_all(&SystemRandom::default());
//! let shown = codes[0].reveal();
//! let account = kernel::AccountId::from_uuid(uuid::Uuid::from_u128(7));
//! assert_eq!(RecoveryCode::parse(&shown).unwrap().hash(account), codes[0].hash(account));
//! ```

pub mod accept_invitation;
pub mod audit;
pub mod change_password;
pub mod end_sessions;
pub mod login;
pub mod logins;
pub mod origin;
pub mod password_reset;
pub mod password_rules;
pub mod ports;
pub mod recovery_code;
pub mod request_reset;
pub mod reset_request;
pub mod second_factor;
pub mod security_email;
pub mod session;
mod sessions;
pub mod set_up_second_factor;
pub mod sign_in;
pub mod throttle;

pub use accept_invitation::AcceptInvitationError;
pub use audit::{Actor, Audit, AuditEntry, AuditEntryId, AuditLog, AuditedChange};
pub use change_password::{ChangePasswordError, ResetPasswordError};
pub use login::{Login, LoginRecord, OwnerNames};
pub use logins::{InternalFailure, Logins};
pub use origin::Origin;
pub use password_reset::{PasswordReset, PasswordResetId, ResetRefused};
pub use password_rules::PasswordRefused;
pub use ports::{
    AuditEntries, BrowserSeen, LoginRecords, SealedLogin, SealedSecondFactors, SessionsStore, SessionsTx,
};
pub use recovery_code::RecoveryCode;
pub use reset_request::{ResetRequest, ResetRequestId};
pub use second_factor::{SealedTotpSecret, SecondFactor, TotpSecret};
pub use security_email::{PasswordResetEmail, SecurityEmail};
pub use session::{NewSession, Session, SessionEntity, SessionId, SessionRecord};
pub use sessions::{SessionError, Sessions};
pub use set_up_second_factor::{SecondFactorRekeyError, TurnOnError};
pub use sign_in::{SignInError, SignedIn};
pub use throttle::{Failures, FailuresInMemory, OverLimit, Pauses, Throttle, ThrottledSubject, Wait};
