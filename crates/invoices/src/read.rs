//! Reading invoices.

use kernel::{AccountScope, Cursor, PageSize, ReadError, ResultsPage, StoreResult};

use crate::filter::InvoiceFilter;
use crate::invoice::{Invoice, InvoiceId};
use crate::invoicing::Invoicing;
use crate::summary::InvoiceSummary;

pub(crate) const NOT_FOUND: ReadError = ReadError::NotFound("the account has no such invoice");

impl Invoicing {
    /// One invoice of the account, by id, with its lines and payments.
    ///
    /// # Errors
    /// [`ReadError::NotFound`], also for an invoice of another account.
    pub async fn get(&self, scope: &AccountScope, id: InvoiceId) -> Result<Invoice, ReadError> {
        self.reads.get(scope.id, id).await?.ok_or(NOT_FOUND)
    }

    /// One page of the account's invoices, newest first by creation.
    pub async fn list(
        &self,
        scope: &AccountScope,
        filter: &InvoiceFilter,
        size: PageSize,
        after: Option<Cursor>,
    ) -> StoreResult<ResultsPage<Invoice>> {
        self.reads.list(scope.id, filter, size, after).await
    }

    /// The same page without lines and payments.
    pub async fn summaries(
        &self,
        scope: &AccountScope,
        filter: &InvoiceFilter,
        size: PageSize,
        after: Option<Cursor>,
    ) -> StoreResult<ResultsPage<InvoiceSummary>> {
        self.reads.summaries(scope.id, filter, size, after).await
    }
}
