//! What is said to Stripe and made of its answers, against a stand-in that knows Stripe's OpenAPI document.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test whose ground gives way should stop there"
)]

#[expect(dead_code, reason = "`xtask torture` also makes it misbehave and reads all of its records")]
#[path = "../stand_in/mod.rs"]
mod stand_in;

mod changes;
mod charges;
mod checkouts;
mod contract;
mod events;
mod failures;
mod ground;
mod refunds;
