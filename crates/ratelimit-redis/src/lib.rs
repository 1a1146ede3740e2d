//! Rate limits that several processes share, in Redis.
//!
//! [`SharedWindows`] fills the rate-limit port of [`access`]: one sorted set for each key and bucket, looked at and added to by one
//! script in one round trip, on the Redis server's clock. Processes with one Redis hold one quota between them, and no
//! difference between their own clocks loosens it.
//!
//! Redis may go away at any time; requests do not notice. One that got no answer in a quarter of a second is judged by the process's
//! own window ([`access::RollingWindows`]), and so is every other until Redis answers again, which is looked for in the background
//! (see `link.rs`). The own window is kept up to date all along, so that an outage gives nobody a fresh quota in a process that has
//! served them.
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
mod link;
pub mod options;
pub mod shared_windows;
mod take;
mod trust;

pub use address::{AddressError, RedisAddress};
pub use options::Options;
pub use shared_windows::{SetupError, SharedWindows};
