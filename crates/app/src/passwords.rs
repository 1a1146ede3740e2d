//! Hashing passwords on threads of its own, a few at a time.

use std::sync::Arc;

use access::{Password, PasswordError, PasswordHash, Passwords};
use async_trait::async_trait;
use kernel::SecureRandom;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// How many passwords are hashed at once: each takes a processor and 19 MiB for a while.
fn at_once() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Hashes passwords beside the threads that answer requests.
pub struct BlockingPasswords {
    random: Arc<dyn SecureRandom>,
    turns: Arc<Semaphore>,
}

impl BlockingPasswords {
    /// `randomness` gives the salts.
    #[must_use]
    pub fn new(random: Arc<dyn SecureRandom>) -> Self {
        Self { random, turns: Arc::new(Semaphore::new(at_once())) }
    }

    async fn in_turn<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, PasswordError> + Send + 'static,
    ) -> Result<T, PasswordError> {
        let turn = self.turns.clone().acquire_owned().await;
        let turn = turn.map_err(|_closed| PasswordError::BrokenOff)?;
        let done = spawn_blocking(move || {
            // The work goes on when nobody waits for it any more, and so does its turn.
            let _turn = turn;
            work()
        });
        done.await.unwrap_or_else(|_panicked| Err(PasswordError::BrokenOff))
    }
}

#[async_trait]
impl Passwords for BlockingPasswords {
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
    use futures_util::future::join_all;
    use kernel::SystemRandom;

    use super::*;

    #[tokio::test]
    async fn everybody_gets_a_turn() {
        let passwords = BlockingPasswords::new(Arc::new(SystemRandom::default()));
        let password = Password::choose("correct horse battery").unwrap();
        let all = (0..5).map(async |_| passwords.hash(password.clone()).await.unwrap());
        for hash in join_all(all).await {
            assert!(passwords.matches(password.clone(), hash).await.unwrap());
        }
    }
}
