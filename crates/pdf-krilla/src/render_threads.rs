//! Threads that lay out documents, so that the threads that serve requests never do.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;

use kernel::AccountId;
use tokio::sync::{Semaphore, oneshot};

type RenderTask = Box<dyn FnOnce() + Send>;

/// The purpose of the threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RenderPriority {
    /// A caller waits for the document.
    Request,
    /// No caller waits. On Linux these threads have a lower priority than those that serve requests: a
    /// document takes milliseconds of CPU, many times the CPU of the request that queued it.
    Background,
}

/// One thread for each core. They end when this is dropped.
///
/// A document of an account is queued when the one before it is done, so that the accounts take turns: a
/// document of the greatest size takes a second, and anybody who has its link may ask for it again and again.
#[derive(Debug, Clone)]
pub(crate) struct RenderThreads {
    jobs: Sender<RenderTask>,
    turns: Arc<Mutex<HashMap<AccountId, Weak<Semaphore>>>>,
}

#[derive(Debug, thiserror::Error)]
#[error("the thread that laid the document out panicked")]
pub(crate) struct Panicked;

impl RenderThreads {
    pub(crate) fn start(priority: RenderPriority) -> std::io::Result<Self> {
        let (jobs, waiting) = mpsc::channel::<RenderTask>();
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..thread::available_parallelism()?.get() {
            let waiting = waiting.clone();
            let run = move || {
                priority.apply();
                run_all(&waiting);
            };
            thread::Builder::new().name("render".to_owned()).spawn(run)?;
        }
        Ok(Self { jobs, turns: Arc::default() })
    }

    /// Runs a job of an account on one of the threads. A job whose caller was dropped is skipped.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        account: AccountId,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Panicked> {
        let turn = self.turn(account).acquire_owned().await.map_err(|_closed| Panicked)?;
        let (answer, answered) = oneshot::channel();
        let job = move || {
            if answer.is_closed() {
                return;
            }
            let done = catch_unwind(AssertUnwindSafe(job));
            // The turn ends with the job, even if the caller was dropped before.
            drop(turn);
            if let Ok(done) = done {
                // The caller may have been dropped meanwhile.
                let _ = answer.send(done);
            }
        };
        self.jobs.send(Box::new(job)).map_err(|_ended| Panicked)?;
        answered.await.map_err(|_dropped| Panicked)
    }

    /// The permit for which the jobs of an account wait. It is forgotten once no job has it or waits for it.
    fn turn(&self, account: AccountId) -> Arc<Semaphore> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(turn) = turns.get(&account).and_then(Weak::upgrade) {
            return turn;
        }
        turns.retain(|_, turn| turn.strong_count() > 0);
        let turn = Arc::new(Semaphore::new(1));
        turns.insert(account, Arc::downgrade(&turn));
        turn
    }
}

fn run_all(waiting: &Mutex<Receiver<RenderTask>>) {
    loop {
        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = next else {
            return;
        };
        job();
    }
}

impl RenderPriority {
    fn apply(self) {
        #[cfg(target_os = "linux")]
        if self == Self::Background
            && let Err(error) = rustix::process::setpriority_process(None, 10)
        {
            // On Linux this sets the priority of the calling thread only.
            tracing::warn!(%error, "mail is rendered with the priority of requests");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use kernel::Id;
    use uuid::Uuid;

    use super::*;

    fn account(n: u128) -> AccountId {
        Id::from_uuid(Uuid::from_u128(n))
    }

    #[tokio::test]
    async fn documents_of_one_account_delay_none_of_another() {
        let threads = RenderThreads::start(RenderPriority::Request).unwrap();
        let (end, ended) = mpsc::channel::<()>();
        let ended = Arc::new(Mutex::new(ended));
        let slow: Vec<_> = (0..100)
            .map(|_| {
                let (threads, ended) = (threads.clone(), ended.clone());
                tokio::spawn(async move {
                    threads.run(account(1), move || ended.lock().unwrap().recv().is_err()).await
                })
            })
            .collect();
        tokio::task::yield_now().await;
        if thread::available_parallelism().unwrap().get() > 1 {
            let other = tokio::time::timeout(Duration::from_secs(60), threads.run(account(2), || 7)).await;
            assert_eq!(other.unwrap().unwrap(), 7);
        }
        drop(end);
        for job in slow {
            assert!(job.await.unwrap().unwrap());
        }
        assert_eq!(threads.run(account(2), || 7).await.unwrap(), 7);
        assert_eq!(threads.turns.lock().unwrap().len(), 1);
    }

    #[tokio::test]
    async fn panic_in_a_job_is_an_error_and_the_threads_go_on() {
        for priority in [RenderPriority::Request, RenderPriority::Background] {
            let threads = RenderThreads::start(priority).unwrap();
            for _ in 0..100 {
                let lost = threads.run(account(1), || panic!("no more color")).await;
                assert!(matches!(lost, Err::<(), _>(Panicked)));
            }
            assert_eq!(threads.run(account(1), || 7).await.unwrap(), 7);
        }
    }

    #[tokio::test]
    async fn jobs_run_on_other_threads_and_no_more_at_a_time_than_cores() {
        use std::sync::atomic::{AtomicUsize, Ordering};

        let threads = RenderThreads::start(RenderPriority::Request).unwrap();
        let (busy, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let own = thread::current().id();
        let jobs = (0..50).map(|n| {
            let (busy, most) = (busy.clone(), most.clone());
            let threads = threads.clone();
            tokio::spawn(async move {
                let job = move || {
                    assert_ne!(thread::current().id(), own);
                    most.fetch_max(busy.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    thread::yield_now();
                    busy.fetch_sub(1, Ordering::SeqCst);
                };
                threads.run(account(n), job).await
            })
        });
        for job in jobs.collect::<Vec<_>>() {
            job.await.unwrap().unwrap();
        }
        assert!(most.load(Ordering::SeqCst) <= thread::available_parallelism().unwrap().get());
    }
}
