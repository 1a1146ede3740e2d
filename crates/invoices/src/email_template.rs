//! The mail that sends an invoice to its contact, with the invoice as a PDF.
//!
//! HTML and plain text are rendered from one `View`. The template engine escapes callers' texts; header
//! values are reduced to one line here.

mod palette;
mod payload;
mod view;

use askama::Template;
use async_trait::async_trait;
use kernel::{Named as _, SingleLine, TextFault};
use mail::{Attachment, EmailTemplate, MailMessage, MediaType, QueuedMail, RenderError};

use crate::document::{InvoiceDocument, InvoiceRenderer};
use crate::figures::{money_text, written_date};
use crate::invoice::Invoice;
use crate::letterhead::Letterhead;
use crate::status::InvoiceStatus;
pub(crate) use payload::InvoicePayload;
use view::View;

/// The template of mails that send invoices.
#[derive(Clone)]
pub struct InvoiceEmail(pub InvoiceRenderer);

impl InvoiceEmail {
    pub(crate) const NAME: &str = "invoice";

    /// Whether a queued mail sends an invoice that was not cancelled when it was queued.
    #[must_use]
    pub fn is_of_uncancelled(mail: &QueuedMail) -> bool {
        let status = mail.payload.get("status").and_then(|status| status.as_str());
        mail.template == Self::NAME
            && status.is_some_and(|status| status != InvoiceStatus::Cancelled.as_str())
    }
}

#[async_trait]
impl EmailTemplate for InvoiceEmail {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    async fn render(&self, mail: &QueuedMail) -> Result<MailMessage, RenderError> {
        let payload: InvoicePayload = mail.content("it is not an invoice")?;
        let invoice = payload.into_invoice().ok_or(RenderError::Payload("it is not an invoice"))?;
        let letterhead = Letterhead::of_mail(mail)?;
        let document = self.0.document(letterhead, invoice, mail.queued_at).await?;
        let mut message = email_template(&document)?;
        let file_name = file_name(&document.invoice);
        let pdf = self.0.documents.render(document).await;
        let pdf = pdf.map_err(|error| RenderError::Failed(error.into()))?;
        message.attachments.extend(file_name.ok().map(|file_name| Attachment {
            file_name,
            media_type: MediaType::pdf(),
            bytes: pdf,
        }));
        Ok(message)
    }
}

/// The invoice's number, without characters that a file name must not have.
fn file_name(invoice: &Invoice) -> Result<mail::FileName, TextFault> {
    let plain = |c: char| {
        if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' }
    };
    let number: String = invoice.number.as_str().chars().map(plain).collect();
    SingleLine::parse(&format!("invoice-{number}.pdf"))
}

#[derive(Template)]
#[template(path = "invoice.html")]
struct Html<'a> {
    v: &'a View,
}

#[derive(Template)]
#[template(path = "invoice.txt")]
struct Text<'a> {
    v: &'a View,
}

/// The mail that sends an invoice to its contact.
///
/// # Errors
/// [`RenderError::Payload`] when the contact has no address; any other error is a fault of the service.
pub fn email_template(document: &InvoiceDocument) -> Result<MailMessage, RenderError> {
    let InvoiceDocument { letterhead, invoice, .. } = document;
    let contact = invoice.contact.as_ref();
    let to = contact.and_then(|contact| contact.email.clone());
    let view = View::new(document);
    let message = MailMessage::rendered(
        to.ok_or(RenderError::Payload("the invoice has no contact with an e-mail address"))?,
        subject(letterhead, invoice)?,
        &Text { v: &view },
        &Html { v: &view },
    )?;
    Ok(letterhead.addressed(message, contact.map(|contact| contact.name.clone())))
}

fn subject(letterhead: &Letterhead, invoice: &Invoice) -> Result<mail::Subject, TextFault> {
    let from = match letterhead.company_name.trim() {
        "" => String::new(),
        name => format!(" from {name}"),
    };
    let due = money_text(invoice.amount_due());
    let total = money_text(invoice.totals.total);
    let standing = match invoice.status {
        InvoiceStatus::Paid => format!("{total}, paid"),
        InvoiceStatus::Cancelled => format!("{total}, cancelled"),
        _ => format!("{due} due {}", written_date(invoice.due_date)),
    };
    SingleLine::shortened(&format!("Invoice {}{from} ({standing})", invoice.number))
}

#[cfg(test)]
pub(crate) mod tests;
