//! Threads that lay out documents, so that the threads that serve requests never do.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use tokio::sync::oneshot;

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
#[derive(Debug, Clone)]
pub(crate) struct RenderThreads(Sender<RenderTask>);

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
        Ok(Self(jobs))
    }

    /// Runs a job on one of the threads. A job whose caller was dropped is skipped.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Panicked> {
        let (answer, answered) = oneshot::channel();
        let job = move || {
            if answer.is_closed() {
                return;
            }
            if let Ok(done) = catch_unwind(AssertUnwindSafe(job)) {
                // The caller may have been dropped meanwhile.
                let _ = answer.send(done);
            }
        };
        self.0.send(Box::new(job)).map_err(|_ended| Panicked)?;
        answered.await.map_err(|_dropped| Panicked)
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
    use super::*;

    #[tokio::test]
    async fn panic_in_a_job_is_an_error_and_the_threads_go_on() {
        for priority in [RenderPriority::Request, RenderPriority::Background] {
            let threads = RenderThreads::start(priority).unwrap();
            for _ in 0..100 {
                let lost = threads.run(|| panic!("no more color")).await;
                assert!(matches!(lost, Err::<(), _>(Panicked)));
            }
            assert_eq!(threads.run(|| 7).await.unwrap(), 7);
        }
    }

    #[tokio::test]
    async fn jobs_run_on_other_threads_and_no_more_at_a_time_than_cores() {
        use std::sync::atomic::{AtomicUsize, Ordering};

        let threads = RenderThreads::start(RenderPriority::Request).unwrap();
        let (busy, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let own = thread::current().id();
        let jobs = (0..50).map(|_| {
            let (busy, most) = (busy.clone(), most.clone());
            let threads = threads.clone();
            tokio::spawn(async move {
                let job = move || {
                    assert_ne!(thread::current().id(), own);
                    most.fetch_max(busy.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    thread::yield_now();
                    busy.fetch_sub(1, Ordering::SeqCst);
                };
                threads.run(job).await
            })
        });
        for job in jobs.collect::<Vec<_>>() {
            job.await.unwrap().unwrap();
        }
        assert!(most.load(Ordering::SeqCst) <= thread::available_parallelism().unwrap().get());
    }
}
