//! Background jobs: queued by a transaction, leased, attempted, tried again, done or given up.
//!
//! Nothing leaves the process inside a transaction. What must happen after a commit is a job that the
//! transaction queues. [`run`] leases due jobs, makes the attempts outside any transaction, and records the
//! outcome of each: done, to be tried again as a [`RetrySchedule`] says, or given up with the reason. Several
//! processes share one queue; if one is killed, its attempts are lost but never a job. So a job is done at
//! least once, and the handler ensures that a second attempt does no harm. Jobs are carried out on a Tokio
//! runtime with its timers enabled.
//!
//! A kind of job is a [`Task`], which is its payload, and a [`JobHandler`]: a schedule, one attempt. All such
//! kinds share one [`Queue`], so a new one needs no table and no query. A kind that needs lanes (fairness
//! between receivers) or batches implements [`JobKind`].
//!
//! ```
//! use std::num::NonZeroU32;
//! use std::sync::Arc;
//!
//! use kernel::{Clock, Id, SystemClock, SystemIds};
//! use outbox::{
//!     Failure, JobContext, JobHandler, Leased, MemoryQueue, NewJob, NotDone, Outcome, RetrySchedule, Task,
//! };
//! use time::Duration;
//!
//! #[derive(serde::Serialize, serde::Deserialize)]
//! struct Parcel { street: String }
//!
//! impl Task for Parcel {
//!     const KIND: &'static str = "parcels";
//! }
//!
//! struct ParcelWorker { jobs: JobContext }
//!
//! #[async_trait::async_trait]
//! impl JobHandler for ParcelWorker {
//!     const SCHEDULE: RetrySchedule = RetrySchedule {
//!         waits: &[Duration::minutes(1), Duration::minutes(10)],
//!         later_wait: Duration::hours(1),
//!         give_up_after: Duration::days(1),
//!         too_late: "not collected within a day",
//!     };
//!     type Payload = Parcel;
//!     fn jobs(&self) -> &JobContext { &self.jobs }
//!     async fn handle(&self, parcel: &Leased<Parcel>) -> Result<(), NotDone> {
//!         Err(Failure::Temporary(format!("no answer at {}", parcel.payload.street)).into())
//!     }
//! }
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() {
//!     let (ids, now) = (SystemIds::default(), SystemClock.now());
//!     let (id, account) = (Id::new(&ids, now), Id::new(&ids, now));
//!     let parcel = Parcel { street: "Elm Street".to_owned() };
//!     let queue = Arc::new(MemoryQueue::default());
//!     queue.put(NewJob::of(&parcel, id, account, now));
//!     let (clock, max_concurrent) = (Arc::new(SystemClock), NonZeroU32::MIN);
//!     let worker = ParcelWorker { jobs: JobContext { queue: queue.clone(), clock, max_concurrent } };
//!
//!     assert_eq!(outbox::run_until_idle(Arc::new(worker)).await, 1);
//!     let outcome = queue.last_outcome(id);
//!     assert!(matches!(outcome, Some(Outcome::Retry { reason, .. }) if reason == "no answer at Elm Street"));
//! }
//! ```

pub mod handler;
pub mod job;
mod lanes;
pub mod memory;
pub mod outcome;
pub mod queue;
mod record_outcome;
pub mod retry_schedule;
pub mod runner;
mod work_throttle;

pub use handler::{JobContext, JobHandler, JobResult};
pub use job::{Checked, JobKind, JobLimits, LeaseRequest, LeasedBatch, Monitor, Pace, Unrecorded};
pub use memory::MemoryQueue;
pub use outcome::{Failure, NotDone, Outcome};
pub use queue::{Due, JobId, Jobs, LEASE, LONGEST_SENDING, Lease, Leased, NewJob, Queue, Recorded, Task};
pub use record_outcome::record_outcome;
pub use retry_schedule::{RetrySchedule, wait_after_store_failure};
pub use runner::{run, run_until_idle};
pub use work_throttle::WorkThrottle;
