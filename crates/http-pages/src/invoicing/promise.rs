//! `POST /dashboard/invoices/{id}/promise`: the owner enters the day by which the customer will pay.
//!
//! It replaces a promise that the customer made, and the customer cannot change it.

use actix_web::HttpRequest;
use invoices::{NewPromise, PromiseError, PromisePeriod, PromisedBy};
use kernel::FieldErrors;
use pages::Confirmation;

use super::detail::respond_to_form;
use crate::forms::{Done, FormError, FormFields, FormReader, PageError, PageResult, submit};
use crate::routing::path_id;
use crate::session_caller::SessionCaller;

pub(super) async fn send(caller: SessionCaller, http: HttpRequest, fields: FormFields) -> PageResult {
    let (id, state, scope) = (path_id(&http)?, caller.state(), caller.scope());
    let sent = submit(state, scope.id, http.path(), &fields, async || {
        let new = NewPromise {
            date: FormReader::required_date(&fields, "promise_date")?,
            made_by: PromisedBy::Owner,
            time_zone: scope.time_zone.clone(),
            most_days: PromisePeriod::MAX_DAYS,
        };
        state.invoicing.promise_to_pay(scope.id, id, &new).await.map_err(to_form_error)?;
        Ok(Done::confirmed(&state.links, format_args!("/dashboard/invoices/{id}"), Confirmation::Saved))
    });
    let sent = sent.await;
    respond_to_form(&caller, &http, fields, sent).await
}

fn to_form_error(error: PromiseError) -> FormError {
    match error {
        PromiseError::Date(_) => FieldErrors::one("promise_date", error).into(),
        PromiseError::NotFound => PageError::not_found().into(),
        PromiseError::NotPayable(_) | PromiseError::Final(_) => PageError::refused(&error).into(),
        PromiseError::Store(error) => error.into(),
    }
}
