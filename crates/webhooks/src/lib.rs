//! Signed webhooks: events, the endpoints that receive them, deliveries and their schedule.
//!
//! A domain publishes an [`Event`] with [`publish()`], in the transaction in which it happens. Afterwards a
//! [`DeliveryWorker`] delivers it, in up to five attempts; the crate [`outbox`] runs the worker. A
//! [`WebhookAdministration`] registers endpoints and replays abandoned deliveries. Receivers in Rust use this
//! crate too: [`verify`] checks whether a delivery is genuine.
//!
//! ```
//! use webhooks::{SigningSecret, sign, verify};
//!
//! let secret = SigningSecret::parse("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE").unwrap();
//! let body = br#"{"events":[]}"#;
//! let header = sign(&secret, body);
//! assert!(verify(&secret, body, &header).is_ok());
//! assert!(verify(&secret, b"{}", &header).is_err());
//! ```

#![warn(missing_docs)]

pub mod abandoned;
pub mod administration;
pub mod bulk_replay;
pub mod bulk_replay_job;
pub mod deliveries;
pub mod delivery;
pub mod delivery_schedule;
pub mod delivery_worker;
pub mod endpoint;
pub mod event;
pub mod ports;
pub mod publish;
pub mod register;
pub mod rekey;
pub mod replay;
pub mod replay_many;
pub mod secret;
pub mod signature;
pub mod test_delivery;

pub use abandoned::AbandonedDelivery;
pub use administration::WebhookAdministration;
pub use bulk_replay::{BulkReplay, BulkReplayId};
pub use bulk_replay_job::BulkReplayWorker;
pub use deliveries::{DeliveryPage, ShownDelivery};
pub use delivery::{
    Delivery, DeliveryAttempt, DeliveryId, DeliveryLease, DeliveryOutcome, DeliveryResult, DeliveryState,
    LeasedDelivery,
};
pub use delivery_schedule::DeliverySchedule;
pub use delivery_worker::DeliveryWorker;
pub use endpoint::{Endpoint, EndpointId, Subscriptions, SubscriptionsFault};
pub use event::{EscalationFacts, Event, EventId, EventName, Occurrence};
pub use ports::{
    DeliveryFilter, DeliveryQueue, DeliveryRecord, DeliverySignal, DeliveryStore, Endpoints, EndpointsStore,
    EndpointsTx, Events, ReceiverResponse, Replay, SealedSecrets, SendError, TargetGuard, TargetRefused,
    WebhookSender,
};
pub use publish::publish;
pub use register::{EndpointChange, EndpointError, NewEndpoint, may_enable_one_more};
pub use rekey::RekeyError;
pub use replay::ReplayError;
pub use secret::{SealedSecret, SigningSecret};
pub use signature::{SIGNATURE_HEADER, USER_AGENT, WrongSignature, sign, verify};
pub use test_delivery::TestDeliveryError;
