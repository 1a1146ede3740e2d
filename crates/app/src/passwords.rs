//! Hashes passwords on dedicated threads, a few at a time.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use access::{Password, PasswordError, PasswordHash, Passwords};
use async_trait::async_trait;
use kernel::SecureRandom;
use tokio::sync::oneshot;

type PasswordTask = Box<dyn FnOnce() + Send>;

/// The niceness of a hashing thread (nice(2)), so that API requests do not wait for sign-ins.
const NICENESS: i32 = 15;

/// How many passwords are hashed at once: each takes a processor and 19 MiB for a while. Half of the
/// processors are left to requests: even a thread of low priority keeps a processor until its time slice
/// ends.
fn at_once() -> usize {
    thread::available_parallelism().map_or(1, |processors| processors.get().div_ceil(2))
}

/// Hashes passwords on dedicated threads, at a lower priority than those that serve requests. Dropping it
/// ends the threads.
pub struct HashingThreads {
    random: Arc<dyn SecureRandom>,
    work: Sender<PasswordTask>,
}

impl HashingThreads {
    /// Starts the threads. `random` generates the salts.
    ///
    /// # Errors
    /// When a thread cannot be started.
    pub fn start(random: Arc<dyn SecureRandom>) -> io::Result<Self> {
        let (work, queue) = mpsc::channel();
        let queue = Arc::new(Mutex::new(queue));
        for _ in 0..at_once() {
            let queue = queue.clone();
            thread::Builder::new().name("passwords".to_owned()).spawn(move || run(&queue))?;
        }
        Ok(Self { random, work })
    }

    async fn in_turn<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, PasswordError> + Send + 'static,
    ) -> Result<T, PasswordError> {
        let (done, result) = oneshot::channel();
        let work = Box::new(move || {
            // Skip the hash when the caller no longer waits for the result.
            if !done.is_closed() {
                let _gone = done.send(work());
            }
        });
        self.work.send(work).map_err(|_ended| PasswordError::BrokenOff)?;
        result.await.unwrap_or(Err(PasswordError::BrokenOff))
    }
}

fn run(queue: &Mutex<Receiver<PasswordTask>>) {
    // If the priority cannot be changed, hashing runs at the normal one.
    let _refused = rustix::process::nice(NICENESS);
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match next {
            // The caller of work that panics gets no result; the thread goes on.
            Ok(work) => drop(catch_unwind(AssertUnwindSafe(work))),
            Err(_dropped) => return,
        }
    }
}

#[async_trait]
impl Passwords for HashingThreads {
    async fn hash(&self, password: Password) -> Result<PasswordHash, PasswordError> {
        let random = self.random.clone();
        self.in_turn(move || password.hash(&*random)).await
    }

    async fn matches(&self, password: Password, hash: PasswordHash) -> Result<bool, PasswordError> {
        self.in_turn(move || hash.is_of(&password)).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::future::join_all;
    use kernel::SystemRandom;

    use super::*;

    /// Panics at the first draws, as the operating system's source does when it fails.
    struct FailsAtFirst(AtomicUsize);

    impl SecureRandom for FailsAtFirst {
        fn fill(&self, bytes: &mut [u8]) {
            assert!(self.0.fetch_add(1, Ordering::SeqCst) >= 2 * at_once(), "no random bytes");
            SystemRandom::default().fill(bytes);
        }
    }

    #[tokio::test]
    async fn passwords_are_hashed_again_after_the_random_source_has_failed() {
        let passwords = HashingThreads::start(Arc::new(FailsAtFirst(AtomicUsize::new(0)))).unwrap();
        let password = Password::choose("correct horse battery").unwrap();
        for _ in 0..2 * at_once() {
            let failed = passwords.hash(password.clone()).await;
            assert!(matches!(failed, Err(PasswordError::BrokenOff)), "{failed:?}");
        }
        passwords.hash(password).await.unwrap();
    }

    #[tokio::test]
    async fn concurrent_passwords_are_all_hashed_and_verified() {
        let passwords = HashingThreads::start(Arc::new(SystemRandom::default())).unwrap();
        let password = Password::choose("correct horse battery").unwrap();
        let all = (0..5).map(async |_| passwords.hash(password.clone()).await.unwrap());
        for hash in join_all(all).await {
            assert!(passwords.matches(password.clone(), hash).await.unwrap());
        }
    }
}
