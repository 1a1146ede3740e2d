//! `POST /dashboard/invoices/{id}/payments`.

use actix_web::{HttpRequest, HttpResponse};
use invoices::{NewPayment, PaymentMethod, PaymentRefused, RecordPaymentError, RecordedBy};
use kernel::clock::{NOT_A_DATE, parse_date, parse_instant};
use kernel::{AccountScope, Field, FieldErrors};
use pages::Confirmation;
use time::OffsetDateTime;

use super::audit;
use super::detail::{load, path_id, respond_to_form};
use crate::forms::{Done, FormError, FormFields, FormReader, PageError, submit};
use crate::page::confirming;
use crate::session_caller::SessionCaller;

/// The largest amount has 12 digits before the decimal point; no currency has more than 4 after it.
const MAX_DIGITS: usize = 20;

pub(super) async fn send(
    caller: SessionCaller,
    http: HttpRequest,
    fields: FormFields,
) -> Result<HttpResponse, PageError> {
    let (id, state, scope) = (path_id(&http)?, caller.state(), caller.scope());
    let sent = submit(state, scope.id, http.path(), &fields, async || {
        let new = read(&fields, scope, state.clock.now())?;
        let change = audit::payment_recorded(&load(&caller, &http).await?, &new);
        let recorded = caller.audited(change).invoicing.record_payment(scope.id, id, &new).await;
        recorded.map_err(to_form_error)?;
        Ok(Done::SeeOther(confirming(
            &state.urls.page(format_args!("/dashboard/invoices/{id}")),
            Confirmation::PaymentRecorded,
        )))
    });
    let sent = sent.await;
    respond_to_form(&caller, &http, fields, sent).await
}

fn read(fields: &FormFields, scope: &AccountScope, now: OffsetDateTime) -> Result<NewPayment, FieldErrors> {
    let mut reader = FormReader::new(fields);
    let amount = reader.text("amount", amount);
    let method = reader.text("method", PaymentMethod::parse);
    let received_at = reader.text("received_at", |text| instant(text.trim(), scope, now));
    let reference = reader.line("reference");
    for (name, is_missing) in [("amount", amount.is_missing()), ("method", method.is_missing())] {
        if is_missing {
            reader.fault(name, "is required");
        }
    }
    reader.into_faults().into_result()?;
    let (Field::Value(amount), Field::Value(method)) = (amount, method) else {
        return Err(FieldErrors::one("amount", "is required"));
    };
    Ok(NewPayment {
        amount,
        method,
        reference: reference.value(),
        received_at: received_at.value().flatten(),
        recorded_by: RecordedBy::Dashboard,
    })
}

/// Checks that an amount is written plainly. The use case converts it to the invoice's currency.
fn amount(text: &str) -> Result<String, &'static str> {
    let text = text.trim();
    let is_plain = text.len() <= MAX_DIGITS && !text.contains(['e', 'E']);
    is_plain.then(|| text.to_owned()).ok_or("must be written with digits and a point, such as 100.00")
}

/// A day in the account's time zone, or an instant (RFC 3339). Today counts as the present instant, since the
/// day is not over.
fn instant(
    text: &str,
    scope: &AccountScope,
    now: OffsetDateTime,
) -> Result<Option<OffsetDateTime>, &'static str> {
    if let Some(day) = parse_date(text) {
        let is_today = day == scope.time_zone.date_at(now);
        return Ok((!is_today).then(|| scope.time_zone.start_of(day)));
    }
    parse_instant(text).map(Some).ok_or(NOT_A_DATE)
}

fn to_form_error(error: RecordPaymentError) -> FormError {
    match error {
        RecordPaymentError::NotFound => PageError::not_found().into(),
        RecordPaymentError::Amount(fault) => FieldErrors::one("amount", fault).into(),
        RecordPaymentError::InTheFuture => {
            FieldErrors::one("received_at", "must not be in the future").into()
        }
        RecordPaymentError::Refused(PaymentRefused::NotAboveZero) => {
            FieldErrors::one("amount", "must be above 0").into()
        }
        RecordPaymentError::Refused(PaymentRefused::AboveDue(due)) => {
            FieldErrors::one("amount", format!("must not be above what is due, {due}")).into()
        }
        RecordPaymentError::Refused(_) => PageError::refused(&error).into(),
        RecordPaymentError::Store(error) => error.into(),
    }
}
