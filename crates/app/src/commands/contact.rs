//! `contact`: consents, and the data stored about a contact.

mod consent_view;
mod export;

use communications::NewConsent;
use http_pages::audit;
use kernel::SingleLine;
use serde_json::json;

pub(super) use self::consent_view::ConsentView;
use super::open;
use crate::cli::communications::{ContactCommand, OneContact, RecordConsent};
use crate::output::{Output, reading_ended};
use crate::settings::Settings;

/// Runs a command on contacts.
pub async fn run(settings: Settings, command: ContactCommand, output: Output) -> anyhow::Result<()> {
    let deps = open(settings).await?;
    let urls = deps.public_urls().await?;
    match command {
        ContactCommand::Consent(RecordConsent { contact, channel, how, withdraw }) => {
            let new = NewConsent {
                channel,
                is_given: !withdraw,
                how,
                recorded_by: SingleLine::from_stored("operator".to_owned()),
            };
            let (account, id) = (contact.account, contact.contact);
            let audited =
                deps.audited(account, audit::communications::consent(id, &new)).conversations(&urls);
            let consent = audited.record_consent(account, id, &new).await?;
            output.show(&ConsentView::from(&consent), |shown| {
                let state = if shown.consent { "given" } else { "withdrawn" };
                format!("{}: consent to {} {state} at {}", shown.contact_id, shown.channel, shown.at)
            })
        }
        ContactCommand::Export(one) => reading_ended(export::run(&deps, &one, &urls).await),
        ContactCommand::Erase(OneContact { account, contact }) => {
            let audited = deps.audited(account, audit::communications::erased(contact)).conversations(&urls);
            audited.erase(account, contact).await?;
            let shown = json!({ "contact_id": contact.to_string(), "erased": true });
            output.show(&shown, |_shown| format!("{contact} was erased; its issued invoices stay"))
        }
    }
}
