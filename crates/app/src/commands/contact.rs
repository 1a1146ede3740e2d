//! `contact`: consents, and what is held about a contact.

use communications::{AddressHold, Channel, Consent, NewConsent};
use contacts::Contact;
use escalations::{Escalation, EscalationPosition};
use http_api::{ContactView, EscalationView};
use http_pages::audited;
use kernel::{SingleLine, instant_text};
use serde::Serialize;
use serde_json::json;

use super::message::MessageView;
use super::open;
use crate::cli::communications::{ContactCommand, OneContact, RecordConsent};
use crate::output::Output;
use crate::settings::Settings;
use crate::wiring::Dependencies;

/// How many messages and escalations are read at once.
const PAGE: usize = 500;

#[derive(Serialize)]
struct ConsentView {
    contact_id: String,
    channel: &'static str,
    consent: bool,
    at: String,
    how: String,
}

impl From<&Consent> for ConsentView {
    fn from(consent: &Consent) -> Self {
        Self {
            contact_id: consent.contact.to_string(),
            channel: consent.channel.as_str(),
            consent: consent.given,
            at: instant_text(consent.at),
            how: consent.how.to_string(),
        }
    }
}

/// Runs a command on contacts.
///
/// # Errors
/// What went wrong, in words for the operator.
pub async fn run(settings: &Settings, command: ContactCommand, output: Output) -> anyhow::Result<()> {
    let deps = open(settings).await?;
    let urls = deps.public_urls(settings).await?;
    match command {
        ContactCommand::Consent(RecordConsent { contact, channel, how, withdraw }) => {
            let new = NewConsent {
                channel,
                given: !withdraw,
                how,
                recorded_by: SingleLine::from_stored("operator".to_owned()),
            };
            let (account, id) = (contact.account, contact.contact);
            let audited = deps.audited(account, audited::consent(id, &new)).conversations(&urls);
            let consent = audited.record_consent(account, id, &new).await?;
            output.show(&ConsentView::from(&consent), |shown| {
                let state = if shown.consent { "given" } else { "withdrawn" };
                format!("{}: consent to {} {state} at {}", shown.contact_id, shown.channel, shown.at)
            })
        }
        ContactCommand::Export(one) => {
            let held = export(&deps, &one).await?;
            output.line(&serde_json::to_string_pretty(&held)?)
        }
        ContactCommand::Erase(OneContact { account, contact }) => {
            let audited = deps.audited(account, audited::erased(contact)).conversations(&urls);
            audited.erase(account, contact).await?;
            let shown = json!({ "contact_id": contact.to_string(), "erased": true });
            output.show(&shown, |_shown| format!("{contact} was erased; its issued invoices stay"))
        }
    }
}

/// All that is held about a contact.
async fn export(deps: &Dependencies, one: &OneContact) -> anyhow::Result<serde_json::Value> {
    let (account, id) = (one.account, one.contact);
    let store = &deps.store;
    let contact = store.contact_reads.get(account, id).await?;
    let Some(contact) = contact else {
        anyhow::bail!("the account has no such contact");
    };
    let mut messages = Vec::new();
    let mut after = None;
    loop {
        let page = store.communications_reads.messages(account, Some(id), after, PAGE).await?;
        after = page.last().map(|message| message.id);
        messages.extend(page.iter().map(|message| {
            json!({
                "message": MessageView::of_message(message),
                "address": message.address.as_str(),
                "at": instant_text(message.at),
                "subject": message.subject,
                "text": message.text,
                "text_removed_at": message.text_removed_at.map(instant_text),
            })
        }));
        if page.len() < PAGE {
            break;
        }
    }
    let consents: Vec<ConsentView> =
        store.communications_reads.consents(account, id).await?.iter().map(ConsentView::from).collect();
    Ok(json!({
        "contact": ContactView::from(&contact),
        "consents": consents,
        "opt_outs": holds(deps, &contact).await?,
        "escalations": escalations(deps, one).await?,
        "messages": messages,
    }))
}

async fn holds(deps: &Dependencies, contact: &Contact) -> anyhow::Result<Vec<serde_json::Value>> {
    let mut shown = Vec::new();
    for (channel, text) in [
        (Channel::Email, contact.email.as_ref().map(ToString::to_string)),
        (Channel::Sms, contact.phone.as_ref().map(ToString::to_string)),
    ] {
        let address = text.and_then(|text| communications::Address::parse(channel, &text).ok());
        let Some(address) = address else { continue };
        let found = deps.store.communications_reads.address_holds(contact.account, channel, &address).await?;
        shown.extend(found.iter().map(|hold: &AddressHold| {
            json!({
                "channel": hold.channel.as_str(),
                "address": hold.address.as_str(),
                "closed": hold.closed.as_str(),
                "at": instant_text(hold.at),
                "how": hold.how.as_str(),
                "lifted_at": hold.lifted_at.map(instant_text),
                "lifted_how": hold.lifted_how.as_ref().map(|how| how.as_str()),
            })
        }));
    }
    Ok(shown)
}

fn position(last: &Escalation) -> EscalationPosition {
    EscalationPosition { status: last.status(), after: last.id }
}

async fn escalations(deps: &Dependencies, one: &OneContact) -> anyhow::Result<Vec<EscalationView>> {
    let (mut shown, mut after) = (Vec::new(), None);
    loop {
        let page = deps.store.escalation_reads.list(one.account, after, PAGE).await?;
        after = page.last().map(position);
        let own = page.iter().filter(|escalation| escalation.contact == Some(one.contact));
        shown.extend(own.map(EscalationView::from));
        if page.len() < PAGE {
            return Ok(shown);
        }
    }
}
