//! Shared by bench and torture: the binary of the profile `dist` as a process, temporary databases, an HTTP
//! client, servers on loopback, a small file system, stand-ins for Stripe and Twilio, load, and tables.

pub(crate) mod build;
pub(crate) mod client;
pub(crate) mod cluster;
pub(crate) mod database;
pub(crate) mod load;
pub(crate) mod loopback_server;
pub(crate) mod mail_server;
pub(crate) mod service_process;
pub(crate) mod small_disk;
/// The stand-in for Stripe from the tests of its adapter.
#[path = "../../crates/gateway-stripe/tests/stand_in/mod.rs"]
#[expect(dead_code, reason = "the adapter's own tests ask more of it")]
#[expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "written as a test: what it is asked wrongly ends the call, and the report says so"
)]
pub(crate) mod stripe;
pub(crate) mod supervisor;
pub(crate) mod terminal;
/// The stand-in for Twilio from the tests of its adapter.
#[path = "../../crates/sms-twilio/tests/stand_in/mod.rs"]
#[expect(dead_code, reason = "the adapter's own tests ask more of it")]
#[expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "written as a test: a poisoned lock ends the scenario"
)]
#[expect(clippy::duplicate_mod, reason = "both stand-ins take in the same server")]
pub(crate) mod twilio;
pub(crate) mod webhook_receiver;
