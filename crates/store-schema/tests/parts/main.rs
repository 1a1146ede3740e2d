//! What the stores share, tested without a database.
#![expect(clippy::unwrap_used, reason = "a test that is wrong should stop there")]

mod delivery_notifier;
mod errors;
mod in_flight_keys;
mod json_rows;
