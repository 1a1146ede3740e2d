//! The requests to Stripe and the handling of its responses, tested against a stand-in that checks them by
//! Stripe's OpenAPI document.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that is wrong should stop there")]

#[expect(dead_code, reason = "`xtask torture` also makes it misbehave and reads all of its records")]
#[path = "../stand_in/mod.rs"]
mod stand_in;

mod changes;
mod charges;
mod checkouts;
mod contract;
mod events;
mod failures;
mod fixture;
mod refunds;
