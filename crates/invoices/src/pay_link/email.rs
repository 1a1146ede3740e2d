//! The mail with the link to a payment page.

use askama::Template;
use async_trait::async_trait;
use contacts::Contact;
use kernel::{PublicUrls, SingleLine};
use mail::{EmailTemplate, MailMessage, QueuedMail, RenderError};
use serde_json::Value;

use super::payload::LinkPayload;
use crate::addressee::Addressee;
use crate::invoice::Invoice;
use crate::letterhead::Letterhead;

/// The template of mails with the link to a payment page.
#[derive(Debug, Clone)]
pub struct PayLinkEmail(
    /// Makes the address of the payment page.
    pub PublicUrls,
);

struct View {
    greeting: String,
    number: String,
    company: String,
    link: String,
}

#[derive(Template)]
#[template(path = "pay_link.html")]
struct Html<'a> {
    v: &'a View,
}

#[derive(Template)]
#[template(path = "pay_link.txt")]
struct Text<'a> {
    v: &'a View,
}

impl PayLinkEmail {
    pub(super) const NAME: &str = "pay_link";

    pub(super) fn payload(invoice: &Invoice, contact: &Contact) -> Value {
        mail::payload(&LinkPayload {
            invoice_number: invoice.number.as_str().to_owned(),
            contact: Addressee::new(contact.id),
            contact_name: Some(contact.name.to_string()),
            pay_token: invoice.pay_token.reveal().to_owned(),
        })
    }
}

#[async_trait]
impl EmailTemplate for PayLinkEmail {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    async fn render(&self, mail: &QueuedMail) -> Result<MailMessage, RenderError> {
        let payload: LinkPayload = mail.content("it is not a link to an invoice")?;
        let letterhead = Letterhead::of_mail(mail)?;
        let company = match letterhead.company_name.trim() {
            "" => String::new(),
            name => format!(" from {name}"),
        };
        let view = View {
            greeting: mail::greeting(payload.contact_name.as_deref()),
            number: payload.invoice_number,
            company,
            link: self.0.payment_page(&payload.pay_token),
        };
        let subject = SingleLine::shortened(&format!("The link to invoice {}{}", view.number, view.company))?;
        let message =
            MailMessage::rendered(mail.to.clone(), subject, &Text { v: &view }, &Html { v: &view })?;
        let to_name = payload.contact_name.and_then(|name| SingleLine::shortened(&name).ok());
        Ok(letterhead.addressed(message, to_name))
    }
}

#[cfg(test)]
mod tests {
    use kernel::Id;
    use testkit::{CountingIds, FixedClock};

    use super::*;
    use crate::email_template::tests::acme::{contact, full};

    fn queued(payload: Value, letterhead: Option<&str>) -> QueuedMail {
        let (ids, now) = (CountingIds::default(), FixedClock::START);
        QueuedMail {
            id: Id::new(&ids, now),
            account: Id::new(&ids, now),
            template: PayLinkEmail::NAME.to_owned(),
            to: kernel::EmailAddress::parse("ada@example.com").unwrap(),
            payload,
            letterhead: letterhead.map(str::to_owned),
            queued_at: now,
        }
    }

    async fn rendered(mail: &QueuedMail) -> Result<MailMessage, RenderError> {
        PayLinkEmail(PublicUrls::new("https://books.example.com")).render(mail).await
    }

    #[tokio::test]
    async fn mail_has_the_link_under_the_companys_name() {
        let invoice = full();
        let letterhead = r#"{"company_name": "Acme & <Sons>", "email": "accounts@acme.example"}"#;
        let mail = queued(PayLinkEmail::payload(&invoice, &contact("Ada Byron", None)), Some(letterhead));
        let message = rendered(&mail).await.unwrap();
        let link = format!("https://books.example.com/pay/{}", invoice.pay_token.reveal());
        assert!(message.text.contains(&link) && message.html.contains(&format!("href=\"{link}\"")));
        assert_eq!(message.subject.as_str(), "The link to invoice INV-0001 from Acme & <Sons>");
        assert!(message.html.contains("Acme &#38; &#60;Sons&#62;"), "{}", message.html);
        assert_eq!(message.reply_to.unwrap().as_str(), "accounts@acme.example");
        assert_eq!(message.to_name.unwrap().as_str(), "Ada Byron");
    }

    #[test]
    fn mail_names_its_contact() {
        let ada = contact("Ada Byron", None);
        let mail = queued(PayLinkEmail::payload(&full(), &ada), Some(r#"{"company_name": "Acme"}"#));
        assert_eq!(Addressee::of(&mail), Some(ada.id));
    }

    #[tokio::test]
    async fn payload_that_cannot_be_read_is_an_error() {
        let payload = PayLinkEmail::payload(&full(), &contact("Ada Byron", None));
        for mail in [queued(Value::Null, Some(r#"{"company_name": "Acme"}"#)), queued(payload, None)] {
            assert!(matches!(rendered(&mail).await, Err(RenderError::Payload(_))));
        }
    }
}
