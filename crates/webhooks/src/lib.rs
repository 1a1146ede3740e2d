//! Signed webhooks: events, the endpoints that are told of them, deliveries and their schedule.
//!
//! A domain publishes an [`Event`] with [`publish()`], in the transaction of what happened. A courier delivers it afterwards: it
//! leases from the [`DeliveryQueue`], keeps [`Lanes`], makes attempts with its [`Means`] and records what came of them, up to five times. A
//! [`WebhookDesk`] registers endpoints and replays what was abandoned. Receivers in Rust use this crate too:
//! [`verify`] says whether a delivery is genuine.
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

pub mod attempt;
pub mod delivery;
pub mod endpoint;
pub mod event;
pub mod lanes;
pub mod ports;
pub mod publish;
pub mod register;
pub mod rekey;
pub mod replay;
pub mod schedule;
pub mod secret;
pub mod signature;

use std::sync::Arc;

use kernel::{Clock, Ids, SealingKeys, SecureRandom};

pub use attempt::Means;
pub use delivery::{
    Attempt, Delivery, DeliveryId, DeliveryLease, DeliveryState, LeasedDelivery, Settled, Verdict,
};
pub use endpoint::{Endpoint, EndpointId, Subscriptions, SubscriptionsFault};
pub use event::{EscalationFacts, Event, EventId, EventName, Occurrence};
pub use lanes::{Lanes, Pace};
pub use ports::{
    Claim, Claimed, DeliveryFilter, DeliveryLog, DeliveryQueue, DeliverySignal, Endpoints,
    EndpointsStore, EndpointsTx, Events, Replay, Response, SealedSecrets, SendError, Sender,
    TargetGuard, TargetRefused,
};
pub use publish::publish;
pub use register::{EndpointChange, EndpointError, NewEndpoint, may_enable_one_more};
pub use rekey::RekeyError;
pub use replay::ReplayError;
pub use schedule::Schedule;
pub use secret::{SealedSecret, SigningSecret};
pub use signature::{SIGNATURE_HEADER, USER_AGENT, WrongSignature, sign, verify};

/// The use cases of endpoints and deliveries, over what they need from outside.
#[derive(Clone)]
pub struct WebhookDesk {
    /// The endpoints.
    pub endpoints: Arc<dyn EndpointsStore>,
    /// The deliveries, to be shown and made anew.
    pub log: Arc<dyn DeliveryLog>,
    /// The sealed secrets, for a change of the master key.
    pub secrets: Arc<dyn SealedSecrets>,
    /// Looks at targets.
    pub guard: Arc<dyn TargetGuard>,
    /// What secrets are sealed under.
    pub keys: Arc<SealingKeys>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Makes ids.
    pub ids: Arc<dyn Ids>,
    /// Makes secrets.
    pub random: Arc<dyn SecureRandom>,
}
