//! Idempotency keys: a repeated request is executed once.
//!
//! The first request with a key claims it in the transaction that does its work, and stores its response in
//! the same transaction: after a crash there is both the work and the response, or neither. A second request
//! with the key gets the stored response (contract, "Idempotency"). The forms of pages are claimed in the
//! same way, in a transaction of their own ([`Submission`]).
//!
//! ```
//! use idempotency::{Fingerprint, IdempotencyKey};
//!
//! assert_eq!(IdempotencyKey::parse("\"k\"").unwrap(), IdempotencyKey::parse("k").unwrap());
//! assert_eq!(Fingerprint::of(br#"{"a":1,"b":2.50}"#), Fingerprint::of(br#"{"b":2.5,"a":1}"#));
//! ```

pub mod error_response;
pub mod fingerprint;
pub mod json;
pub mod key;
pub mod ports;
pub mod stored_response;
pub mod submission;

pub use error_response::store_error_response;
pub use fingerprint::Fingerprint;
pub use key::{BadKey, Endpoint, IdempotencyKey, Ticket};
pub use ports::{Claim, StoredResponseStore, StoredResponses, StoredResponsesTx};
pub use stored_response::{IdempotentOutcome, Once, StoredResponse};
pub use submission::{Begun, FormToken, StaleForm, Submission, Submissions};
