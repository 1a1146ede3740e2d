//! Reading an invoice as its payer, with the token of its payment page.

use std::sync::Arc;

use crate::document::{DocumentError, InvoiceRenderer};
use crate::invoice_for_payer::InvoiceForPayer;
use crate::pay_token::PayToken;
use crate::pdf::InvoicePdf;
use crate::ports::PayerReads;
use crate::read::ReadInvoiceError;

/// Why a payer gets no PDF.
#[derive(Debug, thiserror::Error)]
pub enum PayerPdfError {
    /// There is no such invoice, or the store failed.
    #[error(transparent)]
    Read(#[from] ReadInvoiceError),
    /// The account is switched off.
    #[error("the account that issued the invoice is switched off")]
    SwitchedOff,
    /// The document could not be made.
    #[error(transparent)]
    Document(#[from] DocumentError),
}

/// Reads invoices for those who hold the token of their payment page.
#[derive(Clone)]
pub struct PayerInvoices {
    /// Finds invoices by token.
    pub reads: Arc<dyn PayerReads>,
    /// Renders them.
    pub renderer: InvoiceRenderer,
}

impl PayerInvoices {
    /// The invoice of a token. A draft is not shown: it can still change freely.
    ///
    /// # Errors
    /// [`ReadInvoiceError::NotFound`] when no invoice has the token, and for a draft.
    pub async fn get(&self, token: &PayToken) -> Result<InvoiceForPayer, ReadInvoiceError> {
        let found = self.reads.by_pay_token(token).await?;
        found.filter(|found| !found.invoice.is_draft()).ok_or(ReadInvoiceError::NotFound)
    }

    /// The invoice of a token as a PDF, as it is now.
    ///
    /// # Errors
    /// As [`PayerInvoices::get`], and [`PayerPdfError::SwitchedOff`].
    pub async fn pdf(&self, token: &PayToken) -> Result<InvoicePdf, PayerPdfError> {
        let found = self.get(token).await?;
        if !found.account_is_active {
            return Err(PayerPdfError::SwitchedOff);
        }
        Ok(InvoicePdf::render(&self.renderer, found.letterhead, found.invoice).await?)
    }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use kernel::{LogoKey, PublicUrls, StoreError, TimeZone};

    use super::*;
    use crate::document::LogoPictures;
    use crate::document::tests::CompanyNames;
    use crate::email_template::tests::acme::full;
    use crate::invoice::{Invoice, InvoiceData};
    use crate::letterhead::Letterhead;
    use crate::status::Status;

    /// Has one invoice.
    struct One(InvoiceForPayer);

    #[async_trait]
    impl PayerReads for One {
        async fn by_pay_token(&self, token: &PayToken) -> Result<Option<InvoiceForPayer>, StoreError> {
            Ok((self.0.invoice.pay_token == *token).then(|| self.0.clone()))
        }
    }

    struct NoPictures;

    #[async_trait]
    impl LogoPictures for NoPictures {
        async fn picture(&self, _: &LogoKey) -> Option<Arc<[u8]>> {
            None
        }
    }

    fn with(status: Status, account_is_active: bool) -> (PayerInvoices, PayToken) {
        let data: InvoiceData = (*full()).clone();
        let token = data.pay_token.clone();
        let found = InvoiceForPayer {
            invoice: Invoice::from_stored(InvoiceData { status, ..data }),
            letterhead: Letterhead { company_name: "Acme".to_owned(), ..Letterhead::default() },
            time_zone: TimeZone::utc(),
            account_is_active,
        };
        let renderer = InvoiceRenderer {
            documents: Arc::new(CompanyNames),
            logos: Arc::new(NoPictures),
            urls: PublicUrls::new("https://books.example.com"),
        };
        (PayerInvoices { reads: Arc::new(One(found)), renderer }, token)
    }

    #[tokio::test]
    async fn issued_invoice_is_shown_and_rendered() {
        for status in Status::ALL.into_iter().filter(|status| *status != Status::Draft) {
            let (invoices, token) = with(status, true);
            assert_eq!(invoices.get(&token).await.unwrap().invoice.status, status);
            assert_eq!(invoices.pdf(&token).await.unwrap().bytes, b"Acme");
        }
    }

    #[tokio::test]
    async fn draft_is_not_found() {
        let (invoices, token) = with(Status::Draft, true);
        assert!(matches!(invoices.get(&token).await, Err(ReadInvoiceError::NotFound)));
        let pdf = invoices.pdf(&token).await;
        assert!(matches!(pdf, Err(PayerPdfError::Read(ReadInvoiceError::NotFound))));
    }

    #[tokio::test]
    async fn invoice_of_an_account_that_is_off_is_shown_and_not_rendered() {
        let (invoices, token) = with(Status::Unpaid, false);
        assert!(!invoices.get(&token).await.unwrap().account_is_active);
        assert!(matches!(invoices.pdf(&token).await, Err(PayerPdfError::SwitchedOff)));
    }
}
