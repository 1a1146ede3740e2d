//! The mail that invites the owner of a new account to choose a password.

mod payload;

use std::sync::Arc;

use askama::Template;
use async_trait::async_trait;
use kernel::{
    AccountId, AccountToken, EmailAddress, PublicUrls, SealingKeys, SecureRandom, SingleLine, clock,
};
use mail::{Audience, EmailTemplate, MailId, MailMessage, NewMail, QueuedMail, RenderError};

use self::payload::InvitationPayload;
use crate::account::Account;
use crate::invitation::Invitation;

/// The template of invitations.
#[derive(Debug, Clone)]
pub struct InvitationEmail {
    /// The keys that seal the tokens of invitations.
    pub keys: Arc<SealingKeys>,
    /// Makes the address of the invitation.
    pub urls: PublicUrls,
}

/// The data of HTML and text.
struct View {
    greeting: String,
    company: String,
    link: String,
    until: String,
}

#[derive(Template)]
#[template(path = "invitation.html")]
struct Html<'a> {
    v: &'a View,
}

#[derive(Template)]
#[template(path = "invitation.txt")]
struct Text<'a> {
    v: &'a View,
}

/// The owner of an account, with the data that an invitation shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvitedOwner {
    pub account: AccountId,
    pub email: EmailAddress,
    pub company_name: String,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
}

impl From<&Account> for InvitedOwner {
    fn from(account: &Account) -> Self {
        let text = |name: &SingleLine<200>| name.as_str().to_owned();
        Self {
            account: account.id,
            email: account.email.clone(),
            company_name: account.profile.company_name.to_string(),
            first_name: account.profile.first_name.as_ref().map(text),
            last_name: account.profile.last_name.as_ref().map(text),
        }
    }
}

/// The mail that invites the owner of an account. Its token is sealed, so that the queue does not reveal it.
#[must_use]
pub fn invitation_mail(
    owner: &InvitedOwner,
    invitation: &Invitation,
    token: &AccountToken,
    id: MailId,
    keys: &SealingKeys,
    random: &dyn SecureRandom,
) -> NewMail {
    let payload = InvitationPayload {
        company_name: owner.company_name.clone(),
        first_name: owner.first_name.clone(),
        last_name: owner.last_name.clone(),
        expires_at: clock::unix_micros(invitation.expires_at),
        sealed_token: mail::seal_secret(keys, random, id, token.reveal()),
    };
    NewMail {
        id,
        account: owner.account,
        resource_id: Some(owner.account.uuid()),
        template: InvitationEmail::NAME,
        audience: Audience::Owner,
        to: owner.email.clone(),
        payload: mail::payload(&payload),
        queued_at: invitation.created_at,
    }
}

impl InvitationEmail {
    const NAME: &str = "invitation";
}

#[async_trait]
impl EmailTemplate for InvitationEmail {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    async fn render(&self, mail: &QueuedMail) -> Result<MailMessage, RenderError> {
        let payload: InvitationPayload = mail.content("it is not an invitation")?;
        let expires_at = clock::from_unix_micros(payload.expires_at)
            .ok_or(RenderError::Payload("it expires at no instant"))?;
        let token = mail::open_secret(&self.keys, mail.id, &payload.sealed_token)?;
        let names: Vec<&str> =
            [&payload.first_name, &payload.last_name].into_iter().filter_map(Option::as_deref).collect();
        let company = payload.company_name.clone();
        let view = View {
            greeting: mail::greeting(names.first().copied()),
            link: self.urls.invitation(&token),
            until: clock::written_in_utc(expires_at),
            company,
        };
        let subject = SingleLine::parse(&format!("Your invoicing account for {}", view.company))?;
        let mut message =
            MailMessage::rendered(mail.to.clone(), subject, &Text { v: &view }, &Html { v: &view })?;
        message.to_name = SingleLine::parse(&names.join(" ")).ok();
        Ok(message)
    }
}

#[cfg(test)]
mod tests {
    use access::{ApiKey, KeySpace};
    use kernel::{Currency, Field, FieldErrors, Id, Ids as _, SystemRandom};
    use testkit::{CountingIds, FixedClock, FixedRandom};

    use super::*;
    use crate::profile::{NewAccount, ProfileInput};

    fn account(company: &str, first_name: Field<SingleLine<200>>) -> Account {
        let (ids, now) = (CountingIds::default(), FixedClock::START);
        let key = ApiKey::generate(KeySpace::Account, &FixedRandom::default());
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
        Account::open(new, Id::from_uuid(id), Id::from_uuid(partner), aud, &key, now)
    }

    fn keys() -> Arc<SealingKeys> {
        Arc::new(SealingKeys::new(&[7; 32], None))
    }

    fn queued(account: &Account) -> (NewMail, AccountToken) {
        let (ids, now) = (CountingIds::default(), FixedClock::START);
        let token = AccountToken::generate(account.id, &SystemRandom::default());
        let invitation = Invitation::new(Id::new(&ids, now), &token, now);
        let id = Id::new(&ids, now);
        let random = SystemRandom::default();
        (invitation_mail(&account.into(), &invitation, &token, id, &keys(), &random), token)
    }

    async fn rendered(mail: NewMail) -> Result<MailMessage, RenderError> {
        let template = InvitationEmail { keys: keys(), urls: PublicUrls::new("https://books.example.com") };
        template.render(&mail.into()).await
    }

    #[tokio::test]
    async fn invitation_shows_its_link_and_when_it_expires() {
        let ada = Field::Value(SingleLine::parse("Ada").unwrap());
        let (mail, token) = queued(&account("Acme", ada));
        assert_eq!(mail.audience, Audience::Owner);
        assert!(!mail.payload.to_string().contains(token.reveal()));
        let message = rendered(mail.clone()).await.unwrap();
        assert_eq!(rendered(mail).await.unwrap(), message);
        assert_eq!(message.subject.as_str(), "Your invoicing account for Acme");
        assert_eq!(message.to_name.as_ref().unwrap().as_str(), "Ada");
        assert_eq!(message.to.as_str(), "ada@acme.example.com");
        let link = format!("https://books.example.com/invitations/{}", token.reveal());
        assert!(message.html.contains(&format!("href=\"{link}\"")));
        let until = clock::written_in_utc(FixedClock::START + time::Duration::days(7));
        assert!(message.html.contains(&until));
        insta::assert_snapshot!("text", message.text.replace(token.reveal(), "{token}"));
    }

    #[tokio::test]
    async fn invitation_escapes_what_a_partner_sent() {
        let (mail, _) = queued(&account("<b>Bold & Sons</b>", Field::Absent));
        let message = rendered(mail).await.unwrap();
        assert!(message.html.contains("Bold &#38; Sons"), "{}", message.html);
        assert!(!message.html.contains("<b>Bold"));
        assert!(message.text.starts_with("Hello,\n"));
        assert!(message.text.contains("<b>Bold & Sons</b>"));
    }

    #[tokio::test]
    async fn payload_that_cannot_be_read_is_an_error() {
        let (mail, _) = queued(&account("Acme", Field::Absent));
        let moved = NewMail { id: Id::new(&CountingIds::default(), FixedClock::START), ..mail.clone() };
        let empty = NewMail { payload: serde_json::json!({}), ..mail };
        assert!(matches!(rendered(moved).await, Err(RenderError::WrongKey)));
        assert!(matches!(rendered(empty).await, Err(RenderError::Payload(_))));
    }
}
