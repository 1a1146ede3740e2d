//! Shared by the sign-in pages: reads fields, shows a form again, sets the session of a browser.

use actix_web::http::StatusCode;
use actix_web::http::header::HeaderMap;
use actix_web::{HttpRequest, HttpResponse};
use http_server::ApiError;
use kernel::FieldErrors;
use pages::{Form, SignInPage};
use sessions::{InternalFailure, NewSession, SignInError, SignedIn};

use crate::forms::submit::see_other;
use crate::forms::{FormFields, PageError, PageResult};
use crate::next_page::with_next;
use crate::page::render_with;
use crate::session_caller::switched_off;
use crate::session_cookie;
use crate::state::PagesState;

/// Said of a field that was left empty. Nothing was tried, so it is not counted as a failure.
pub(super) const REQUIRED: &str = "is required";

const SESSION_ENDED: &str = "You were signed out in the meantime. Sign in again.";

/// A password as it was sent, including white space around it.
pub(super) fn password(fields: &FormFields) -> &str {
    fields.find("password").unwrap_or_default()
}

/// Shows a form again with its faults.
pub(super) async fn refuse(
    http: &HttpRequest,
    fields: FormFields,
    faults: FieldErrors,
    page: impl FnOnce(&Form) -> SignInPage + Send + 'static,
) -> PageResult {
    let form = Form::refused(String::new(), fields.into_values(), faults);
    Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, http, move || page(&form)).await?)
}

/// Sets the browser's session cookie, and redirects to the requested page or to the form for the code.
pub(super) fn signed_in(state: &PagesState, signed_in: &SignedIn, next: &str) -> HttpResponse {
    match signed_in {
        SignedIn::Done(new) => with_cookie(see_other(&state.links.page(next)), new, state),
        SignedIn::CodeNeeded(new) => {
            with_cookie(see_other(&with_next(&state.links, "/login/code", next)), new, state)
        }
    }
}

/// Adds the cookie of a session to a response.
pub(crate) fn with_cookie(mut response: HttpResponse, new: &NewSession, state: &PagesState) -> HttpResponse {
    let (name, value) = session_cookie::set(&new.token, &state.public_urls);
    response.headers_mut().append(name, value);
    response
}

/// Ends the session that a browser had before it gets another one.
pub(super) async fn end_presented(state: &PagesState, headers: &HeaderMap) -> Result<(), PageError> {
    if let Some(token) = session_cookie::presented(headers, &state.public_urls) {
        state.sessions.end(&token).await?;
    }
    Ok(())
}

/// The page for a failed sign-in, for all reasons other than a wrong password or code.
pub(super) fn to_page_error(error: SignInError) -> PageError {
    match error {
        SignInError::Wait(wait) => ApiError::too_many_attempts(wait.seconds()).into(),
        SignInError::AccountDisabled(by) => switched_off(by),
        SignInError::Failure(failure) => failed(failure),
        SignInError::Wrong => PageError::not_found(),
    }
}

/// The page for a failure that is no fault of a field.
pub(crate) fn failed(failure: InternalFailure) -> PageError {
    match failure {
        InternalFailure::Store(error) => error.into(),
        InternalFailure::NoLogin => PageError::not_found(),
        InternalFailure::SessionEnded => PageError::conflict(SESSION_ENDED),
        InternalFailure::Hash(_) | InternalFailure::Unsealable(_) => ApiError::internal(failure).into(),
    }
}
