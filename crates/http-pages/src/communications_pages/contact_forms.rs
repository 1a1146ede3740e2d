//! `POST /dashboard/contacts/{id}/consent`, `/turn-on` and `/works-again`: the owner records what a contact
//! said.

use actix_web::HttpRequest;
use communications::{AddressHoldId, Channel, CloseReason, NewConsent};
use kernel::{Field, FieldErrors, FieldSource as _, Named as _, SingleLine};
use pages::Confirmation;

use super::messages::to_form_error;
use crate::audit;
use crate::forms::{Done, FormFields, FormReader, PageResult, submit};
use crate::invoicing::show_refused_contact;
use crate::routing::path_id;
use crate::session_caller::SessionCaller;

pub(super) async fn consent(caller: SessionCaller, http: HttpRequest, fields: FormFields) -> PageResult {
    let (state, account, id) = (caller.state(), caller.scope().id, path_id(&http)?);
    let sent = submit(state, account, http.path(), &fields, async || {
        let new = read_consent(&fields)?;
        let conversations = caller.audited(audit::communications::consent(id, &new)).conversations;
        conversations
            .record_consent(account, id, &new)
            .await
            .map_err(|error| to_form_error(error, &caller))?;
        let done = if new.is_given { Confirmation::ConsentRecorded } else { Confirmation::ConsentWithdrawn };
        Ok(Done::confirmed(&state.links, format_args!("/dashboard/contacts/{id}"), done))
    });
    match sent.await {
        Ok(response) => Ok(response),
        Err(error) => show_refused_contact(&caller, &http, id, fields, error.into_faults()?).await,
    }
}

/// Allows reminders again by a channel that the contact opted out of; the owner states how the contact asked
/// for it.
pub(super) async fn turn_on(caller: SessionCaller, http: HttpRequest, fields: FormFields) -> PageResult {
    open_address(caller, http, fields, CloseReason::OptedOut).await
}

/// Allows mail again to an address from which it bounced; the owner states how the address is known to work.
pub(super) async fn works_again(caller: SessionCaller, http: HttpRequest, fields: FormFields) -> PageResult {
    open_address(caller, http, fields, CloseReason::Bounced).await
}

async fn open_address(
    caller: SessionCaller,
    http: HttpRequest,
    fields: FormFields,
    reason: CloseReason,
) -> PageResult {
    let (state, account, id) = (caller.state(), caller.scope().id, path_id(&http)?);
    let sent = submit(state, account, http.path(), &fields, async || {
        let (channel, seen, word) = read_word(&fields)?;
        let conversations =
            caller.audited(audit::communications::hold_ended(id, channel, reason)).conversations;
        let ending = conversations.open_address(account, id, channel, reason, seen, &word);
        ending.await.map_err(|error| to_form_error(error, &caller))?;
        Ok(Done::confirmed(
            &state.links,
            format_args!("/dashboard/contacts/{id}"),
            Confirmation::AddressOpened,
        ))
    });
    match sent.await {
        Ok(response) => Ok(response),
        Err(error) => show_refused_contact(&caller, &http, id, fields, error.into_faults()?).await,
    }
}

/// Reads the channel that may be used again, the hold that the page showed, and the owner's statement.
fn read_word(fields: &FormFields) -> Result<(Channel, Option<AddressHoldId>, SingleLine<500>), FieldErrors> {
    let mut reader = FormReader::new(fields);
    let channel = reader.text("channel", |text| Channel::parse(text.trim()));
    let (seen, word) = (reader.id("hold"), reader.line("word"));
    reader.require([("channel", channel.is_missing()), ("word", word.is_missing())]);
    match (channel, seen, word) {
        (Field::Value(channel), Field::Value(seen), Field::Value(word)) => Ok((channel, Some(seen), word)),
        (Field::Value(channel), Field::Absent | Field::Null, Field::Value(word)) => Ok((channel, None, word)),
        _ => Err(reader.into_faults()),
    }
}

fn read_consent(fields: &FormFields) -> Result<NewConsent, FieldErrors> {
    let mut reader = FormReader::new(fields);
    let channel = reader.text("channel", |text| Channel::parse(text.trim()));
    let how = reader.line("how");
    reader.require([("channel", channel.is_missing()), ("how", how.is_missing())]);
    match (channel, how) {
        (Field::Value(channel), Field::Value(how)) => Ok(NewConsent {
            channel,
            is_given: fields.action() != "withdraw",
            how,
            recorded_by: SingleLine::from_stored("owner".to_owned()),
        }),
        _ => Err(reader.into_faults()),
    }
}
