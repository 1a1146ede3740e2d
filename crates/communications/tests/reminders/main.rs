//! Reminders as functions: each guard alone, histories at random, the rehearsal against the moving clock.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that is wrong should stop there")]

mod guards;
mod histories;
mod outlook;
mod rehearsal;
mod samples;
mod steps;
