//! `POST /dashboard/invoices/{id}/reminders`: the owner pauses reminders of one invoice.

use actix_web::HttpRequest;
use communications::{PauseError, PausedUntil};
use kernel::FieldErrors;
use pages::Confirmation;

use crate::audit;
use crate::forms::{Done, FormError, FormFields, FormReader, PageError, PageResult, submit};
use crate::invoicing::respond_to_invoice_form;
use crate::routing::path_id;
use crate::session_caller::SessionCaller;

pub(super) async fn send(caller: SessionCaller, http: HttpRequest, fields: FormFields) -> PageResult {
    let (state, account, id) = (caller.state(), caller.scope().id, path_id(&http)?);
    let sent = submit(state, account, http.path(), &fields, async || {
        let until = read(&fields)?;
        let reminders = caller.audited(audit::communications::paused(until)).reminders;
        reminders.pause(account, id, until).await.map_err(to_form_error)?;
        let done =
            if until.is_some() { Confirmation::RemindersPaused } else { Confirmation::RemindersResumed };
        Ok(Done::confirmed(&state.links, format_args!("/dashboard/invoices/{id}"), done))
    });
    let sent = sent.await;
    respond_to_invoice_form(&caller, &http, fields, sent).await
}

/// Until when reminders are paused; `None` resumes them.
fn read(fields: &FormFields) -> Result<Option<PausedUntil>, FieldErrors> {
    match fields.action() {
        "never" => return Ok(Some(PausedUntil::Never)),
        "resume" => return Ok(None),
        _ => {}
    }
    Ok(Some(PausedUntil::Date(FormReader::required_date(fields, "until")?)))
}

fn to_form_error(error: PauseError) -> FormError {
    match error {
        PauseError::NotFound => PageError::not_found().into(),
        PauseError::NotAfterToday => FieldErrors::one("until", "must be after today").into(),
        PauseError::Store(error) => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn button_or_day_says_until_when_reminders_wait() {
        let read = |form: &str| read(&FormFields::parse(form.as_bytes()).unwrap()).map_err(|_faults| ());
        assert_eq!(read("action=never&until="), Ok(Some(PausedUntil::Never)));
        assert_eq!(read("action=resume&until=2026-12-24"), Ok(None));
        let day = PausedUntil::Date(date!(2026 - 12 - 24));
        assert_eq!(read("action=pause&until=2026-12-24"), Ok(Some(day)));
        for faulty in ["", "action=pause&until=", "until=soon"] {
            assert_eq!(read(faulty), Err(()), "{faulty}");
        }
    }
}
