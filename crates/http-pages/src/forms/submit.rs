//! Carries out each submitted form once.

use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::LOCATION;
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use http_server::ApiError;
use idempotency::{
    Fingerprint, FormToken, FormTokenError, IdempotencyKey, IdempotentOperation, IdempotentOutcome,
    StoredResponse, Submission, SubmissionClaim, Submissions, Ticket,
};
use kernel::{AccountId, Clock, FieldErrors, StoreError, Version};
use pages::Form;
use tokio::time::Instant;

use super::fields::FormFields;
use super::page_error::PageError;
use crate::state::PagesState;

/// The name of the hidden field with the token of a form.
pub(crate) const FORM_TOKEN: &str = "once";

/// For how long a form that another request is carrying out is polled: the sender of a second click is shown
/// the result of the first. Longer than a call of a gateway, and short enough for the shutdown to wait for.
const MAX_WAIT: Duration = Duration::from_secs(16);
/// After a longer wait the work of a form is not begun: with a call of a gateway, it might not end before the
/// shutdown does.
const MAX_WAIT_BEFORE_WORK: Duration = Duration::from_secs(4);
/// The first pause between two polls. Each next pause is twice as long, up to [`MAX_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const MAX_PAUSE: Duration = Duration::from_secs(1);

/// The recorded result of a form whose page showed a secret.
const SHOWN_ONCE: &str = "shown";

const STALE: &str = "This page is too old, or the form was not sent from it. Open the page again and send the \
                     form from there.";
const OTHER_ACCOUNT: &str = "This form is from a page of another account, or from before an update of this service. \
                             It was not carried out now. Open the page again, and check there before you send it \
                             once more.";
const SHOWN_ALREADY: &str = "This was shown already and cannot be shown again. Create a new one if you no longer \
                             have it.";
const NOT_FINISHED: &str = "This form was already sent, but its result is not known. Open the page again and \
                            check before you send it once more.";
const FIRST_FAILED: &str = "This form was sent twice, and the first one failed. Open the page again and check before you \
                            send it once more.";
const SENT_BEFORE: &str = "This form was already sent, with other contents or before an update of this service. It \
                           was not carried out again. Open the form from its link, not with the Back button, and \
                           check there what the first one did before you send it once more.";

/// The result of a form.
pub(crate) enum Done {
    /// The browser is redirected to this URL; a repeat is redirected too.
    SeeOther(String),
    /// The response contains a secret; a repeat is told that it was already shown.
    ShownOnce(HttpResponse),
    /// The response is lost on purpose; a repeat is redirected to this URL. Browsers repeat a form by
    /// themselves when a connection that was open before breaks (RFC 9110, section 9.2.2).
    Lost(HttpResponse, String),
}

/// The version that a form carries of what its page showed. A form without one was not opened before it was
/// sent, and is accepted.
pub(crate) fn sent_version(form: &FormFields) -> Option<Version> {
    let sent = form.get("version");
    (!sent.is_empty()).then(|| Version::from_text(sent))
}

/// Why a form was not carried out; nothing was changed.
#[derive(Debug)]
pub(crate) enum FormError {
    /// Fields are faulty: the form is shown again.
    Faults(FieldErrors),
    /// Any other error, shown as a page.
    Page(PageError),
}

impl From<PageError> for FormError {
    fn from(error: PageError) -> Self {
        Self::Page(error)
    }
}

impl From<ApiError> for FormError {
    fn from(error: ApiError) -> Self {
        Self::Page(error.into())
    }
}

impl From<StoreError> for FormError {
    fn from(error: StoreError) -> Self {
        Self::Page(error.into())
    }
}

impl From<FieldErrors> for FormError {
    fn from(faults: FieldErrors) -> Self {
        Self::Faults(faults)
    }
}

/// The ticket under which the use case of a form acts once. A submission can be carried out a second time if
/// the first one's COMMIT was not answered: it is released as failed.
///
/// # Errors
/// A conflict when the form token is missing.
pub(crate) fn ticket(
    state: &PagesState,
    operation: IdempotentOperation,
    path: &str,
    form: &FormFields,
) -> Result<Ticket, PageError> {
    Ok(Ticket { operation, key: key(form)?, fingerprint: fingerprint(state, path, form) })
}

/// The form token as an idempotency key.
///
/// # Errors
/// As [`ticket`].
pub(crate) fn key(form: &FormFields) -> Result<IdempotencyKey, PageError> {
    IdempotencyKey::parse(form.get(FORM_TOKEN)).map_err(|_fault| PageError::conflict(STALE))
}

/// The response that is stored for a form: the id of what it made or changed.
pub(crate) fn id_response(id: &impl ToString) -> StoredResponse {
    let body = serde_json::Value::from(id.to_string()).to_string().into_bytes();
    StoredResponse { status: StatusCode::OK.as_u16(), body }
}

/// The response that a use case stored for a form, now or before.
///
/// # Errors
/// A conflict when the form was sent before with other content, or is being carried out.
pub(crate) fn acted(outcome: IdempotentOutcome) -> Result<StoredResponse, PageError> {
    match outcome {
        IdempotentOutcome::Fresh(response) | IdempotentOutcome::Replayed(response) => Ok(response),
        IdempotentOutcome::KeyReused(_) => Err(PageError::conflict(SENT_BEFORE)),
        IdempotentOutcome::InFlight => Err(PageError::conflict(NOT_FINISHED)),
    }
}

/// Carries out the work of a form, unless the form was sent before; then the sender is shown the recorded
/// result.
///
/// `path` is the path of the form. If the work is refused, the form can be sent again.
///
/// # Errors
/// Those of the work; a conflict when the form token is missing, too old, or was sent before with other
/// content.
pub(crate) async fn submit(
    state: &PagesState,
    account: AccountId,
    path: &str,
    form: &FormFields,
    work: impl AsyncFnOnce() -> Result<Done, FormError>,
) -> Result<HttpResponse, FormError> {
    submit_boxed(state, account, path, form, work().boxed_local()).await
}

/// [`submit`] without its type parameters, so that it is compiled once.
async fn submit_boxed(
    state: &PagesState,
    account: AccountId,
    path: &str,
    form: &FormFields,
    work: LocalBoxFuture<'_, Result<Done, FormError>>,
) -> Result<HttpResponse, FormError> {
    let now = state.clock.now();
    let token = FormToken::parse(form.get(FORM_TOKEN), now, account).map_err(refused_token)?;
    let submission = Submission { account, token, fingerprint: fingerprint(state, path, form) };
    if let Some(result) = claim(&*state.submissions, &submission, &*state.clock).await? {
        return match result.as_str() {
            SHOWN_ONCE => Err(PageError::conflict(SHOWN_ALREADY).into()),
            location => Ok(see_other(location)),
        };
    }
    match work.await {
        Ok(Done::SeeOther(location)) => {
            finish(state, &submission, &location).await;
            Ok(see_other(&location))
        }
        Ok(Done::ShownOnce(page)) => {
            finish(state, &submission, SHOWN_ONCE).await;
            Ok(page)
        }
        Ok(Done::Lost(lost, location)) => {
            finish(state, &submission, &location).await;
            Ok(lost)
        }
        Err(refused) => {
            release(&*state.submissions, &submission).await;
            Err(refused)
        }
    }
}

/// Claims a submission. `Some` is the recorded result of a submission that was carried out before.
async fn claim(
    submissions: &dyn Submissions,
    submission: &Submission,
    clock: &dyn Clock,
) -> Result<Option<String>, PageError> {
    let (begun, mut pause, mut is_second) = (Instant::now(), FIRST_PAUSE, false);
    loop {
        match submissions.begin(submission, clock.now()).await {
            Ok(SubmissionClaim::Fresh) if begun.elapsed() > MAX_WAIT_BEFORE_WORK => {
                release(submissions, submission).await;
                return Err(if is_second { PageError::conflict(FIRST_FAILED) } else { locked() });
            }
            Ok(SubmissionClaim::Fresh) => return Ok(None),
            Ok(SubmissionClaim::Finished(result)) => return Ok(Some(result)),
            Ok(SubmissionClaim::OtherContent) => return Err(PageError::conflict(SENT_BEFORE)),
            Ok(SubmissionClaim::Unfinished) => is_second = true,
            Err(StoreError::Contended(_)) => {}
            Err(error) => return Err(error.into()),
        }
        if begun.elapsed() >= MAX_WAIT {
            return Err(if is_second { PageError::conflict(NOT_FINISHED) } else { locked() });
        }
        tokio::time::sleep(pause).await;
        pause = pause.saturating_mul(2).min(MAX_PAUSE);
    }
}

/// The store was locked for too long.
fn locked() -> PageError {
    StoreError::contended("a form waited too long").into()
}

/// Releases a submission whose work was refused, so that the form can be sent again.
async fn release(submissions: &dyn Submissions, submission: &Submission) {
    if let Err(error) = submissions.release(submission).await {
        tracing::warn!(error = %error, "a refused form could not be released");
    }
}

/// Records the result. The work is done, so a failure to record it is only logged, and the sender is still
/// shown the result.
async fn finish(state: &PagesState, submission: &Submission, result: &str) {
    if let Err(error) = state.submissions.finish(submission, result).await {
        tracing::warn!(error = %error, "the result of a form could not be recorded");
    }
}

fn fingerprint(state: &PagesState, path: &str, form: &FormFields) -> Fingerprint {
    let mut content = form_urlencoded::Serializer::new(format!("{path}?"));
    content.extend_pairs(form.iter());
    state.form_key.fingerprint(content.finish().as_bytes())
}

/// Redirects the browser to a GET (RFC 9110, section 15.4.4).
pub(crate) fn see_other(location: &str) -> HttpResponse {
    HttpResponse::build(StatusCode::SEE_OTHER).insert_header((LOCATION, location)).finish()
}

fn refused_token(error: FormTokenError) -> PageError {
    PageError::conflict(match error {
        FormTokenError::Stale => STALE,
        FormTokenError::OtherAccount => OTHER_ACCOUNT,
    })
}

/// A new token for a form that acts on an account.
pub(crate) fn new_form_token(state: &PagesState, account: AccountId) -> String {
    FormToken::new(&*state.ids, state.clock.now(), account).uuid().to_string()
}

/// The token of a form that is shown again: the one that was sent, if it is still valid.
///
/// # Errors
/// A conflict when the form was sent from a page of another account: its content is not that of this one.
pub(crate) fn kept_form_token(
    state: &PagesState,
    account: AccountId,
    form: &FormFields,
) -> Result<String, PageError> {
    let sent = form.get(FORM_TOKEN);
    match FormToken::parse(sent, state.clock.now(), account) {
        Ok(_valid) => Ok(sent.to_owned()),
        Err(FormTokenError::Stale) => Ok(new_form_token(state, account)),
        Err(other @ FormTokenError::OtherAccount) => Err(refused_token(other)),
    }
}

impl FormError {
    /// The faults of the fields, for showing the form again.
    ///
    /// # Errors
    /// Any other error.
    pub(crate) fn into_faults(self) -> Result<FieldErrors, PageError> {
        match self {
            Self::Faults(faults) => Ok(faults),
            Self::Page(error) => Err(error),
        }
    }
}

impl FormFields {
    /// The form of a page that shows these fields again with their faults.
    ///
    /// # Errors
    /// Any other error than faults of fields.
    pub(crate) fn shown_again(
        self,
        state: &PagesState,
        account: AccountId,
        error: FormError,
    ) -> Result<Form, PageError> {
        let faults = error.into_faults()?;
        Ok(Form::refused(kept_form_token(state, account, &self)?, self.into_values(), faults))
    }
}

impl From<FormError> for PageError {
    /// For forms whose fields are faulty only after tampering.
    fn from(error: FormError) -> Self {
        match error {
            FormError::Faults(faults) => ApiError::invalid(faults).into(),
            FormError::Page(error) => error,
        }
    }
}

#[cfg(test)]
mod tests;
