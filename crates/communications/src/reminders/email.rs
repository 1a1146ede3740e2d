//! A reminder as an e-mail.

use askama::Template;
use kernel::{EmailAddress, SingleLine};
use mail::{MailMessage, RenderError};

use super::content::ReminderContent;

/// The addresses for the reader of a reminder.
pub(super) struct Links {
    /// The reply address.
    pub(super) reply_to: Option<EmailAddress>,
    /// Whether the service receives replies.
    pub(super) can_reply: bool,
    /// The URL at which reminders by e-mail are ended.
    pub(super) unsubscribe: String,
}

struct View<'a> {
    subject: &'a str,
    contact: &'a str,
    from: String,
    invoices: Vec<ReminderInvoice<'a>>,
    request: &'static str,
    help: Option<&'a str>,
    can_reply: bool,
    unsubscribe: &'a str,
}

struct ReminderInvoice<'a> {
    number: &'a str,
    amount: &'a str,
    due: String,
    pay_link: &'a str,
}

#[derive(Template)]
#[template(path = "reminder.html")]
struct Html<'a> {
    v: &'a View<'a>,
}

#[derive(Template)]
#[template(path = "reminder.txt")]
struct Text<'a> {
    v: &'a View<'a>,
}

/// Renders a reminder to an address.
///
/// # Errors
/// A [`RenderError`]: no later attempt can succeed.
pub(super) fn render(
    content: &ReminderContent,
    to: EmailAddress,
    links: Links,
) -> Result<MailMessage, RenderError> {
    let subject = content.subject();
    let view = View {
        subject: &subject,
        contact: &content.contact,
        from: if content.company.is_empty() { String::new() } else { format!(" from {}", content.company) },
        invoices: content
            .invoices
            .iter()
            .map(|one| ReminderInvoice {
                number: &one.number,
                amount: &one.amount_due,
                due: content.due(one.due_date),
                pay_link: &one.pay_link,
            })
            .collect(),
        request: content.request(),
        help: content.invoices.first().map(|one| one.help_link.as_str()),
        can_reply: links.can_reply,
        unsubscribe: &links.unsubscribe,
    };
    let header = SingleLine::shortened(&subject)?;
    let mut message = MailMessage::rendered(to, header, &Text { v: &view }, &Html { v: &view })?;
    message.from_name = SingleLine::shortened(&content.company).ok();
    message.to_name = SingleLine::shortened(&content.contact).ok();
    message.reply_to = links.reply_to;
    message.unsubscribe = Some(links.unsubscribe);
    Ok(message)
}

#[cfg(test)]
mod tests {
    use kernel::Id;
    use testkit::{CountingIds, FixedClock};
    use time::macros::date;

    use super::super::content::RemindedInvoice;
    use super::super::policy::Tone;
    use super::*;

    /// The words without tags, links and colons.
    fn words(text: &str) -> Vec<&str> {
        let parts = text.split(['<', '>']).step_by(2).flat_map(str::split_whitespace);
        let words = parts.filter(|part| !part.starts_with("http")).map(|part| part.trim_end_matches(':'));
        words.filter(|word| !word.is_empty()).collect()
    }

    /// An answer quotes the one or the other, and the words of the service are known by the text.
    #[test]
    fn html_and_text_have_the_same_words() {
        let invoice = RemindedInvoice {
            id: Id::new(&CountingIds::default(), FixedClock::START),
            number: "INV-0007".to_owned(),
            amount_due: "EUR 121.00".to_owned(),
            due_date: date!(2026 - 12 - 9),
            pay_link: "https://pay.example/p/1".to_owned(),
            help_link: "https://pay.example/h/1".to_owned(),
        };
        let content = ReminderContent {
            company: "Example Company".to_owned(),
            contact: "Ada".to_owned(),
            invoices: vec![invoice.clone(), invoice],
            tone: Tone::Firm,
            today: date!(2026 - 12 - 12),
        };
        let links =
            Links { reply_to: None, can_reply: true, unsubscribe: "https://pay.example/u/1".to_owned() };
        let mail = render(&content, EmailAddress::parse("ada@example.com").unwrap(), links).unwrap();
        let (_, body) = mail.html.split_once("<body>").unwrap();
        assert_eq!(words(body), words(&mail.text));
    }
}
