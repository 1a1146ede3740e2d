//! `/dashboard/messages/{id}/answer`: the owner answers a customer's message.

use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use communications::{AnswerError, AnswerText};
use kernel::FieldErrors;
use pages::communications::AnswerPage;
use pages::{Confirmation, Form};

use super::messages::with_contact;
use crate::forms::{Done, FormError, FormFields, PageError, PageResult, submit};
use crate::lasting_form_token::lasting_form_token;
use crate::page::render_with;
use crate::routing::path_id;
use crate::session_caller::SessionCaller;

pub(super) async fn show(caller: SessionCaller, http: HttpRequest) -> PageResult {
    let form = Form::new(lasting_form_token(caller.state(), caller.scope().id, &http)?, Vec::new());
    show_with(&caller, &http, form, StatusCode::OK).await
}

pub(super) async fn send(caller: SessionCaller, http: HttpRequest, fields: FormFields) -> PageResult {
    let (state, account) = (caller.state(), caller.scope().id);
    let work = async || {
        let id = path_id(&http)?;
        let text = AnswerText::parse(&fields.get("text").replace("\r\n", "\n"));
        let text = text.map_err(|fault| FieldErrors::one("text", fault))?;
        state.answers.answer(account, id, &text).await.map_err(to_form_error)?;
        Ok(Done::confirmed(&state.links, super::inbox::PATH, Confirmation::AnswerQueued))
    };
    match submit(state, account, http.path(), &fields, work).await {
        Ok(response) => Ok(response),
        Err(refused) => {
            let form = fields.shown_again(state, account, refused)?;
            show_with(&caller, &http, form, StatusCode::UNPROCESSABLE_ENTITY).await
        }
    }
}

async fn show_with(caller: &SessionCaller, http: &HttpRequest, form: Form, status: StatusCode) -> PageResult {
    let (state, account) = (caller.state(), caller.scope().id);
    let answered = state.answers.answerable(account, path_id(http)?).await;
    let message = answered.map_err(|error| match to_form_error(error).into_faults() {
        Ok(_faults) => PageError::not_found(),
        Err(error) => error,
    })?;
    let one = with_contact(caller, message, form).await?;
    let urls = state.links.clone();
    Ok(render_with(status, http, move || AnswerPage::new(&one, &urls)).await?)
}

fn to_form_error(error: AnswerError) -> FormError {
    match error {
        AnswerError::MessageNotFound => PageError::not_found().into(),
        AnswerError::TooLong(fault) => FieldErrors::one("text", fault).into(),
        AnswerError::CannotBeAnswered
        | AnswerError::CommunicationsOff
        | AnswerError::Closed(_)
        | AnswerError::NoProvider
        | AnswerError::LimitReached => PageError::refused(&error).into(),
        AnswerError::Store(error) => error.into(),
    }
}
