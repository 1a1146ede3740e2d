//! Reminders as functions: each guard in isolation, random histories, the rehearsal compared with a moving
//! clock.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that is wrong should stop there")]

mod guards;
mod histories;
mod outlook;
mod rehearsal;
mod samples;
mod sms_permits;
mod steps;
