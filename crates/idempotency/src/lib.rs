//! Idempotency keys: a repeated request is carried out once.
//!
//! The first request with a key claims the key in the transaction that does its work, and stores its response
//! in the same transaction: after a crash there are both the work and the response, or neither. A second
//! request with the key gets the stored response (contract, "Idempotency"). Submitted forms of pages are
//! claimed in the same way, but in a separate transaction ([`Submission`]).
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
pub use key::{BadKey, IdempotencyKey, IdempotentOperation, Ticket};
pub use ports::{Claim, Rewrite, StoredResponseStore, StoredResponses, StoredResponsesTx};
pub use stored_response::{IdempotentOutcome, IdempotentResponse, StoredResponse};
pub use submission::{FormKey, FormToken, FormTokenError, Submission, SubmissionClaim, Submissions};
