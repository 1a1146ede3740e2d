//! What the stores share, without a database.

mod delivery_notifier;
mod errors;
mod in_flight_keys;
mod json_rows;
