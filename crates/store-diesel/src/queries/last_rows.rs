//! What a transaction inserts together with COMMIT, which saves round trips: nothing in the transaction reads it.

use super::insert_job::InsertJob;
use crate::rows::{ChargeRow, StoredResponseRow};

/// Rows to insert behind all other statements of a transaction.
#[derive(Default)]
pub(crate) struct LastRows {
    pub(crate) charges: Vec<ChargeRow>,
    pub(crate) jobs: Vec<InsertJob>,
    pub(crate) response: Option<StoredResponseRow>,
}

impl LastRows {
    pub(crate) const fn is_empty(&self) -> bool {
        self.charges.is_empty() && self.jobs.is_empty() && self.response.is_none()
    }
}
