//! The mail that invites the owner of a new account.

use askama::Template;
use kernel::{PublicUrls, SingleLine, TextFault};
use mail::Message;
use time::OffsetDateTime;

use crate::account::Account;

/// Why no mail can be made.
#[derive(Debug, thiserror::Error)]
pub enum WelcomeError {
    /// A name gives no header.
    #[error("a header of the mail cannot be written")]
    Header(#[from] TextFault),
    /// A template cannot be filled.
    #[error("the mail cannot be written")]
    Template(#[from] askama::Error),
}

/// What both parts of the mail say.
struct View {
    greeting: String,
    company: String,
    link: String,
    until: String,
}

#[derive(Template)]
#[template(path = "welcome.html")]
struct Html<'a> {
    v: &'a View,
}

#[derive(Template)]
#[template(path = "welcome.txt")]
struct Text<'a> {
    v: &'a View,
}

/// The mail that invites an account's owner to choose a password. The token itself is not in it: [`Message::SECRET`] stands in its place.
///
/// # Errors
/// A [`WelcomeError`].
pub fn welcome(
    account: &Account,
    urls: &PublicUrls,
    expires_at: OffsetDateTime,
) -> Result<Message, WelcomeError> {
    let company = account.profile.company_name.as_str();
    let names = [&account.profile.first_name, &account.profile.last_name];
    let names: Vec<&str> = names
        .into_iter()
        .flatten()
        .map(SingleLine::as_str)
        .collect();
    let view = View {
        greeting: names
            .first()
            .map_or("Hello,".to_owned(), |name| format!("Hello {name},")),
        company: company.to_owned(),
        link: urls.invitation(Message::SECRET),
        until: until_text(expires_at),
    };
    let mut message = Message::new(
        account.email.clone(),
        SingleLine::parse(&format!("Your invoicing account for {company}"))?,
        Text { v: &view }.render()?,
        Html { v: &view }.render()?,
    );
    message.to_name = SingleLine::parse(&names.join(" ")).ok();
    Ok(message)
}

/// `27 November 2026, 02:09 UTC`.
fn until_text(instant: OffsetDateTime) -> String {
    let (date, time) = (instant.date(), instant.time());
    format!(
        "{} {} {}, {:02}:{:02} UTC",
        date.day(),
        date.month(),
        date.year(),
        time.hour(),
        time.minute()
    )
}

#[cfg(test)]
mod tests {
    use access::{ApiKey, KeySpace};
    use kernel::{Currency, EmailAddress, Field, FieldErrors, Id, Ids as _};
    use testkit::{CountingIds, FixedRandom, StillClock};

    use super::*;
    use crate::profile::{NewAccount, ProfileInput};

    fn account(company: &str, first_name: Field<SingleLine<200>>) -> Account {
        let (ids, now) = (CountingIds::default(), StillClock::START);
        let key = ApiKey::generate(KeySpace::Account, &FixedRandom::default()).unwrap();
        let key = key.record(Id::from_uuid(ids.uuid_at(now)), now);
        let input = ProfileInput {
            company_name: Field::Value(SingleLine::parse(company).unwrap()),
            email: Field::Value(EmailAddress::parse("ada@acme.example.com").unwrap()),
            first_name,
            ..ProfileInput::default()
        };
        let new = NewAccount::check(input, FieldErrors::default()).unwrap();
        let (id, partner) = (ids.uuid_at(now), ids.uuid_at(now));
        let aud = Currency::parse("AUD").unwrap();
        Account::open(
            new,
            Id::from_uuid(id),
            Id::from_uuid(partner),
            aud,
            &key,
            now,
        )
    }

    #[test]
    fn the_mail_says_where_to_go_and_until_when() {
        let ada = Field::Value(SingleLine::parse("Ada").unwrap());
        let urls = PublicUrls::new("https://books.example.com");
        let until = StillClock::START + time::Duration::days(7);
        let message = welcome(&account("Acme", ada), &urls, until).unwrap();
        insta::assert_snapshot!(message.text);
        assert_eq!(message.subject.as_str(), "Your invoicing account for Acme");
        assert_eq!(message.to_name.unwrap().as_str(), "Ada");
        let link = "https://books.example.com/invitations/{secret}";
        assert!(message.text.contains(link));
        assert!(message.html.contains(&format!("href=\"{link}\"")));
        assert!(message.html.contains(&until_text(until)));
    }

    #[test]
    fn what_a_partner_sent_is_no_markup() {
        let account = account("<b>Bold & Sons</b>", Field::Absent);
        let message = welcome(
            &account,
            &PublicUrls::new("https://x.example"),
            StillClock::START,
        )
        .unwrap();
        assert!(message.html.contains("Bold &#38; Sons"), "{}", message.html);
        assert!(!message.html.contains("<b>Bold"));
        assert!(message.text.starts_with("Hello,\n"));
        assert!(message.text.contains("<b>Bold & Sons</b>"));
    }
}
