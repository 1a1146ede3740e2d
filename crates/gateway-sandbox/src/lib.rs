//! A payment gateway for trying the service: its checkouts are rows, its events come over HTTP as those of a
//! real gateway do, and no money moves.
//!
//! [`Sandbox`] implements [`PaymentGateway`](payments::PaymentGateway) for the service and
//! [`SandboxCheckouts`](payments::SandboxCheckouts) for the pages on which a visitor pays, is declined, pays
//! later, pays without an answer, or pays twice.
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
mod due_debits;
mod events;
mod gateway;
mod pages;
mod payload;
mod sandbox;

pub use sandbox::Sandbox;
