//! The service whose methods are the use cases of contacts.

use std::sync::Arc;

use kernel::{Clock, Ids};

use crate::ports::{ContactReads, ContactsStore};

/// The use cases of contacts, over their ports.
#[derive(Clone)]
pub struct ContactService {
    /// Begins transactions.
    pub store: Arc<dyn ContactsStore>,
    /// Reads outside any transaction.
    pub reads: Arc<dyn ContactReads>,
    /// The time of creations and changes, UTC.
    pub clock: Arc<dyn Clock>,
    /// Generates ids.
    pub ids: Arc<dyn Ids>,
}
