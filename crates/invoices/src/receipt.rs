//! The receipt of one payment, for the payer.

use kernel::{Money, Named as _};
use time::Date;

use crate::document::{DocumentError, ReceiptDocument};
use crate::invoice_for_payer::InvoiceForPayer;
use crate::number::InvoiceNumber;
use crate::pay_token::PayToken;
use crate::payment::PaymentId;
use crate::read_as_payer::{PayerInvoices, ReadAsPayerError};
use crate::status::InvoiceStatus;

/// The receipt of one payment as a PDF.
#[derive(Debug)]
pub struct ReceiptPdf {
    /// The number of the invoice that was paid.
    pub number: InvoiceNumber,
    /// The day of the payment, in the account's time zone.
    pub received_on: Date,
    /// The bytes of the PDF.
    pub bytes: Vec<u8>,
}

/// Why there is no receipt.
#[derive(Debug, thiserror::Error)]
pub enum ReceiptError {
    /// There is no such invoice, or the store failed.
    #[error(transparent)]
    Read(#[from] ReadAsPayerError),
    /// The invoice has no such payment.
    #[error("the invoice has no such payment")]
    PaymentNotFound,
    /// The account is switched off.
    #[error("the account that issued the invoice is switched off")]
    SwitchedOff,
    /// An invoice of this status has no receipts.
    #[error("an invoice that is {} has no receipts", .0.as_str())]
    NotOffered(InvoiceStatus),
    /// The document could not be made.
    #[error(transparent)]
    Document(#[from] DocumentError),
}

impl PayerInvoices {
    /// The receipt of a payment of the invoice with this token, under the present letterhead. `refunded` is
    /// the refunded part of the payment, if any.
    pub async fn receipt(
        &self,
        token: &PayToken,
        payment: PaymentId,
        refunded: Option<Money>,
    ) -> Result<ReceiptPdf, ReceiptError> {
        let found = self.get(token).await?;
        if !found.account_is_active {
            return Err(ReceiptError::SwitchedOff);
        }
        if !found.offers().receipts {
            return Err(ReceiptError::NotOffered(found.invoice.status));
        }
        let InvoiceForPayer { invoice, letterhead, time_zone, .. } = found;
        let payment = invoice.payments.iter().find(|paid| paid.id == payment).cloned();
        let payment = payment.ok_or(ReceiptError::PaymentNotFound)?;
        let letterhead = self.renderer.with_logo(letterhead).await;
        let number = invoice.number.clone();
        let received_on = time_zone.date_at(payment.received_at);
        let document = ReceiptDocument { letterhead, invoice, payment, refunded, time_zone };
        Ok(ReceiptPdf { number, received_on, bytes: self.renderer.documents.receipt(document).await? })
    }
}
