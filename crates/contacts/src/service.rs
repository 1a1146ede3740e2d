//! The service that the use cases of contacts are methods of.

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
    /// Dates what is created, UTC.
    pub clock: Arc<dyn Clock>,
    /// Makes ids.
    pub ids: Arc<dyn Ids>,
}
