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
    let text = Text { v: &view }.render()?;
    let html = Html { v: &view }.render()?;
    let header = SingleLine::shortened(&subject)?;
    let mut message = MailMessage::new(to, header, text, html);
    message.from_name = SingleLine::shortened(&content.company).ok();
    message.to_name = SingleLine::shortened(&content.contact).ok();
    message.reply_to = links.reply_to;
    message.unsubscribe = Some(links.unsubscribe);
    Ok(message)
}
