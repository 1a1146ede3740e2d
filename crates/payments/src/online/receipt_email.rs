//! The mail that thanks a payer for an online payment and links to the receipt.

mod payload;

use askama::Template;
use async_trait::async_trait;
use invoices::figures::money_text;
use invoices::{Invoice, Letterhead, Payment};
use kernel::{Id, Ids, PublicUrls, SingleLine, StoreResult};
use mail::{Audience, EmailTemplate, MailMessage, NewMail, QueuedMail, RenderError};
use time::OffsetDateTime;

use self::payload::ReceiptPayload;
use super::ports::{OnlineTx, Payer};

/// The template of mails with receipts.
#[derive(Debug, Clone)]
pub struct ReceiptEmail(
    /// Makes the addresses of the receipt and of the payment page.
    pub PublicUrls,
);

struct View {
    greeting: String,
    amount: String,
    number: String,
    company: String,
    left: String,
    receipt: String,
    page: String,
}

#[derive(Template)]
#[template(path = "receipt.html")]
struct Html<'a> {
    v: &'a View,
}

#[derive(Template)]
#[template(path = "receipt.txt")]
struct Text<'a> {
    v: &'a View,
}

/// Queues the mail with the receipt of a payment.
pub(crate) async fn queue(
    tx: &mut dyn OnlineTx,
    payer: Payer,
    invoice: &Invoice,
    payment: &Payment,
    (ids, now): (&dyn Ids, OffsetDateTime),
) -> StoreResult<()> {
    let payload = ReceiptPayload {
        contact: payer.contact,
        contact_name: payer.name,
        invoice_number: invoice.number.as_str().to_owned(),
        amount: money_text(payment.amount),
        amount_due: money_text(invoice.amount_due()),
        pay_token: invoice.pay_token.reveal().to_owned(),
        payment: payment.id.uuid(),
    };
    let mail = NewMail {
        id: Id::new(ids, now),
        account: invoice.account,
        resource_id: Some(invoice.id.uuid()),
        template: ReceiptEmail::NAME,
        audience: Audience::Customer,
        to: payer.email,
        payload: mail::payload(&payload),
        queued_at: now,
    };
    tx.jobs().queue(mail.into_job()).await
}

impl ReceiptEmail {
    const NAME: &str = "payment_receipt";
}

#[async_trait]
impl EmailTemplate for ReceiptEmail {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    async fn render(&self, mail: &QueuedMail) -> Result<MailMessage, RenderError> {
        let payload: ReceiptPayload = mail.content("it is not a receipt")?;
        let letterhead = Letterhead::of_mail(mail)?;
        let view = View {
            greeting: mail::greeting(Some(&payload.contact_name)),
            amount: payload.amount,
            number: payload.invoice_number,
            company: letterhead.company_name.clone(),
            left: payload.amount_due,
            receipt: self.0.payment_page_receipt(&payload.pay_token, payload.payment),
            page: self.0.payment_page(&payload.pay_token),
        };
        let subject =
            SingleLine::shortened(&format!("Receipt: {} for invoice {}", view.amount, view.number))?;
        let message =
            MailMessage::rendered(mail.to.clone(), subject, &Text { v: &view }, &Html { v: &view })?;
        Ok(letterhead.addressed(message, SingleLine::shortened(&payload.contact_name).ok()))
    }
}

#[cfg(test)]
mod tests {
    use invoices::Addressee;
    use kernel::EmailAddress;
    use testkit::{CountingIds, FixedClock};
    use uuid::Uuid;

    use super::*;

    fn queued(contact: Addressee) -> QueuedMail {
        let (ids, now) = (CountingIds::default(), FixedClock::START);
        let payload = ReceiptPayload {
            contact,
            contact_name: "Ada Byron".to_owned(),
            invoice_number: "INV-0001".to_owned(),
            amount: "AUD 110.00".to_owned(),
            amount_due: "AUD 0.00".to_owned(),
            pay_token: "token".to_owned(),
            payment: Uuid::nil(),
        };
        QueuedMail {
            id: Id::new(&ids, now),
            account: Id::new(&ids, now),
            template: ReceiptEmail::NAME.to_owned(),
            to: EmailAddress::parse("ada@example.com").unwrap(),
            payload: mail::payload(&payload),
            letterhead: Some(r#"{"company_name": "Acme", "email": "accounts@acme.example"}"#.to_owned()),
            queued_at: now,
        }
    }

    async fn rendered(mail: &QueuedMail) -> MailMessage {
        ReceiptEmail(PublicUrls::new("https://books.example.com")).render(mail).await.unwrap()
    }

    #[tokio::test]
    async fn receipt_goes_to_its_contact_and_replies_go_to_the_company() {
        let contact = Id::new(&CountingIds::default(), FixedClock::START);
        let mail = queued(Addressee::new(contact));
        assert_eq!(Addressee::of(&mail), Some(contact));
        let message = rendered(&mail).await;
        assert_eq!(message.subject.as_str(), "Receipt: AUD 110.00 for invoice INV-0001");
        assert_eq!(message.reply_to.unwrap().as_str(), "accounts@acme.example");
        assert_eq!(message.to_name.unwrap().as_str(), "Ada Byron");
    }
}
