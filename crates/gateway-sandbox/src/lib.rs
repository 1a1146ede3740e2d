//! A payment gateway for trials of the service: checkouts are rows of the database, events are sent over HTTP
//! as by a real gateway, and no money moves.
//!
//! [`Sandbox`] implements [`PaymentGateway`](payments::PaymentGateway) for the service and
//! [`SandboxCheckouts`](payments::SandboxCheckouts) for the pages on which a visitor pays, is declined, pays
//! later, pays without a response, or pays twice.
//!
//! ```
//! use gateway_sandbox::Sandbox;
//! use payments::{GatewayKind, PaymentGateway};
//!
//! fn kind(sandbox: &Sandbox) -> GatewayKind {
//!     sandbox.kind()
//! }
//! ```

mod checkout;
mod checkouts;
mod due_debits;
mod events;
mod gateway;
mod payload;
mod sandbox;

pub use sandbox::Sandbox;
