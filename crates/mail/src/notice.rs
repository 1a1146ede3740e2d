//! Notices: short mails to the owner of an account about what happened in it.
//!
//! The domain crate in which it happened writes the [`Notice`], in the same transaction. One template renders
//! all notices.

mod payload;

use askama::Template;
use async_trait::async_trait;
use kernel::{PublicUrls, SingleLine};
use time::OffsetDateTime;
use uuid::Uuid;

pub use self::payload::Notice;
use crate::message::MailMessage;
use crate::owner::NoticeRecipient;
use crate::payload::payload;
use crate::queued::{Audience, MailId, NewMail, QueuedMail};
use crate::template::{EmailTemplate, RenderError};

/// The template of notices.
#[derive(Debug, Clone)]
pub struct NoticeEmail {
    /// Makes the URLs of pages.
    pub urls: PublicUrls,
}

struct View<'a> {
    notice: &'a Notice,
    quoted: Option<String>,
    link: String,
    settings: String,
}

#[derive(Template)]
#[template(path = "notice.html")]
struct Html<'a> {
    v: &'a View<'a>,
}

#[derive(Template)]
#[template(path = "notice.txt")]
struct Text<'a> {
    v: &'a View<'a>,
}

impl Notice {
    /// The most characters of a quote.
    const MAX_QUOTE_LENGTH: usize = 1_000;

    /// The mail that brings the notice to the owner.
    #[must_use]
    pub fn into_mail(self, id: MailId, owner: &NoticeRecipient, about: Uuid, now: OffsetDateTime) -> NewMail {
        NewMail {
            id,
            account: owner.account,
            resource_id: Some(about),
            template: NoticeEmail::NAME,
            audience: Audience::Owner,
            to: owner.email.clone(),
            payload: payload(&Self { quote: self.quote.as_deref().map(cut), ..self }),
            queued_at: now,
        }
    }
}

fn cut(quote: &str) -> String {
    match quote.char_indices().nth(Notice::MAX_QUOTE_LENGTH) {
        Some((end, _)) => format!("{}…", quote.get(..end).unwrap_or_default()),
        None => quote.to_owned(),
    }
}

impl NoticeEmail {
    const NAME: &str = "owner_notice";
}

#[async_trait]
impl EmailTemplate for NoticeEmail {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    async fn render(&self, mail: &QueuedMail) -> Result<MailMessage, RenderError> {
        let notice: Notice = mail.content("it is not a notice")?;
        let subject = SingleLine::shortened(&notice.subject)?;
        let quoted = notice.quote.as_ref().map(|quote| {
            let lines = quote.lines().map(|line| format!("> {line}").trim_end().to_owned());
            lines.collect::<Vec<_>>().join("\n")
        });
        let view = View {
            notice: &notice,
            quoted,
            link: self.urls.page(&notice.path),
            settings: self.urls.page("/dashboard/settings/notifications"),
        };
        MailMessage::rendered(mail.to.clone(), subject, &Text { v: &view }, &Html { v: &view })
    }
}

#[cfg(test)]
mod tests {
    use kernel::{EmailAddress, Id};
    use testkit::{CountingIds, FixedClock};

    use super::*;
    use crate::owner::SilencedNotices;

    fn notice() -> Notice {
        Notice {
            subject: "<b>Ada</b>\nneeds an answer".to_owned(),
            paragraphs: vec![
                "<b>Ada</b> disputes invoice INV-0001.".to_owned(),
                "Reminders stop.".to_owned(),
            ],
            quote: Some("We never got\nthe <i>tea</i>.".to_owned()),
            link_text: "Open the escalation".to_owned(),
            path: "/dashboard/escalations/1".to_owned(),
        }
    }

    fn queued(notice: Notice) -> QueuedMail {
        let (ids, now) = (CountingIds::default(), FixedClock::START);
        let owner = NoticeRecipient {
            account: Id::new(&ids, now),
            email: EmailAddress::parse("owner@acme.example.com").unwrap(),
            silenced: SilencedNotices::NONE,
        };
        let mail = notice.into_mail(Id::new(&ids, now), &owner, Uuid::nil(), now);
        assert_eq!(mail.audience, Audience::Owner);
        mail.into()
    }

    async fn rendered(mail: &QueuedMail) -> Result<MailMessage, RenderError> {
        NoticeEmail { urls: PublicUrls::new("https://books.example.com") }.render(mail).await
    }

    #[tokio::test]
    async fn notice_is_rendered_as_text_and_as_escaped_html() {
        let mail = queued(notice());
        let message = rendered(&mail).await.unwrap();
        assert_eq!(rendered(&mail).await.unwrap(), message);
        assert_eq!(message.subject.as_str(), "<b>Ada</b> needs an answer");
        assert_eq!(message.to.as_str(), "owner@acme.example.com");
        let link = "https://books.example.com/dashboard/escalations/1";
        let expected = format!(
            "<b>Ada</b> disputes invoice INV-0001.\n\nReminders stop.\n\n> We never got\n> the <i>tea</i>.\n\n\
             Open the escalation:\n{link}\n\nYou get this e-mail as the owner of the account. You can switch it \
             off under Settings, Notifications:\nhttps://books.example.com/dashboard/settings/notifications"
        );
        assert_eq!(message.text.trim_end(), expected);
        assert!(message.html.contains("&#60;b&#62;Ada") && !message.html.contains("<b>"), "{}", message.html);
        assert!(message.html.contains("the &#60;i&#62;tea") && message.html.contains(link));
    }

    #[tokio::test]
    async fn long_quote_is_cut_and_an_unreadable_payload_is_an_error() {
        let long = Notice { quote: Some("ü".repeat(1_001)), ..notice() };
        let message = rendered(&queued(long)).await.unwrap();
        assert!(message.text.contains(&format!("{}…", "ü".repeat(1_000))));
        let mail = QueuedMail { payload: serde_json::json!({}), ..queued(notice()) };
        assert!(matches!(rendered(&mail).await, Err(RenderError::Payload(_))));
    }
}
