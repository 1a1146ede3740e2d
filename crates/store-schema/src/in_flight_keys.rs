//! The idempotency keys that this process is working on.
//!
//! The database decides between processes. Within one process this module decides, before a request waits for
//! a connection: a second request with a key gets its response at once even when every connection is busy. On
//! SQLite nothing else is needed.
//!
//! A dropped transaction is rolled back in the background, and its key is released after that. A claim of the
//! key waits for the release: a refused request claims its own key again at once, to store the error
//! response.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use idempotency::{IdempotencyKey, Ticket};
use tokio::sync::watch;

use crate::types::RowId;

type ScopedKey = (RowId, &'static str, IdempotencyKey);

/// The keys of this process.
#[derive(Clone, Default)]
pub struct InFlightKeys(Arc<Mutex<HashMap<ScopedKey, InFlightState>>>);

struct InFlightState {
    /// Whether the request has ended, and only its roll-back runs.
    ending: bool,
    /// Closed when the key is released.
    ended: watch::Receiver<()>,
}

/// A key in use by a transaction. Dropping this releases the key.
pub struct InFlightKey {
    in_flight_keys: InFlightKeys,
    key: ScopedKey,
    _open_until_the_end: watch::Sender<()>,
}

impl InFlightKeys {
    /// Takes a key; `None` when another transaction of this process uses it.
    pub async fn take(&self, account: RowId, ticket: &Ticket) -> Option<InFlightKey> {
        let key = (account, ticket.operation.name(), ticket.key.clone());
        loop {
            let mut ended = match self.lock().entry(key.clone()) {
                Entry::Vacant(vacant) => {
                    let (open, ended) = watch::channel(());
                    vacant.insert(InFlightState { ending: false, ended });
                    return Some(InFlightKey {
                        in_flight_keys: self.clone(),
                        key,
                        _open_until_the_end: open,
                    });
                }
                Entry::Occupied(taken) if !taken.get().ending => return None,
                Entry::Occupied(taken) => taken.get().ended.clone(),
            };
            // Nothing is ever sent: the wait ends with an error when the key is released.
            let _closed = ended.changed().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ScopedKey, InFlightState>> {
        // No operation on the map can panic half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl InFlightKey {
    /// Records that only the roll-back is left.
    pub fn is_ending(&self) {
        if let Some(state) = self.in_flight_keys.lock().get_mut(&self.key) {
            state.ending = true;
        }
    }
}

impl Drop for InFlightKey {
    fn drop(&mut self) {
        self.in_flight_keys.lock().remove(&self.key);
    }
}
