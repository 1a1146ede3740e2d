//! What tests stand on: time, ids and randomness that are held still, and databases that are thrown away.
//!
//! Only `[dev-dependencies]` may name this crate (`cargo xtask tidy` looks), so it may do what the others
//! must not: a test that cannot get its database has nothing better to do than panic and say why.
//!
//! ```
//! use kernel::Clock;
//! use testkit::StillClock;
//!
//! let clock = StillClock::default();
//! let before = clock.now();
//! clock.advance(time::Duration::days(14));
//! assert_eq!(clock.now() - before, time::Duration::days(14));
//! ```
#![expect(clippy::expect_used, reason = "a test whose ground gives way should stop there and say what broke")]

pub mod citus;
pub mod clock;
pub mod ids;
pub mod postgres;
pub mod random;
pub mod redis;
mod scratch;
pub mod sqlite;

pub use clock::StillClock;
pub use ids::CountingIds;
pub use random::FixedRandom;
