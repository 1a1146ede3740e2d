//! Which idempotency keys this process is working on.
//!
//! The database settles who holds a key among processes; inside one process this does, before any connection is waited for: a
//! twin is seen at once even when every connection is busy, and on SQLite it is the whole of the matter.
//!
//! A transaction that is dropped is rolled back in the background, and its hold ends only when that is done. Whoever
//! claims the key in this short while waits for it, since nobody is working on the key any more: a request that was
//! refused claims its own key again at once, to keep the refusal.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use idempotency::{IdempotencyKey, Ticket};
use tokio::sync::watch;

use crate::types::RowId;

type Key = (RowId, &'static str, IdempotencyKey);

/// The keys that this process holds.
#[derive(Clone, Default)]
pub(crate) struct Holds(Arc<Mutex<HashMap<Key, State>>>);

struct State {
    /// Set once nobody works under the hold any more, and only its roll-back is awaited.
    ending: bool,
    /// Closed when the hold has ended.
    ended: watch::Receiver<()>,
}

/// A held key. It is free again when this is dropped.
pub(crate) struct Hold {
    holds: Holds,
    key: Key,
    _open_until_the_end: watch::Sender<()>,
}

impl Holds {
    /// Takes a key; `None` when another transaction of this process works under it.
    pub(crate) async fn take(&self, account: RowId, ticket: &Ticket) -> Option<Hold> {
        let key = (account, ticket.endpoint.name(), ticket.key.clone());
        loop {
            let mut ended = match self.lock().entry(key.clone()) {
                Entry::Vacant(place) => {
                    let (open, ended) = watch::channel(());
                    place.insert(State {
                        ending: false,
                        ended,
                    });
                    return Some(Hold {
                        holds: self.clone(),
                        key,
                        _open_until_the_end: open,
                    });
                }
                Entry::Occupied(held) if !held.get().ending => return None,
                Entry::Occupied(held) => held.get().ended.clone(),
            };
            // Nothing is ever sent: the wait ends, with an error, when the hold does.
            let _closed = ended.changed().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, State>> {
        // The map is whole between any two of its operations, whoever panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Hold {
    /// Says that only the roll-back is awaited now.
    pub(crate) fn is_ending(&self) {
        if let Some(state) = self.holds.lock().get_mut(&self.key) {
            state.ending = true;
        }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.holds.lock().remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use idempotency::Endpoint;
    use idempotency::Fingerprint;
    use uuid::Uuid;

    fn ticket() -> Ticket {
        Ticket {
            endpoint: Endpoint::CreateContact,
            key: IdempotencyKey::parse("k").unwrap(),
            fingerprint: Fingerprint::of(b"{}"),
        }
    }

    #[tokio::test]
    async fn a_twin_is_seen_at_once_and_the_end_of_a_hold_is_waited_for() {
        let (holds, account) = (Holds::default(), RowId(Uuid::from_u128(1)));
        let first = holds.take(account, &ticket()).await.unwrap();
        assert!(holds.take(account, &ticket()).await.is_none());
        let other = RowId(Uuid::from_u128(2));
        assert!(holds.take(other, &ticket()).await.is_some());

        first.is_ending();
        let next = tokio::spawn({
            let holds = holds.clone();
            async move { holds.take(account, &ticket()).await.is_some() }
        });
        tokio::task::yield_now().await;
        drop(first);
        assert!(next.await.unwrap());
        assert!(holds.take(account, &ticket()).await.is_some());
    }
}
