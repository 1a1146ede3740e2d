//! The payment gateway port, implemented over Stripe's REST API.
//!
//! [`Stripe`] opens, reads and expires Checkout Sessions, reads charges with their refunds and disputes,
//! makes refunds, and lists changes. Card data never reaches this service: the payer is sent to Stripe's
//! page.
//!
//! Every call carries the version of the API that this crate was written for ([`API_VERSION`]), so an upgrade
//! of the owner's Stripe account changes nothing. Every POST carries an `Idempotency-Key`: an intent's id
//! opens one session, a refund's id makes one refund. Stripe may forget a key after a day, so before a refund
//! is made, its id is searched among the charge's refunds. Calls of the port take at most 15 seconds in
//! total, follow no redirect, use no proxy, and read a response of at most four mebibytes.
//!
//! Amounts are sent in Stripe's units, which differ from ISO 4217's for some currencies, and are never
//! rounded: an amount that Stripe cannot represent exactly is refused before a call. No message contains a
//! key.
//!
//! ```
//! use std::sync::Arc;
//!
//! use gateway_stripe::{Stripe, StripeSettings};
//! use kernel::{Currency, Money, SystemClock, SystemIds};
//! use payments::{AmountRefused, PaymentGateway};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (clock, ids) = (Arc::new(SystemClock), Arc::new(SystemIds::default()));
//! let stripe = Stripe::new(&StripeSettings::default(), clock.clone(), ids.clone())?;
//! assert_eq!(stripe.checkout_origin().as_deref(), Some("https://checkout.stripe.com"));
//!
//! let bhd = Currency::parse("BHD")?;
//! assert!(stripe.takes(Money::parse("12.340", bhd)?).is_ok());
//! let fine = Money::parse("12.345", bhd)?;
//! assert_eq!(stripe.takes(fine), Err(AmountRefused::NotWritable(fine)));
//!
//! // A key does not travel in the clear, but to this machine itself.
//! let settings = StripeSettings { base_url: "http://stripe.example.com".to_owned(), ..Default::default() };
//! assert!(Stripe::new(&settings, clock, ids).is_err());
//! # Ok(())
//! # }
//! ```

mod api;
mod changes;
mod checkout;
mod event;
mod gateway;
mod http;
mod method;
mod objects;
mod reading;
mod refusal;
pub mod settings;
mod units;

pub use api::API_VERSION;
pub use gateway::Stripe;
pub use https_client::UrlFault;
pub use settings::{SettingsFault, StripeSettings};
