//! Rate limits that several processes share, in Redis.
//!
//! [`SharedLimits`] is the connection, and makes what fills the ports: [`SharedWindows`] the quotas of API
//! keys and [`SharedAttempts`] the attempts without a key ([`access`]), [`SharedFailures`] the failed
//! sign-ins ([`sessions`]). What is counted is a sorted set for each subject, read and written by one script
//! in one round trip, on the Redis server's clock. All processes with one Redis count together, whatever
//! their own clocks show.
//!
//! An outage of Redis does not fail requests. When Redis does not answer within a quarter of a second, what
//! the process itself has counted decides until Redis answers again (see `redis_link.rs`). That is updated
//! all the time, so that an outage gives nobody a fresh quota in a process that has served them.
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
