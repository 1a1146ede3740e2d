//! `/bank-details/{token}/undo`: the owner undoes a change of bank details with a link from the mail about
//! it.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use http_server::{ErrorCode, ServerState, client_address};
use kernel::{AccountId, TimeZone};
use pages::BankDetailsUndoPage;
use pages::texts::ENGLISH;
use payments::{UndoError, UndoToken};
use sessions::{Actor, AuditedChange};

use crate::account::own_account_error;
use crate::forms::submit::new_form_token;
use crate::forms::{Done, FormFields, PageError, submit};
use crate::page::render;
use crate::payer_request::{state, unknown_token};
use crate::payment_settings::audited;
use crate::routing::{self, Routes};
use crate::state::PagesState;

/// The query parameter that is set once the change was undone.
const UNDONE: &str = "undone";

pub(crate) fn configure(routes: &mut Routes<'_>) {
    routes.service(routing::form_page("/bank-details/{token}/undo", show, send));
}

async fn show(http: HttpRequest, pages: Data<PagesState>) -> Result<HttpResponse, PageError> {
    let token = token(&http, &pages).await?;
    let query = FormFields::of_query(&http)?;
    let urls = pages.urls.clone();
    match pages.bank_details.undoable(&token).await {
        Ok(entry) => {
            let (zone, form_token) = (time_zone(&pages, entry.account).await?, new_form_token(&pages));
            Ok(render(&http, move || BankDetailsUndoPage::new(&entry, &zone, form_token, &urls)).await?)
        }
        Err(UndoError::Withdrawn) if !query.get(UNDONE).is_empty() => {
            Ok(render(&http, move || BankDetailsUndoPage::undone(&urls)).await?)
        }
        Err(error) => Err(to_page_error(error, &http, &pages).await),
    }
}

/// The time zone of an account whose owner may be signed out.
pub(crate) async fn time_zone(pages: &PagesState, account: AccountId) -> Result<TimeZone, PageError> {
    let found = pages.own_accounts.get(account).await.map_err(own_account_error)?;
    Ok(found.profile.time_zone)
}

async fn send(
    http: HttpRequest,
    pages: Data<PagesState>,
    form: FormFields,
) -> Result<HttpResponse, PageError> {
    let token = token(&http, &pages).await?;
    // The form is claimed for the account only once the token is known to belong to it. A used token may come
    // from a repeated form, whose sender is shown the result.
    match pages.bank_details.undoable(&token).await {
        Ok(_) | Err(UndoError::Withdrawn) => {}
        Err(error) => return Err(to_page_error(error, &http, &pages).await),
    }
    let undone = format!("{}?{UNDONE}=1", pages.urls.bank_details_undo(token.reveal()));
    let work = async || {
        let entry = match pages.bank_details.undoable(&token).await {
            Ok(entry) => entry,
            Err(error) => return Err(to_page_error(error, &http, &pages).await.into()),
        };
        let owner = pages.logins.store.login(entry.account).await?.ok_or_else(PageError::not_found)?;
        let undone_details = audited(entry.currency, &entry.fields());
        let change = AuditedChange::of("bank_details.undone").from(undone_details);
        let address = client_address(&http, state::<ServerState>(&http)?.transport);
        let actor = Actor::Owner(owner.login.email);
        let audit = pages.audit.entry(entry.account, &actor, Some(address), change);
        match (pages.audited)(&pages, audit).bank_details.undo(&token).await {
            Ok(_undone) => Ok(Done::SeeOther(undone)),
            Err(error) => Err(to_page_error(error, &http, &pages).await.into()),
        }
    };
    Ok(submit(&pages, token.account(), http.path(), &form, work).await?)
}

async fn token(http: &HttpRequest, pages: &PagesState) -> Result<UndoToken, PageError> {
    match UndoToken::parse(http.match_info().get("token").unwrap_or_default()) {
        Ok(token) => Ok(token),
        Err(_malformed) => Err(to_page_error(UndoError::NotFound, http, pages).await),
    }
}

async fn to_page_error(error: UndoError, http: &HttpRequest, pages: &PagesState) -> PageError {
    match error {
        UndoError::NotFound => unknown_token(pages, http).await.into(),
        UndoError::Withdrawn | UndoError::Expired => PageError::new(ErrorCode::Gone, ENGLISH.payer.undo_gone),
        UndoError::Store(error) => error.into(),
    }
}
