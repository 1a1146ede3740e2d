//! Work that a transaction leaves behind: leased, tried, tried again, done or given up.
//!
//! Nothing leaves the process inside a transaction. What must happen after a commit is [`Work`] that the transaction queues, so
//! that it is there exactly when its reason is. Afterwards a [`Worker`] leases what is due from the [`Queue`], has its attempts
//! made outside any transaction, and records the [`Outcome`] of each: done, to be tried again when a [`Schedule`] says, or given
//! up with the reason kept. Several processes share one queue; one that is killed in mid-attempt costs that attempt and never the
//! work. So work is done at least once, and whoever makes the attempts sees to it that a second time does no harm.
//!
//! ```
//! use std::num::NonZeroU32;
//!
//! use kernel::{AccountId, Clock, Entity, Id, SystemClock, SystemIds};
//! use outbox::{Failure, MemoryQueue, Outcome, Schedule, Work, Worker};
//! use time::{Duration, OffsetDateTime};
//!
//! #[derive(Debug)]
//! enum ParcelEntity {}
//! impl Entity for ParcelEntity {
//!     const NAME: &'static str = "parcel";
//! }
//!
//! #[derive(Clone)]
//! struct Parcel { id: Id<ParcelEntity>, account: AccountId, packed_at: OffsetDateTime }
//!
//! impl Work for Parcel {
//!     type Entity = ParcelEntity;
//!     fn id(&self) -> Id<ParcelEntity> { self.id }
//!     fn account(&self) -> AccountId { self.account }
//!     fn queued_at(&self) -> OffsetDateTime { self.packed_at }
//! }
//!
//! const SCHEDULE: Schedule = Schedule {
//!     waits: &[Duration::minutes(1), Duration::minutes(10)],
//!     later_wait: Duration::hours(1),
//!     give_up_after: Duration::days(1),
//!     too_late: "not collected within a day",
//! };
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), kernel::StoreError> {
//! let (ids, now) = (SystemIds::default(), SystemClock.now());
//! let parcel = Parcel { id: Id::new(&ids, now), account: Id::new(&ids, now), packed_at: now };
//! let queue = MemoryQueue::default();
//! queue.put(&parcel);
//!
//! let worker = Worker { queue: &queue, clock: &SystemClock, schedule: &SCHEDULE, max_concurrent: NonZeroU32::MIN };
//! let round = worker.work_off(async |_leased| Err(Failure::Temporary("nobody\nis in".to_owned()).into())).await?;
//! assert!(matches!(&round.attempts[0].outcome, Some(Outcome::Retry { reason, .. }) if reason == "nobody is in"));
//! # Ok(())
//! # }
//! ```

pub mod failure;
pub mod memory;
pub mod outcome;
pub mod queue;
pub mod schedule;
pub mod work;
pub mod worker;

pub use failure::{Failure, NotDone};
pub use memory::MemoryQueue;
pub use outcome::Outcome;
pub use queue::{Queue, Recorded};
pub use schedule::Schedule;
pub use work::{LEASE, Lease, Leased, Work};
pub use worker::{Attempted, Round, Worker};
