//! Mails to owners about their login. They are always sent, whatever the settings of the account.

mod payload;

use std::sync::Arc;

use askama::Template;
use async_trait::async_trait;
use kernel::{AccountToken, Clock, PublicUrls, SealingKeys, SecureRandom, SingleLine, clock};
use mail::{Audience, EmailTemplate, MailId, MailMessage, NewMail, QueuedMail, RenderError};
use time::OffsetDateTime;

pub use self::payload::SecurityNotice;
use self::payload::{NoticePayload, ResetPayload};
use crate::login::LoginRecord;
use crate::origin::Origin;
use crate::password_reset::PasswordReset;

/// The template of notices about a login.
#[derive(Debug, Clone)]
pub struct SecurityEmail {
    pub urls: PublicUrls,
}

/// The template of password resets.
#[derive(Clone)]
pub struct PasswordResetEmail {
    /// The keys that seal the tokens.
    pub keys: Arc<SealingKeys>,
    pub urls: PublicUrls,
    /// Tells whether a link has expired while its mail waited.
    pub clock: Arc<dyn Clock>,
}

/// The content of the HTML and text templates.
struct View {
    greeting: String,
    subject: String,
    what: String,
    /// When and from where.
    facts: String,
    /// What to do; shown before the link.
    advice: String,
    link: String,
    button: &'static str,
    /// Further information.
    note: String,
}

#[derive(Template)]
#[template(path = "security.html")]
struct Html<'a> {
    v: &'a View,
}

#[derive(Template)]
#[template(path = "security.txt")]
struct Text<'a> {
    v: &'a View,
}

/// The mail with a notice about a login.
pub(crate) fn security_mail(
    login_record: &LoginRecord,
    notice: SecurityNotice,
    origin: Option<&Origin>,
    id: MailId,
    now: OffsetDateTime,
) -> NewMail {
    let payload = NoticePayload {
        notice,
        company_name: login_record.owner.company_name.clone(),
        first_name: login_record.owner.first_name.clone(),
        at: clock::unix_micros(now),
        browser: origin.map(|origin| origin.browser.clone()),
        address: origin.map(|origin| origin.address.to_string()),
    };
    new_mail(login_record, SecurityEmail::NAME, mail::payload(&payload), id, now)
}

/// The mail with the link of a password reset. The token is sealed, so it cannot be read from the queue.
pub(crate) fn reset_mail(
    login_record: &LoginRecord,
    reset: &PasswordReset,
    token: &AccountToken,
    id: MailId,
    keys: &SealingKeys,
    random: &dyn SecureRandom,
) -> NewMail {
    let payload = ResetPayload {
        company_name: login_record.owner.company_name.clone(),
        first_name: login_record.owner.first_name.clone(),
        expires_at: clock::unix_micros(reset.expires_at),
        sealed_token: mail::seal_secret(keys, random, id, token.reveal()),
    };
    new_mail(login_record, PasswordResetEmail::NAME, mail::payload(&payload), id, reset.created_at)
}

fn new_mail(
    login_record: &LoginRecord,
    template: &'static str,
    payload: serde_json::Value,
    id: MailId,
    queued_at: OffsetDateTime,
) -> NewMail {
    let account = login_record.login.account;
    NewMail {
        id,
        account,
        resource_id: Some(account.uuid()),
        template,
        audience: Audience::Owner,
        to: login_record.login.email.clone(),
        payload,
        queued_at,
    }
}

impl SecurityEmail {
    const NAME: &str = "security";
}

impl PasswordResetEmail {
    const NAME: &str = "password_reset";
}

#[async_trait]
impl EmailTemplate for SecurityEmail {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    async fn render(&self, mail: &QueuedMail) -> Result<MailMessage, RenderError> {
        let payload: NoticePayload = mail.content("it is not a notice about a login")?;
        let at = clock::from_unix_micros(payload.at).ok_or(RenderError::Payload("it is of no instant"))?;
        let (from, wanted, further) = match (payload.browser, payload.address) {
            (Some(browser), Some(address)) => {
                (format!(", from {browser} at {address}"), "this was you", payload.notice.further_advice())
            }
            _ => {
                let by = ", by the operator of this service".to_owned();
                (by, "you asked for this", " Tell the operator too that you did not ask.")
            }
        };
        let (title, what) = payload.notice.words();
        let view = View {
            greeting: mail::greeting(payload.first_name.as_deref()),
            subject: format!("{title}: {}", payload.company_name),
            what: format!("{what} {}.", payload.company_name),
            facts: format!("{}{from}", clock::written_in_utc(at)),
            advice: format!(
                "If {wanted}, you do not need to do anything. If not, choose a new password at once: this ends \
                 every session.{further}"
            ),
            link: self.urls.page("/password/forgot"),
            button: "Choose a new password",
            note: "This e-mail is about the security of your login, so it cannot be switched off.".to_owned(),
        };
        message(mail, &view)
    }
}

#[async_trait]
impl EmailTemplate for PasswordResetEmail {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    async fn render(&self, mail: &QueuedMail) -> Result<MailMessage, RenderError> {
        let payload: ResetPayload = mail.content("it is not a password reset")?;
        let expires_at = clock::from_unix_micros(payload.expires_at)
            .ok_or(RenderError::Payload("it expires at no instant"))?;
        if expires_at <= self.clock.now() {
            return Err(RenderError::Expired);
        }
        let token = mail::open_secret(&self.keys, mail.id, &payload.sealed_token)?;
        let company = payload.company_name;
        let view = View {
            greeting: mail::greeting(payload.first_name.as_deref()),
            subject: format!("A new password for {company}"),
            what: format!("Somebody asked for a new password for the invoicing account of {company}."),
            facts: format!("The link works once, until {}", clock::written_in_utc(expires_at)),
            advice: "Choose the new password here. This ends every session.".to_owned(),
            link: self.urls.page(format_args!("/password/reset/{}", &*token)),
            button: "Choose a new password",
            note: "If you did not ask for this, you can ignore this e-mail: your password stays as it is."
                .to_owned(),
        };
        message(mail, &view)
    }
}

fn message(mail: &QueuedMail, view: &View) -> Result<MailMessage, RenderError> {
    // A stored company name may be longer than a subject may be.
    let subject = SingleLine::shortened(&view.subject)?;
    MailMessage::rendered(mail.to.clone(), subject, &Text { v: view }, &Html { v: view })
}

#[cfg(test)]
mod tests;
