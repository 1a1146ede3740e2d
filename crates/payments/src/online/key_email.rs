//! The mail to the owner about a gateway key that was entered, with the link that undoes the entry.

mod payload;

use std::sync::Arc;

use askama::Template;
use async_trait::async_trait;
use invoices::figures::zoned_instant_text;
use kernel::{AccountToken, PublicUrls, SealingKeys, SecureRandom, SingleLine, TimeZone, clock};
use mail::{Audience, EmailTemplate, MailId, MailMessage, NewMail, QueuedMail, RenderError};
use time::OffsetDateTime;

use self::payload::GatewayKeyEmailPayload;
use super::gateway_account::GatewayAccount;
use super::ports::Payee;

/// The template of mails about gateway keys.
#[derive(Debug, Clone)]
pub struct GatewayKeyEmail {
    /// The keys that seal the tokens of links.
    pub keys: Arc<SealingKeys>,
    /// Makes the address that undoes the entry of a key.
    pub urls: PublicUrls,
}

struct View {
    company: String,
    gateway: String,
    in_force_at: String,
    link: String,
}

#[derive(Template)]
#[template(path = "gateway_key.html")]
struct Html<'a> {
    v: &'a View,
}

#[derive(Template)]
#[template(path = "gateway_key.txt")]
struct Text<'a> {
    v: &'a View,
}

/// The mail about the latest key of a gateway account. Its token is sealed, so that the queue does not reveal
/// it.
pub(crate) fn entered_mail(
    gateway: &GatewayAccount,
    payee: &Payee,
    token: &AccountToken,
    (id, now): (MailId, OffsetDateTime),
    (keys, random): (&SealingKeys, &dyn SecureRandom),
) -> NewMail {
    let pending = gateway.pending_key(now);
    let payload = GatewayKeyEmailPayload {
        company_name: payee.company_name.clone(),
        gateway: gateway.kind.label().to_owned(),
        in_force_at: pending.map(|next| clock::unix_micros(next.in_force_at)),
        time_zone: payee.time_zone.name().to_owned(),
        sealed_token: mail::seal_secret(keys, random, id, token.reveal()),
    };
    NewMail {
        id,
        account: gateway.account,
        resource_id: Some(gateway.id.uuid()),
        template: GatewayKeyEmail::NAME,
        audience: Audience::Owner,
        to: payee.owner.email.clone(),
        payload: mail::payload(&payload),
        queued_at: now,
    }
}

impl GatewayKeyEmail {
    const NAME: &str = "gateway_key";
}

#[async_trait]
impl EmailTemplate for GatewayKeyEmail {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    async fn render(&self, mail: &QueuedMail) -> Result<MailMessage, RenderError> {
        let payload: GatewayKeyEmailPayload = mail.content("it is not about a gateway's key")?;
        let wrong = RenderError::Payload("its key comes into force at no instant");
        let zone = TimeZone::from_stored(&payload.time_zone);
        let in_force_at = match payload.in_force_at {
            Some(micros) => zoned_instant_text(clock::from_unix_micros(micros).ok_or(wrong)?, &zone),
            None => String::new(),
        };
        let token = mail::open_secret(&self.keys, mail.id, &payload.sealed_token)?;
        let view = View {
            company: payload.company_name,
            gateway: payload.gateway,
            in_force_at,
            link: self.urls.gateway_key_undo(&token),
        };
        let subject = SingleLine::parse(&format!("A {} key was entered for online payments", view.gateway))?;
        MailMessage::rendered(mail.to.clone(), subject, &Text { v: &view }, &Html { v: &view })
    }
}
