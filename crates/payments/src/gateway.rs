//! The port to the companies through which payers pay online, and its data types.

pub mod access;
pub mod checkout;
pub mod error;
pub mod event;
pub mod ids;
pub mod kind;
pub mod port;
pub mod refund;
pub mod report;
pub mod signature;

pub use access::{GatewayAccess, GatewayAccountEntity, GatewayAccountId, GatewaySecret};
pub use checkout::{CheckoutReport, CheckoutState, NewCheckout, OpenedCheckout};
pub use error::{AmountRefused, GatewayError};
pub use event::{EventRefused, EventSubject, GatewayEvent};
pub use ids::{ChargeId, CheckoutId, IntentEntity, IntentId, RefundKey, RefundKeyEntity};
pub use kind::{GatewayKind, MethodKind};
pub use port::PaymentGateway;
pub use refund::{NewRefund, RefundReport, RefundState};
pub use report::{ChangedCharges, ChargeReport, ChargeState, ReversalKind, ReversalReport};
pub use signature::TimedSignature;
