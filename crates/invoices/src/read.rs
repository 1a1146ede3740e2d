//! Reading invoices.

use kernel::{AccountScope, Cursor, PageSize, ResultsPage, StoreError, StoreResult};

use crate::filter::InvoiceFilter;
use crate::invoice::{Invoice, InvoiceId};
use crate::invoicing::Invoicing;
use crate::summary::InvoiceSummary;

/// Why an invoice cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadInvoiceError {
    /// The account has no such invoice.
    #[error("the account has no such invoice")]
    NotFound,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Invoicing {
    /// One invoice of the account, by id, with its lines and payments.
    ///
    /// # Errors
    /// [`ReadInvoiceError::NotFound`], also for an invoice of another account.
    pub async fn get(&self, scope: &AccountScope, id: InvoiceId) -> Result<Invoice, ReadInvoiceError> {
        self.reads.get(scope.id, id).await?.ok_or(ReadInvoiceError::NotFound)
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
