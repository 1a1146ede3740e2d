//! Rows that a transaction writes together with COMMIT, which saves round trips: nothing in the transaction
//! reads them.

use store_schema::rows::{ChargeRow, InvoiceRow, LineItemRow, PaymentRow, StoredResponseRow};

use super::insert_job::InsertJob;
use super::publication::Publication;
use super::update_paid::UpdatePaid;

/// Rows to write after all other statements of a transaction, in the order of the fields.
#[derive(Default)]
pub(crate) struct LastRows {
    pub(crate) publications: Vec<Publication>,
    pub(crate) invoice: Option<(InvoiceRow, Vec<LineItemRow>)>,
    pub(crate) paid: Option<(PaymentRow, UpdatePaid)>,
    pub(crate) charges: Vec<ChargeRow>,
    pub(crate) jobs: Vec<InsertJob>,
    pub(crate) response: Option<StoredResponseRow>,
}

impl LastRows {
    pub(crate) const fn is_empty(&self) -> bool {
        self.publications.is_empty()
            && self.invoice.is_none()
            && self.paid.is_none()
            && self.charges.is_empty()
            && self.jobs.is_empty()
            && self.response.is_none()
    }
}
