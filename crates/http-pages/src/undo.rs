//! The owner undoes a change with the link from the mail about it, also when signed out.

mod bank_details;
mod gateway_key;
mod link;

use actix_web::HttpRequest;
use actix_web::web::Data;
use http_server::{ErrorCode, RequestContext, ServerState, client_address};
use kernel::AccountToken;
use pages::Undoing;
use pages::texts::ENGLISH;
use partner_accounts::Profile;
use payments::UndoError;
use sessions::Actor;

use self::bank_details::BankDetailsLink;
use self::gateway_key::GatewayKeyLink;
use self::link::UndoLink;
use crate::account::own_account_error;
use crate::forms::submit::new_form_token;
use crate::forms::{Done, FormFields, PageError, PageResult, submit};
use crate::page::render;
use crate::payer::request::{state, unknown_token};
use crate::payment_settings;
use crate::routing::{self, Routes};
use crate::state::PagesState;

/// The query parameter that is set once the change was undone.
const UNDONE: &str = "undone";

pub(crate) fn configure(routes: &mut Routes<'_>) {
    routes
        .service(routing::form_page(BankDetailsLink::PATH, show::<BankDetailsLink>, send::<BankDetailsLink>))
        .service(routing::form_page(GatewayKeyLink::PATH, show::<GatewayKeyLink>, send::<GatewayKeyLink>));
}

async fn show<L: UndoLink>(http: HttpRequest, pages: Data<PagesState>) -> PageResult {
    let token = token(&http, &pages).await?;
    let query = FormFields::of_query(&http)?;
    let urls = pages.links.clone();
    match L::find(&pages, &token).await {
        Ok(change) => {
            let Profile { company_name, time_zone, .. } = profile(&http, &pages, &token).await?;
            let form_token = new_form_token(&pages, token.account());
            let undoing = Undoing { company: company_name.to_string(), time_zone, form_token };
            Ok(render(&http, move || L::page(&change, undoing, &urls)).await?)
        }
        Err(UndoError::Undone) if !query.get(UNDONE).is_empty() => {
            let company = profile(&http, &pages, &token).await?.company_name;
            Ok(render(&http, move || L::undone(company.as_str(), &urls)).await?)
        }
        Err(error) => Err(to_page_error(error, &http, &pages, &token).await),
    }
}

/// The profile of a token's account, whose owner may be signed out. The page of an error names the company.
async fn profile(http: &HttpRequest, pages: &PagesState, token: &AccountToken) -> Result<Profile, PageError> {
    let found = pages.own_accounts.get(token.account()).await.map_err(own_account_error)?;
    RequestContext::of(http)?.set_company(found.profile.company_name.as_str());
    Ok(found.profile)
}

async fn send<L: UndoLink>(http: HttpRequest, pages: Data<PagesState>, form: FormFields) -> PageResult {
    let token = token(&http, &pages).await?;
    // The form is claimed for the account only once the token is known to belong to it. A used token may come
    // from a repeated form, whose sender is shown the result.
    match L::find(&pages, &token).await {
        Ok(_) | Err(UndoError::Undone) => {}
        Err(error) => return Err(to_page_error(error, &http, &pages, &token).await),
    }
    let undone = format!("{}?{UNDONE}=1", L::url(&pages.links, &token));
    let work = async || {
        let change = match L::find(&pages, &token).await {
            Ok(change) => change,
            Err(error) => return Err(to_page_error(error, &http, &pages, &token).await.into()),
        };
        let owner = pages.logins.store.login(token.account()).await?.ok_or_else(PageError::not_found)?;
        let address = client_address(&http, state::<ServerState>(&http)?.transport);
        let actor = Actor::Owner(owner.login.email);
        let audit = pages.audit.entry(token.account(), &actor, Some(address), L::audited(&change));
        match L::undo(&(pages.audited)(&pages, audit), &token).await {
            Ok(()) => Ok(Done::SeeOther(undone)),
            Err(error) => Err(to_page_error(error, &http, &pages, &token).await.into()),
        }
    };
    Ok(submit(&pages, token.account(), http.path(), &form, work).await?)
}

async fn token(http: &HttpRequest, pages: &PagesState) -> Result<AccountToken, PageError> {
    match AccountToken::parse(http.match_info().get("token").unwrap_or_default()) {
        Some(token) => Ok(token),
        None => Err(unknown_token(pages, http).await.into()),
    }
}

async fn to_page_error(
    error: UndoError,
    http: &HttpRequest,
    pages: &PagesState,
    token: &AccountToken,
) -> PageError {
    match error {
        UndoError::NotFound => unknown_token(pages, http).await.into(),
        UndoError::Undone | UndoError::Expired => {
            if let Err(error) = profile(http, pages, token).await {
                return error;
            }
            let settings = pages.links.page(payment_settings::PATH);
            let gone = PageError::new(ErrorCode::Gone, ENGLISH.payer.undo_gone);
            gone.with_link(settings, ENGLISH.payer.check_settings)
        }
        UndoError::Store(error) => error.into(),
    }
}
