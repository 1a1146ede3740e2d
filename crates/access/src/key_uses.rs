//! The last uses of account keys: recorded in memory by each request, and stored periodically by a worker.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use kernel::StoreResult;

use crate::key::{KeyId, KeyUse};
use crate::ports::KeyUseStore;

/// The last use of each key since uses were last stored. Shared by all threads of a process.
#[derive(Debug, Default)]
pub struct KeyUses(Mutex<HashMap<KeyId, KeyUse>>);

impl KeyUses {
    /// Records a use.
    pub fn note(&self, used: KeyUse) {
        let mut uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = uses.entry(used.key).or_insert(used);
        last.at = last.at.max(used.at);
    }

    /// Stores the recorded uses. If that fails, they stay recorded.
    pub async fn store(&self, to: &dyn KeyUseStore) -> StoreResult<()> {
        let noted = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let mut uses: Vec<KeyUse> = noted.into_values().collect();
        // All processes use the same order, which avoids deadlocks.
        uses.sort_by_key(|used| (used.account, used.key));
        let stored = to.record_uses(&uses).await;
        if stored.is_err() {
            uses.into_iter().for_each(|used| self.note(used));
        }
        stored
    }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use kernel::{Id, StoreError};
    use testkit::{CountingIds, FixedClock};
    use time::Duration;

    use super::*;

    #[derive(Default)]
    struct Memory {
        stored: Mutex<Vec<KeyUse>>,
        is_broken: bool,
    }

    #[async_trait]
    impl KeyUseStore for Memory {
        async fn record_uses(&self, uses: &[KeyUse]) -> StoreResult<()> {
            if self.is_broken {
                return Err(StoreError::Failed("broken".into()));
            }
            self.stored.lock().unwrap().extend(uses);
            Ok(())
        }
    }

    #[tokio::test]
    async fn latest_use_of_each_key_is_stored_once() {
        let (ids, now) = (CountingIds::default(), FixedClock::START);
        let of = |key, at| KeyUse { account: Id::new(&CountingIds::default(), now), key, at };
        let [one, two] = [(); 2].map(|()| Id::new(&ids, now));
        let uses = KeyUses::default();
        let later = now + Duration::SECOND;
        for used in [of(one, now), of(two, now), of(one, later), of(one, now)] {
            uses.note(used);
        }
        let broken = Memory { is_broken: true, ..Memory::default() };
        assert!(uses.store(&broken).await.is_err());
        let memory = Memory::default();
        uses.store(&memory).await.unwrap();
        uses.store(&memory).await.unwrap();
        assert_eq!(*memory.stored.lock().unwrap(), [of(one, later), of(two, now)]);
    }
}
