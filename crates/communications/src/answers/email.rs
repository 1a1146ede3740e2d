//! An answer as an e-mail.

use askama::Template;
use kernel::text::one_line;
use kernel::{EmailAddress, SingleLine};
use mail::{MailMessage as Mail, RenderError};

use crate::message::Message;

#[derive(Template)]
#[template(path = "answer.html")]
struct Html<'a> {
    subject: &'a str,
    paragraphs: Vec<Vec<&'a str>>,
}

/// The subject of an answer to a message: `Re: Invoice INV-0001`.
pub(super) fn subject(answered: Option<&str>) -> String {
    let mut rest = answered.unwrap_or_default().trim();
    while let Some(prefix) = rest.get(..3).filter(|prefix| prefix.eq_ignore_ascii_case("re:")) {
        rest = rest.get(prefix.len()..).unwrap_or_default().trim_start();
    }
    one_line(&format!("Re: {}", if rest.is_empty() { "your message" } else { rest }), 500)
}

/// Renders an answer as an e-mail to an address, in the thread of the answered message.
///
/// # Errors
/// A [`RenderError`]: no later attempt can succeed.
pub(super) fn render(
    answer: &Message,
    to: EmailAddress,
    earlier: Option<&Message>,
    company: &str,
    reply_to: Option<EmailAddress>,
) -> Result<Mail, RenderError> {
    let subject = answer.subject.clone().unwrap_or_default();
    let paragraphs = answer.text.split("\n\n").map(|paragraph| paragraph.lines().collect());
    let html = Html { subject: &subject, paragraphs: paragraphs.collect() }.render()?;
    let header = SingleLine::parse(&subject)?;
    let mut mail = Mail::new(to, header, answer.text.clone(), html);
    mail.from_name = SingleLine::shortened(company).ok();
    mail.reply_to = reply_to;
    mail.is_written_by_person = true;
    mail.in_reply_to.clone_from(&answer.in_reply_to);
    let before = earlier.and_then(|message| message.in_reply_to.clone());
    mail.references = before.into_iter().chain(answer.in_reply_to.clone()).collect();
    Ok(mail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subject_says_once_that_it_is_an_answer() {
        assert_eq!(subject(Some("Invoice 7")), "Re: Invoice 7");
        assert_eq!(subject(Some("RE: re:Re:  Invoice 7")), "Re: Invoice 7");
        for nothing in [None, Some(" "), Some("Re:")] {
            assert_eq!(subject(nothing), "Re: your message");
        }
        assert_eq!(subject(Some("ÄÖ€")), "Re: ÄÖ€");
    }
}
