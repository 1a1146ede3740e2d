//! Rate limits that several processes share, in Redis.
//!
//! [`SharedWindows`] fills the rate-limit port of [`access`]: one sorted set for each key and bucket, read
//! and written by one script in one round trip, on the Redis server's clock. All processes with one Redis
//! share one quota, whatever their own clocks show.
//!
//! An outage of Redis does not fail requests. When Redis does not answer within a quarter of a second, the
//! process's own window ([`access::RollingWindows`]) decides until Redis answers again (see `redis_link.rs`).
//! The own window is updated all the time, so that an outage gives no key a fresh quota in a process that has
//! served it.
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
pub mod shared_windows;
mod take;
mod trust;

pub use address::{AddressError, RedisAddress};
pub use redis_link::Options;
pub use shared_windows::{SetupError, SharedWindows};
