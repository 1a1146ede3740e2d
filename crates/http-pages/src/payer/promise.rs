//! `/pay/{token}/promise`: the payer promises to pay by a day.

use actix_web::http::StatusCode;
use invoices::{InvoiceForPayer, NewPromise, PromiseError, PromisePeriod, PromisedBy};
use kernel::FieldErrors;
use pages::texts::ENGLISH;
use pages::{Form, PromisePage};

use super::request::PayerRequest;
use crate::forms::submit::new_form_token;
use crate::forms::{Done, FormError, FormFields, FormReader, PageError, PageResult, submit};
use crate::page::{render, render_with};
use crate::routing::{self, Routes};

pub(super) fn configure(routes: &mut Routes<'_>) {
    routes.service(routing::form_page("/pay/{token}/promise", show, send));
}

async fn show(request: PayerRequest) -> PageResult {
    let shown = request.invoice().await?;
    check_offered(&shown)?;
    let form = Form::new(new_form_token(&request.state, request.account()), Vec::new());
    let (urls, period) = (request.state.links.clone(), period(&request, &shown));
    Ok(render(&request.http, move || PromisePage::new(&shown, &form, period, &urls)).await?)
}

async fn send(request: PayerRequest, form: FormFields) -> PageResult {
    let shown = request.invoice_of_form().await?;
    check_offered(&shown)?;
    let state = &request.state;
    let work = async || {
        let new = NewPromise {
            date: FormReader::required_date(&form, "date")?,
            made_by: PromisedBy::Payer,
            time_zone: shown.time_zone.clone(),
            most_days: shown.promise_days,
        };
        let made = state.invoicing.promise_to_pay(request.account(), shown.invoice.id, &new).await;
        made.map_err(to_form_error)?;
        Ok(Done::SeeOther(state.links.payment_page(request.token.reveal())))
    };
    match submit(state, request.account(), request.http.path(), &form, work).await {
        Ok(response) => Ok(response),
        Err(refused) => {
            let form = form.shown_again(state, request.account(), refused)?;
            let (urls, period) = (state.links.clone(), period(&request, &shown));
            let page = move || PromisePage::new(&shown, &form, period, &urls);
            Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &request.http, page).await?)
        }
    }
}

fn check_offered(shown: &InvoiceForPayer) -> Result<(), PageError> {
    if shown.offers().payment { Ok(()) } else { Err(PageError::conflict(ENGLISH.payer.promise_not_offered)) }
}

fn period(request: &PayerRequest, shown: &InvoiceForPayer) -> PromisePeriod {
    PromisePeriod::from(request.today(shown), shown.promise_days)
}

fn to_form_error(error: PromiseError) -> FormError {
    match error {
        PromiseError::Date(_) => FieldErrors::one("date", error).into(),
        PromiseError::Final(_) => PageError::conflict(ENGLISH.payer.promise_final).into(),
        PromiseError::NotFound | PromiseError::NotPayable(_) => {
            PageError::conflict(ENGLISH.payer.promise_not_offered).into()
        }
        PromiseError::Store(error) => error.into(),
    }
}
