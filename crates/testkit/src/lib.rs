//! Building blocks of tests: fixed time, ids and randomness, and throw-away databases.
//!
//! Only `[dev-dependencies]` may name this crate (`cargo xtask tidy` checks that), so its code may panic: a
//! test that cannot get its database can only stop and say why.
//!
//! ```
//! use kernel::Clock;
//! use testkit::FixedClock;
//!
//! let clock = FixedClock::default();
//! let before = clock.now();
//! clock.advance(time::Duration::days(14));
//! assert_eq!(clock.now() - before, time::Duration::days(14));
//! ```
#![expect(clippy::expect_used, reason = "a test that is wrong should stop there and say what broke")]

pub mod citus;
pub mod clock;
pub mod ids;
pub mod log;
pub mod postgres;
pub mod random;
pub mod redis;
mod scratch;
pub mod sqlite;

pub use clock::FixedClock;
pub use ids::CountingIds;
pub use log::CapturedLog;
pub use random::FixedRandom;
