//! The mail that brings an invoice to its contact.
//!
//! It says everything twice: as HTML for nearly everybody and as plain text for the rest, from one `View`. Whatever a caller
//! once sent is escaped by the template engine; whatever becomes a header is made one line here.

mod figures;
mod palette;
mod view;

use askama::Template;
use kernel::{EmailAddress, SingleLine, TextFault};
use mail::Message;

use crate::invoice::Invoice;
use crate::letterhead::Letterhead;
use crate::status::Status;
use figures::{date_text, money_text};
use view::View;

/// Why no mail can be made of an invoice.
#[derive(Debug, thiserror::Error)]
pub enum EmailTemplateError {
    /// There is nobody to send it to.
    #[error("the invoice has no contact with an e-mail address")]
    NoAddress,
    /// A stored text gives no header.
    #[error("a header of the mail cannot be written")]
    Header(#[from] TextFault),
    /// A template cannot be filled.
    #[error("the mail cannot be written")]
    Template(#[from] askama::Error),
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

/// The mail that brings an invoice to its contact. `pay_url` is the address of its payment page.
///
/// # Errors
/// [`EmailTemplateError::NoAddress`] when the contact has none; anything else is a fault of the service.
pub fn email_template(
    letterhead: &Letterhead,
    invoice: &Invoice,
    pay_url: &str,
) -> Result<Message, EmailTemplateError> {
    let contact = invoice.contact.as_ref();
    let to = contact.and_then(|contact| contact.email.clone());
    let view = View::new(letterhead, invoice, pay_url);
    let mut message = Message::new(
        to.ok_or(EmailTemplateError::NoAddress)?,
        subject(letterhead, invoice)?,
        Text { v: &view }.render()?,
        Html { v: &view }.render()?,
    );
    // A company without a name, or with a mistyped address, still gets its mail out: under the operator's.
    message.from_name = one_line(&letterhead.company_name).ok();
    message.reply_to = reply_to(letterhead);
    message.to_name = contact.map(|contact| contact.name.clone());
    Ok(message)
}

fn subject(letterhead: &Letterhead, invoice: &Invoice) -> Result<mail::Subject, TextFault> {
    let from = match letterhead.company_name.trim() {
        "" => String::new(),
        name => format!(" from {name}"),
    };
    let due = money_text(invoice.amount_due());
    let total = money_text(invoice.totals.total);
    let standing = match invoice.status {
        Status::Paid => format!("{total}, paid"),
        Status::Cancelled => format!("{total}, cancelled"),
        _ => format!("{due} due {}", date_text(invoice.due_date)),
    };
    one_line(&format!("Invoice {}{from} ({standing})", invoice.number))
}

/// Where answers go: to the company, where its address is one.
fn reply_to(letterhead: &Letterhead) -> Option<EmailAddress> {
    let email = letterhead.email.as_deref()?;
    EmailAddress::parse(email).ok()
}

/// One line of any text: control characters become blanks, and what is too long is cut.
fn one_line<const MOST: usize>(text: &str) -> Result<SingleLine<MOST>, TextFault> {
    let printable = |c: char| if c.is_control() { ' ' } else { c };
    let line: String = text.trim().chars().map(printable).take(MOST).collect();
    SingleLine::parse(&line)
}

#[cfg(test)]
mod tests;
