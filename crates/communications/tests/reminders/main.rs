//! Reminders as functions: each guard in isolation, random histories, the forecast compared with a moving
//! clock.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that is wrong should stop there")]

mod account_forecast;
mod added_steps;
mod forecast;
mod guards;
mod histories;
mod samples;
mod sms_permits;
mod steps;
