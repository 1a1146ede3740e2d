//! `/sandbox/checkout/{id}`: the checkout of the sandbox.

use std::io;
use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::web::{Bytes, Data};
use actix_web::{HttpRequest, HttpResponse};
use futures_util::stream;
use kernel::{Named as _, UnknownName};
use pages::texts::ENGLISH;
use pages::{Form, SandboxPage, local};
use payments::{SandboxActed, SandboxAction, SandboxCheckouts, SandboxShown};

use crate::forms::submit::new_form_token;
use crate::forms::{Done, FormFields, PageError, PageResult, submit};
use crate::page::{render, render_with};
use crate::routing::{self, Routes};
use crate::state::PagesState;

pub(crate) fn configure(routes: &mut Routes<'_>) {
    routes.service(routing::sandbox_page("/sandbox/checkout/{id}", show, send));
}

/// The checkout in the path. Not found for an account with a live gateway.
async fn find(
    http: &HttpRequest,
    state: &PagesState,
) -> Result<(Arc<dyn SandboxCheckouts>, SandboxShown), PageError> {
    let sandbox = state.sandbox.clone().ok_or_else(PageError::not_found)?;
    let id = http.match_info().get("id").unwrap_or_default();
    let shown = sandbox.find(id).await?.ok_or_else(PageError::not_found)?;
    if state.online.has_live_gateway(shown.account).await? {
        return Err(PageError::not_found());
    }
    let return_url = local(&state.public_urls, &shown.return_url).to_owned();
    Ok((sandbox, SandboxShown { return_url, ..shown }))
}

async fn show(http: HttpRequest, state: Data<PagesState>) -> PageResult {
    let (_, shown) = find(&http, &state).await?;
    let (form, urls) = (Form::new(new_form_token(&state, shown.account), Vec::new()), state.links.clone());
    Ok(render(&http, move || SandboxPage::new(&shown, &form, &urls)).await?)
}

async fn send(http: HttpRequest, state: Data<PagesState>, form: FormFields) -> PageResult {
    let (sandbox, shown) = find(&http, &state).await?;
    let id = http.match_info().get("id").unwrap_or_default();
    let work = async || {
        let unknown = |fault: UnknownName| kernel::FieldErrors::one("action", fault);
        let action = SandboxAction::parse(form.action()).map_err(unknown)?;
        let acted = sandbox.act(id, action).await?.ok_or_else(PageError::not_found)?;
        match acted {
            SandboxActed::GoTo(url) => Ok(Done::SeeOther(local(&state.public_urls, &url).to_owned())),
            SandboxActed::CloseWithoutResponse => {
                Ok(Done::Lost(closing_response(), state.links.page(http.path())))
            }
            SandboxActed::Closed => {
                let texts = &ENGLISH.payer;
                let closed = PageError::conflict(texts.sandbox_closed);
                Err(closed.with_link(shown.return_url.clone(), texts.sandbox_back).into())
            }
        }
    };
    match submit(&state, shown.account, http.path(), &form, work).await {
        Ok(response) => Ok(response),
        Err(refused) => {
            let form = form.shown_again(&state, shown.account, refused)?;
            let urls = state.links.clone();
            let page = move || SandboxPage::new(&shown, &form, &urls);
            Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &http, page).await?)
        }
    }
}

/// A response whose body fails: the connection is closed, and the browser learns nothing.
fn closing_response() -> HttpResponse {
    let lost = io::Error::other("the answer is lost, as the visitor asked for");
    let body = stream::iter([Err::<Bytes, io::Error>(lost)]);
    HttpResponse::build(StatusCode::OK).streaming(body)
}
