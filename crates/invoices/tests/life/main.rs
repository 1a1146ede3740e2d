//! The state table of an invoice (contract, "States and transitions"), row by row, on the entity alone.
#![expect(clippy::unwrap_used, reason = "a test that is wrong should stop there")]

mod amend;
mod cancel;
mod checks;
mod lines;
mod make;
mod pay;
