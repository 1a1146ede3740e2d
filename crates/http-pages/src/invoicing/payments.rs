//! `POST /dashboard/invoices/{id}/payments`.

use actix_web::HttpRequest;
use invoices::figures::money_text;
use invoices::{Invoice, NewPayment, PaymentMethod, PaymentRefused, RecordPaymentError, RecordedBy};
use kernel::clock::{NOT_A_DATE, parse_date, parse_instant};
use kernel::{AccountScope, Currency, Field, FieldErrors, FieldSource as _, Money, Named as _};
use pages::Confirmation;
use time::OffsetDateTime;

use super::detail::{load, respond_to_form};
use crate::audit;
use crate::forms::submit::{acted, id_response, key};
use crate::forms::{
    Done, FormError, FormFields, FormReader, PageError, PageResult, submit, without_separators,
};
use crate::routing::path_id;
use crate::session_caller::SessionCaller;

const IN_THE_FUTURE: &str = "must not be in the future";

pub(super) async fn send(caller: SessionCaller, http: HttpRequest, fields: FormFields) -> PageResult {
    let (id, state, scope) = (path_id(&http)?, caller.state(), caller.scope());
    let sent = submit(state, scope.id, http.path(), &fields, async || {
        let invoice = load(&caller, &http).await?;
        let new = read(&fields, scope, state.clock.now(), &invoice)?;
        let invoicing = caller.audited(audit::invoices::payment_recorded()).invoicing;
        let present = |invoice: &Invoice| id_response(&invoice.id);
        let recorded = invoicing.record_payment_once(scope.id, id, &new, key(&fields)?, &present).await;
        acted(recorded.map_err(to_form_error)?)?;
        Ok(Done::confirmed(
            &state.links,
            format_args!("/dashboard/invoices/{id}"),
            Confirmation::PaymentRecorded,
        ))
    });
    let sent = sent.await;
    respond_to_form(&caller, &http, fields, sent).await
}

/// Reads the form. If it is faulty, every fault is named, also that of an amount which the use case would
/// refuse. A form without faults is judged by the use case alone, on the locked invoice: of a form that was
/// carried out before, only it knows the result.
fn read(
    fields: &FormFields,
    scope: &AccountScope,
    now: OffsetDateTime,
    invoice: &Invoice,
) -> Result<NewPayment, FieldErrors> {
    let mut reader = FormReader::new(fields);
    // A form without it was not opened before it was sent, and is accepted.
    let currency = reader.text("currency", Currency::parse);
    let amount = reader.text("amount", |text| amount(text, invoice.currency));
    let method = reader.text("method", PaymentMethod::parse);
    let received_at = reader.text("received_at", |text| instant(text.trim(), scope, now));
    let reference = reader.line("reference");
    reader.require([("amount", amount.is_missing()), ("method", method.is_missing())]);
    let mut faults = reader.into_faults();
    if let (false, Field::Value((_, amount))) = (faults.is_empty(), &amount)
        && let Some(fault) = invoice.check_payment(*amount).err().and_then(amount_fault)
    {
        faults.add("amount", fault);
    }
    faults.into_result()?;
    let (Field::Value((amount, _)), Field::Value(method)) = (amount, method) else {
        return Err(FieldErrors::one("amount", "is required"));
    };
    Ok(NewPayment {
        amount,
        currency: currency.value(),
        method,
        reference: reference.value(),
        received_at: received_at.value().flatten(),
        recorded_by: RecordedBy::Dashboard,
    })
}

/// An amount as it was entered, and its value.
fn amount(text: &str, currency: Currency) -> Result<(String, Money), String> {
    let text = without_separators(text, currency.decimals())?;
    let amount = Money::entered(&text, currency).map_err(|fault| fault.to_string())?;
    Ok((text, amount))
}

/// The fault of the amount, if the payment was refused for that. That an invoice takes no payment is none.
fn amount_fault(refused: PaymentRefused) -> Option<String> {
    match refused {
        PaymentRefused::NotAboveZero => Some("must be above 0".to_owned()),
        PaymentRefused::AboveDue(due) => Some(format!("must not be above what is due, {}", money_text(due))),
        PaymentRefused::OtherCurrency(currency) => {
            Some(format!("must be in {currency}, which is now the currency of the invoice"))
        }
        PaymentRefused::NotPayable(_) => None,
    }
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
        return match scope.time_zone.start_of(day) {
            _ if is_today => Ok(None),
            start => not_after(now, start),
        };
    }
    not_after(now, parse_instant(text).ok_or(NOT_A_DATE)?)
}

fn not_after(now: OffsetDateTime, instant: OffsetDateTime) -> Result<Option<OffsetDateTime>, &'static str> {
    if instant > now { Err(IN_THE_FUTURE) } else { Ok(Some(instant)) }
}

fn to_form_error(error: RecordPaymentError) -> FormError {
    match error {
        RecordPaymentError::NotFound => PageError::not_found().into(),
        RecordPaymentError::Amount(fault) => FieldErrors::one("amount", fault).into(),
        RecordPaymentError::InTheFuture => FieldErrors::one("received_at", IN_THE_FUTURE).into(),
        RecordPaymentError::Refused(refused) => match amount_fault(refused) {
            Some(fault) => FieldErrors::one("amount", fault).into(),
            None => PageError::refused(&refused).into(),
        },
        RecordPaymentError::Store(error) => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amount_is_taken_as_pages_show_it_in_its_currency() {
        let entered = |text: &str, code: &str| {
            let amount = amount(text, Currency::parse(code).unwrap());
            amount.map(|(text, _)| text).unwrap_or_else(|fault| fault)
        };
        assert_eq!(entered("4,952", "JPY"), "4952");
        assert_eq!(entered("4,952.00", "AUD"), "4952.00");
        assert_eq!(entered("4,952.00", "JPY"), "must have at most 0 decimals");
        assert!(entered("4,952", "AUD").contains("such as 1250.50"));
    }
}
