//! Rate limits that several processes share through Redis.
//!
//! [`SharedLimits`] is the connection, and creates the implementations of the ports: [`SharedWindows`] for
//! the quotas of API keys and [`SharedAttempts`] for attempts without a key (both of [`access`]),
//! [`SharedFailures`] for failed sign-ins ([`sessions`]). Each subject has a sorted set, read and written by
//! one script in one round trip, on the Redis server's clock. All processes with the same Redis count
//! together, whatever their own clocks show.
//!
//! An outage of Redis does not fail requests. When Redis does not respond within a quarter of a second, the
//! process's own counts decide until Redis responds again (see `redis_link.rs`). These counts are always kept
//! up to date, so that during an outage nobody gets a fresh quota in a process that has served them.
//!
//! ```
//! use ratelimit_redis::RedisAddress;
//!
//! let address = RedisAddress::parse("redis://:secret@redis.example.com/2").unwrap();
//! assert!(!format!("{address:?}").contains("secret"));
//! let refused = RedisAddress::parse("redis://:secret@redis.example.com/two").unwrap_err();
//! assert!(!refused.to_string().contains("secret"));
//! ```

pub mod address;
mod redis_link;
pub mod shared_attempts;
pub mod shared_failures;
pub mod shared_limits;
pub mod shared_windows;
mod subject;
mod take;
mod trust;

pub use address::{AddressError, RedisAddress};
pub use redis_link::Options;
pub use shared_attempts::SharedAttempts;
pub use shared_failures::SharedFailures;
pub use shared_limits::{SetupError, SharedLimits};
pub use shared_windows::SharedWindows;
