//! Sending an invoice: its mail is queued in the transaction that sends it, with the invoice as a PDF.

use std::sync::Arc;

use kernel::{AccountId, FieldErrors, Id, Ids, PublicUrls, SingleLine, StoreError};
use mail::{Attachment, MediaType, QueuedMail};
use time::OffsetDateTime;

use crate::document::{DocumentError, InvoiceDocuments};
use crate::email_template::{EmailTemplateError, email_template};
use crate::invoice::Invoice;
use crate::invoiced_contact::InvoicedContact;
use crate::logo::{FetchedLogo, LogoPictures};
use crate::pay_token::PayToken;
use crate::ports::InvoicingTx;

/// What sending an invoice takes besides the invoice.
#[derive(Clone)]
pub struct InvoiceMailer {
    /// Draws invoices as PDF.
    pub documents: Arc<dyn InvoiceDocuments>,
    /// Reads the pictures of logos.
    pub pictures: Arc<dyn LogoPictures>,
    /// Makes the addresses of payment pages and logos.
    pub urls: PublicUrls,
}

/// Why a mail cannot be queued.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// The contact has no e-mail address, or there is no contact.
    #[error("the contact has no e-mail address")]
    Invalid(FieldErrors),
    /// The invoice could not be drawn.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The mail could not be written.
    #[error(transparent)]
    Letter(#[from] EmailTemplateError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl InvoiceMailer {
    /// The address of an invoice's payment page.
    #[must_use]
    pub fn pay_url(&self, token: &PayToken) -> String {
        self.urls.payment_page(token.reveal())
    }

    /// Refuses when the contact cannot be written to.
    ///
    /// # Errors
    /// The field that is missing.
    pub fn check_contact(contact: Option<&InvoicedContact>) -> Result<(), FieldErrors> {
        match contact.map(|contact| &contact.email) {
            Some(Some(_)) => Ok(()),
            _ => Err(FieldErrors::one(
                "contact.email",
                "is required to send the invoice",
            )),
        }
    }

    /// Queues the mail of an invoice. The caller has marked the invoice as sent, and has fetched the account's logo before the transaction.
    ///
    /// # Errors
    /// A [`SendError`].
    pub async fn queue(
        &self,
        tx: &mut dyn InvoicingTx,
        account: AccountId,
        invoice: &Invoice,
        logo: Option<&FetchedLogo>,
        ids: &dyn Ids,
        now: OffsetDateTime,
    ) -> Result<(), SendError> {
        Self::check_contact(invoice.contact.as_ref()).map_err(SendError::Invalid)?;
        let letterhead = tx.letterheads().letterhead().await?;
        let letterhead = self.with_logo(letterhead, logo);
        let pay_url = self.pay_url(&invoice.pay_token);
        let mut message = email_template(&letterhead, invoice, &pay_url)?;
        let pdf = self.documents.render(&letterhead, invoice, &pay_url)?;
        message.attachments.extend(attachment(invoice, pdf));
        let mail = QueuedMail {
            id: Id::new(ids, now),
            account,
            about: Some(invoice.id.uuid()),
            message,
            queued_at: now,
        };
        tx.outgoing().queue(&mail).await?;
        Ok(())
    }
}

/// The PDF under the invoice's number. A number may hold what a file's name may not.
fn attachment(invoice: &Invoice, bytes: Vec<u8>) -> Option<Attachment> {
    let plain = |c: char| {
        if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') {
            c
        } else {
            '-'
        }
    };
    let number: String = invoice.number.as_str().chars().map(plain).collect();
    let file_name = SingleLine::parse(&format!("invoice-{number}.pdf")).ok()?;
    Some(Attachment {
        file_name,
        media_type: MediaType::pdf(),
        bytes,
    })
}
