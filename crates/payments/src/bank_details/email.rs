//! The mail to the owner about changed bank details, with the link that undoes the change.

mod payload;

use std::sync::Arc;

use askama::Template;
use async_trait::async_trait;
use invoices::figures::zoned_instant_text;
use kernel::{AccountToken, PublicUrls, SealingKeys, SecureRandom, SingleLine, TimeZone, clock};
use mail::{Audience, EmailTemplate, MailId, MailMessage, NewMail, QueuedMail, RenderError};

use self::payload::BankDetailsEmailPayload;
use super::entry::BankDetailsEntry;
use super::ports::AccountOwner;

/// The template of mails about changed bank details.
#[derive(Debug, Clone)]
pub struct BankDetailsEmail {
    /// The keys that the tokens of links are sealed under.
    pub keys: Arc<SealingKeys>,
    /// Makes the address that undoes a change.
    pub urls: PublicUrls,
}

struct View {
    company: String,
    currency: String,
    /// The lines of the details. Each is indented, so that none reads as a sentence of the service.
    details: Vec<String>,
    in_force_at: String,
    link: String,
}

#[derive(Template)]
#[template(path = "bank_details.html")]
struct Html<'a> {
    v: &'a View,
}

#[derive(Template)]
#[template(path = "bank_details.txt")]
struct Text<'a> {
    v: &'a View,
}

/// The mail about an entry. Its token is sealed, so that the queue does not reveal it.
pub(crate) fn changed_mail(
    entry: &BankDetailsEntry,
    owner: &AccountOwner,
    token: &AccountToken,
    id: MailId,
    keys: &SealingKeys,
    random: &dyn SecureRandom,
) -> NewMail {
    let payload = BankDetailsEmailPayload {
        company_name: owner.company_name.clone(),
        currency: entry.currency.code().to_owned(),
        details: entry.fields().into_iter().map(|(_, text)| text).collect(),
        in_force_at: clock::unix_micros(entry.in_force_at),
        time_zone: owner.time_zone.name().to_owned(),
        sealed_token: mail::seal_secret(keys, random, id, token.reveal()),
    };
    NewMail {
        id,
        account: entry.account,
        resource_id: Some(entry.id.uuid()),
        template: BankDetailsEmail::NAME,
        audience: Audience::Owner,
        to: owner.email.clone(),
        payload: mail::payload(&payload),
        queued_at: entry.entered_at,
    }
}

impl BankDetailsEmail {
    const NAME: &str = "bank_details";
}

/// The lines of a text that are not blank. Mail programs break lines at more than line feeds.
fn lines(text: &str) -> impl Iterator<Item = String> {
    let lines = text.split(['\n', '\r', '\u{2028}', '\u{2029}']).map(str::trim);
    lines.filter(|line| !line.is_empty()).map(str::to_owned)
}

#[async_trait]
impl EmailTemplate for BankDetailsEmail {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    async fn render(&self, mail: &QueuedMail) -> Result<MailMessage, RenderError> {
        let payload: BankDetailsEmailPayload = mail.content("it is not about bank details")?;
        let in_force_at = clock::from_unix_micros(payload.in_force_at)
            .ok_or(RenderError::Payload("its details come into force at no instant"))?;
        let zone = TimeZone::from_stored(&payload.time_zone);
        let token = mail::open_secret(&self.keys, mail.id, &payload.sealed_token)?;
        let view = View {
            company: payload.company_name,
            currency: payload.currency,
            details: payload.details.iter().flat_map(|text| lines(text)).collect(),
            in_force_at: zoned_instant_text(in_force_at, &zone),
            link: self.urls.bank_details_undo(&token),
        };
        let done = if view.details.is_empty() { "removed" } else { "changed" };
        let subject = SingleLine::parse(&format!("Your bank details for {} were {done}", view.currency))?;
        MailMessage::rendered(mail.to.clone(), subject, &Text { v: &view }, &Html { v: &view })
    }
}

#[cfg(test)]
mod tests {
    use kernel::{Currency, EmailAddress, Id, MultiLine, SystemRandom};
    use testkit::{CountingIds, FixedClock};

    use super::*;
    use crate::bank_details::details::BankDetails;

    fn keys() -> Arc<SealingKeys> {
        Arc::new(SealingKeys::new(&[7; 32], None))
    }

    /// The message about an entry, and the token in the message.
    async fn message_about(details: Option<BankDetails>) -> (MailMessage, AccountToken) {
        let (ids, now) = (CountingIds::default(), FixedClock::START);
        let account = Id::new(&ids, now);
        let token = AccountToken::generate(account, &SystemRandom::default());
        let entry = BankDetailsEntry {
            id: Id::new(&ids, now),
            account,
            currency: Currency::parse("EUR").unwrap(),
            details,
            entered_at: now,
            in_force_at: now + time::Duration::DAY,
            undo_token_hash: token.hash(),
            withdrawn_at: None,
        };
        let email = EmailAddress::parse("ada@acme.example.com").unwrap();
        let time_zone = TimeZone::parse("Australia/Sydney").unwrap();
        let owner = AccountOwner { email, company_name: "Acme & Sons".to_owned(), time_zone };
        let random = SystemRandom::default();
        let mail = changed_mail(&entry, &owner, &token, Id::new(&ids, now), &keys(), &random);
        assert_eq!(mail.audience, Audience::Owner);
        assert!(!mail.payload.to_string().contains(token.reveal()));
        let template = BankDetailsEmail { keys: keys(), urls: PublicUrls::new("https://books.example.com") };
        (template.render(&mail.into()).await.unwrap(), token)
    }

    #[tokio::test]
    async fn mail_names_details_instant_and_link_and_the_queue_shows_no_link() {
        let details = BankDetails::Text(MultiLine::parse("<b>Cash</b>").unwrap());
        let (message, token) = message_about(Some(details)).await;
        assert_eq!(message.subject.as_str(), "Your bank details for EUR were changed");
        let link = format!("https://books.example.com/bank-details/{}/undo", token.reveal());
        assert!(message.html.contains(&format!("href=\"{link}\"")) && message.text.contains(&link));
        assert!(message.html.contains("&#60;b&#62;Cash") && message.text.contains("<b>Cash</b>"));
        assert!(message.text.contains("21 November 2026, 13:09 (Australia/Sydney)"), "{}", message.text);
    }

    #[tokio::test]
    async fn each_line_of_instructions_is_indented_and_stands_in_a_block_of_the_html() {
        let text = "Cash only.\n\nThis is only a test:\r\ndo nothing.\u{2028}Undone.\rEnd.";
        let details = BankDetails::Text(MultiLine::parse(text).unwrap());
        let (message, _) = message_about(Some(details)).await;
        let indented =
            "\n\n    Cash only.\n    This is only a test:\n    do nothing.\n    Undone.\n    End.\n\n";
        assert!(message.text.contains(indented), "{}", message.text);
        let (before, block) = message.html.split_once("<blockquote").unwrap();
        assert!(!before.contains("Cash only."));
        assert!(block.split_once("</blockquote>").unwrap().0.ends_with("Undone.<br>End."), "{block}");
    }

    #[tokio::test]
    async fn mail_about_a_removal_says_until_when_the_details_are_shown() {
        let (message, token) = message_about(None).await;
        assert_eq!(message.subject.as_str(), "Your bank details for EUR were removed");
        for text in [&message.text, &message.html] {
            assert!(text.contains("until 21 November 2026") && text.contains(token.reveal()), "{text}");
        }
    }
}
