//! A request that is sent twice is done once.
//!
//! A caller may send a POST under an `Idempotency-Key`. The first such request claims the key inside the transaction that
//! does its work, and its answer is kept by that same transaction: after a crash there is either both the work and the
//! answer, or neither. A second request with the key gets the first one's answer (contract, "Idempotency").
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

pub use error_response::store_error_response;
pub use fingerprint::Fingerprint;
pub use key::{BadKey, Endpoint, IdempotencyKey, Ticket};
pub use ports::{Claim, StoredResponseStore, StoredResponses, StoredResponsesTx};
pub use stored_response::{IdempotentOutcome, Once, StoredResponse};
