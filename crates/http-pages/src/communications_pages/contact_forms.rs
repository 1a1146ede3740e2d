//! `POST /dashboard/contacts/{id}/consent` and `/turn-on`: what the owner records of a contact's word.

use actix_web::{HttpRequest, HttpResponse};
use communications::{Channel, NewConsent};
use kernel::{Field, FieldErrors, SingleLine};
use pages::Confirmation;

use super::messages::to_form_error;
use crate::forms::{Done, FormFields, FormReader, PageError, submit};
use crate::invoicing::{contact_id, show_refused_contact};
use crate::page::confirming;
use crate::session_caller::SessionCaller;

pub(super) async fn consent(
    caller: SessionCaller,
    http: HttpRequest,
    fields: FormFields,
) -> Result<HttpResponse, PageError> {
    let (state, account, id) = (caller.state(), caller.scope().id, contact_id(&http)?);
    let sent = submit(state, account, http.path(), &fields, async || {
        let new = read_consent(&fields)?;
        state.conversations.record_consent(account, id, &new).await.map_err(to_form_error)?;
        let page = state.urls.page(format_args!("/dashboard/contacts/{id}"));
        Ok(Done::SeeOther(confirming(&page, Confirmation::ConsentRecorded)))
    });
    match sent.await {
        Ok(response) => Ok(response),
        Err(error) => show_refused_contact(&caller, &http, id, fields, error.into_faults()?).await,
    }
}

/// Lets reminders go out again by a channel that the contact opted out of, on the contact's word.
pub(super) async fn turn_on(
    caller: SessionCaller,
    http: HttpRequest,
    fields: FormFields,
) -> Result<HttpResponse, PageError> {
    let (state, account, id) = (caller.state(), caller.scope().id, contact_id(&http)?);
    let sent = submit(state, account, http.path(), &fields, async || {
        let mut reader = FormReader::new(&fields);
        let channel = reader.text("channel", |text| Channel::parse(text.trim()));
        let word = reader.line("word");
        for (name, is_missing) in [("channel", channel.is_missing()), ("word", word.is_missing())] {
            if is_missing {
                reader.fault(name, "is required");
            }
        }
        let (Field::Value(channel), Field::Value(word)) = (channel, word) else {
            return Err(reader.into_faults().into());
        };
        let opening = state.conversations.end_opt_out(account, id, channel, &word);
        opening.await.map_err(to_form_error)?;
        let page = state.urls.page(format_args!("/dashboard/contacts/{id}"));
        Ok(Done::SeeOther(confirming(&page, Confirmation::AddressOpened)))
    });
    match sent.await {
        Ok(response) => Ok(response),
        Err(error) => show_refused_contact(&caller, &http, id, fields, error.into_faults()?).await,
    }
}

fn read_consent(fields: &FormFields) -> Result<NewConsent, FieldErrors> {
    let mut reader = FormReader::new(fields);
    let channel = reader.text("channel", |text| Channel::parse(text.trim()));
    let how = reader.line("how");
    for (name, is_missing) in [("channel", channel.is_missing()), ("how", how.is_missing())] {
        if is_missing {
            reader.fault(name, "is required");
        }
    }
    match (channel, how) {
        (Field::Value(channel), Field::Value(how)) => Ok(NewConsent {
            channel,
            given: fields.action() != "withdraw",
            how,
            recorded_by: SingleLine::from_stored("owner".to_owned()),
        }),
        _ => Err(reader.into_faults()),
    }
}
