//! Reminders as the owner sees them before they are sent: on the dashboard, and in a mail to the owner.

use async_trait::async_trait;
use contacts::{Contact, ContactId};
use invoices::{Invoice, InvoiceFilter, InvoiceStatus};
use kernel::{
    AccountId, EmailAddress, Id, PageSize, PublicUrls, SingleLine, StoreError, StoreResult, retry_contended,
};
use mail::{Audience, EmailTemplate, MailId, MailMessage, NewMail, QueuedMail, RenderError, payload};

use super::content::ReminderContent;
use super::email::{self, Links};
use super::payload::TestContent;
use super::policy::Tone;
use super::service::ReminderService;

/// What the unsubscribe link of a preview has in place of a token.
pub const UNSUBSCRIBE_PREVIEW: &str = "preview";

/// The preview of a reminder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReminderPreview {
    /// The contact that it would remind, if the invoice has one.
    pub contact: Option<ContactId>,
    /// How it is worded.
    pub tone: Tone,
    /// The subject of the e-mail.
    pub subject: String,
    /// The e-mail as plain text.
    pub text: String,
    /// The e-mail as HTML.
    pub html: String,
    /// The text message; `None` where the link takes too many characters.
    pub sms: Option<String>,
}

/// The template of test reminders, which are mailed only to owners.
#[derive(Debug, Clone, Copy)]
pub struct ReminderTestEmail;

impl ReminderTestEmail {
    const NAME: &str = "reminder_test";
}

impl ReminderService {
    /// The newest open invoice of an account, as the example in previews.
    pub async fn preview_invoice(&self, account: AccountId) -> StoreResult<Option<Invoice>> {
        let statuses = vec![
            InvoiceStatus::Overdue,
            InvoiceStatus::PartiallyPaid,
            InvoiceStatus::Unpaid,
            InvoiceStatus::Scheduled,
        ];
        let filter = InvoiceFilter { statuses, ..InvoiceFilter::default() };
        let size = PageSize::of(1).unwrap_or_default();
        Ok(self.invoices.list(account, &filter, size, None).await?.items.into_iter().next())
    }

    /// The reminder of one invoice in a tone, to its contact as that is now. `can_reply` says whether the
    /// service receives replies to it.
    pub async fn preview(
        &self,
        (invoice, contact): (&Invoice, Option<&Contact>),
        tone: Tone,
        can_reply: bool,
        urls: &PublicUrls,
    ) -> StoreResult<ReminderPreview> {
        let letterhead = self.invoices.letterhead(invoice.account).await?;
        let name = contact.map(|contact| contact.name.to_string()).unwrap_or_default();
        let now = self.clock.now();
        let content = ReminderContent::new(&letterhead, name, std::slice::from_ref(invoice), tone, now, urls);
        let to = contact.and_then(|contact| contact.email.clone());
        let to = to.unwrap_or_else(|| EmailAddress::from_stored("contact@example.com".to_owned()));
        // The unsubscribe link is made with each message; this one leads to a page that says so.
        let links = Links { reply_to: None, can_reply, unsubscribe: urls.unsubscribe(UNSUBSCRIBE_PREVIEW) };
        let failed = |error: RenderError| StoreError::Failed(error.into());
        let message = email::render(&content, to, links).map_err(failed)?;
        Ok(ReminderPreview {
            contact: contact.map(|contact| contact.id),
            tone,
            subject: message.subject.to_string(),
            text: message.text,
            html: message.html,
            sms: content.sms().map(|text| text.as_str().to_owned()),
        })
    }

    /// Mails a test reminder to the owner, as contacts would see it.
    ///
    /// # Errors
    /// A [`StoreError`]; then nothing is mailed.
    pub async fn send_test(
        &self,
        account: AccountId,
        owner: &EmailAddress,
        preview: &ReminderPreview,
    ) -> StoreResult<()> {
        let content = TestContent {
            subject: preview.subject.clone(),
            text: preview.text.clone(),
            html: preview.html.clone(),
        };
        retry_contended(async || {
            let now = self.clock.now();
            let mail = NewMail {
                id: MailId::from_uuid(Id::<crate::message::MessageEntity>::new(&*self.ids, now).uuid()),
                account,
                // Erasing the contact finds it by this id.
                resource_id: preview.contact.map(ContactId::uuid),
                template: ReminderTestEmail::NAME,
                audience: Audience::Owner,
                to: owner.clone(),
                payload: payload(&content),
                queued_at: now,
            };
            let mut tx = self.store.begin(account).await?;
            tx.jobs().queue(mail.into_job()).await?;
            tx.commit().await
        })
        .await
    }
}

#[async_trait]
impl EmailTemplate for ReminderTestEmail {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    async fn render(&self, mail: &QueuedMail) -> Result<MailMessage, RenderError> {
        let content: TestContent = mail.content("it is not a test of a reminder")?;
        let subject = SingleLine::shortened(&format!("Test: {}", content.subject))?;
        Ok(MailMessage::new(mail.to.clone(), subject, content.text, content.html))
    }
}
