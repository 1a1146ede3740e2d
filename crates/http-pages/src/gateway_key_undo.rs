//! `/gateway-keys/{token}/undo`: the owner undoes a change of a gateway's key with a link from the mail about
//! it.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use http_server::{ErrorCode, ServerState, client_address};
use pages::BankDetailsUndoPage;
use pages::texts::ENGLISH;
use payments::{UndoKeyError, UndoToken, UndoableKey};
use sessions::{Actor, AuditedChange};

use crate::bank_details_undo::time_zone;
use crate::forms::submit::new_form_token;
use crate::forms::{Done, FormFields, PageError, submit};
use crate::page::render;
use crate::payer_request::{state, unknown_token};
use crate::routing::{self, Routes};
use crate::state::PagesState;

/// The query parameter that is set once the change was undone.
const UNDONE: &str = "undone";

pub(crate) fn configure(routes: &mut Routes<'_>) {
    routes.service(routing::form_page("/gateway-keys/{token}/undo", show, send));
}

async fn show(http: HttpRequest, pages: Data<PagesState>) -> Result<HttpResponse, PageError> {
    let token = token(&http, &pages).await?;
    let query = FormFields::of_query(&http)?;
    let urls = pages.urls.clone();
    match pages.online.undoable_key(&token).await {
        Ok(UndoableKey { gateway, waits_until, .. }) => {
            let (zone, form_token) = (time_zone(&pages, gateway.account).await?, new_form_token(&pages));
            let page =
                move || BankDetailsUndoPage::of_key(gateway.kind, waits_until, &zone, form_token, &urls);
            Ok(render(&http, page).await?)
        }
        Err(UndoKeyError::Undone) if !query.get(UNDONE).is_empty() => {
            Ok(render(&http, move || BankDetailsUndoPage::key_undone(&urls)).await?)
        }
        Err(error) => Err(to_page_error(error, &http, &pages).await),
    }
}

async fn send(
    http: HttpRequest,
    pages: Data<PagesState>,
    form: FormFields,
) -> Result<HttpResponse, PageError> {
    let token = token(&http, &pages).await?;
    // The form is claimed for the account only once the token is known to belong to it. A used token may come
    // from a repeated form, whose sender is shown the result.
    match pages.online.undoable_key(&token).await {
        Ok(_) | Err(UndoKeyError::Undone) => {}
        Err(error) => return Err(to_page_error(error, &http, &pages).await),
    }
    let undone = format!("{}?{UNDONE}=1", pages.urls.gateway_key_undo(token.reveal()));
    let work = async || {
        let gateway = match pages.online.undoable_key(&token).await {
            Ok(undoable) => undoable.gateway,
            Err(error) => return Err(to_page_error(error, &http, &pages).await.into()),
        };
        let owner = pages.logins.store.login(gateway.account).await?.ok_or_else(PageError::not_found)?;
        let change = AuditedChange::of("gateway.undone").from(gateway.kind.as_str());
        let address = client_address(&http, state::<ServerState>(&http)?.transport);
        let actor = Actor::Owner(owner.login.email);
        let audit = pages.audit.entry(gateway.account, &actor, Some(address), change);
        match (pages.audited)(&pages, audit).online.undo_key(&token).await {
            Ok(_undone) => Ok(Done::SeeOther(undone)),
            Err(error) => Err(to_page_error(error, &http, &pages).await.into()),
        }
    };
    Ok(submit(&pages, token.account(), http.path(), &form, work).await?)
}

async fn token(http: &HttpRequest, pages: &PagesState) -> Result<UndoToken, PageError> {
    match UndoToken::parse(http.match_info().get("token").unwrap_or_default()) {
        Ok(token) => Ok(token),
        Err(_malformed) => Err(to_page_error(UndoKeyError::NotFound, http, pages).await),
    }
}

async fn to_page_error(error: UndoKeyError, http: &HttpRequest, pages: &PagesState) -> PageError {
    match error {
        UndoKeyError::NotFound => unknown_token(pages, http).await.into(),
        UndoKeyError::Undone | UndoKeyError::Expired => {
            PageError::new(ErrorCode::Gone, ENGLISH.payer.undo_gone)
        }
        UndoKeyError::Store(error) => error.into(),
    }
}
