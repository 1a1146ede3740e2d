//! `/dashboard/contacts`.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse};
use contacts::SearchText;
use kernel::{AccountId, PageSize};
use pages::Form;
use pages::invoicing::{ContactList, ContactListPage, FormAccount};

use crate::forms::{FormFields, FormReader, PageError};
use crate::page::{render, render_with};
use crate::session_caller::SessionCaller;

/// How many contacts the form of an invoice suggests.
const MAX_SUGGESTED: u32 = 50;

/// The account data that the form of an invoice shows; it suggests the contacts that were added last.
pub(super) async fn form_account(caller: &SessionCaller) -> Result<FormAccount, PageError> {
    let (state, size) = (caller.state(), PageSize::of(MAX_SUGGESTED.into()).unwrap_or_default());
    Ok(FormAccount {
        company: caller.company_name().to_owned(),
        contacts: state.contacts.list(caller.scope(), None, size, None).await?.items,
        payment_terms_days: state.invoicing.policy.payment_terms_days,
    })
}

pub(super) async fn show(caller: SessionCaller, http: HttpRequest) -> Result<HttpResponse, PageError> {
    let (state, scope) = (caller.state().clone(), caller.scope());
    let company = caller.company_name().to_owned();
    let fields = FormFields::parse(http.query_string().as_bytes())?;
    let query = conditions(fields.get("q"));
    let mut reader = FormReader::new(&fields);
    let after = reader.text("cursor", |text| state.cursors.open(&cursor_scope(scope.id), text)).value();
    let faults = reader.into_faults();
    if !faults.is_empty() {
        let form = Form::refused(String::new(), fields.into_values(), faults);
        let list = ContactList { form, query, ..ContactList::default() };
        let make = move || ContactListPage::new(&list, &company, &state.urls);
        return Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &http, make).await?);
    }
    let search = SearchText::parse(fields.get("q"));
    let page = state.contacts.list(scope, search.as_ref(), PageSize::DEFAULT, after).await?;
    let next = page.next.map(|cursor| state.cursors.seal(&cursor_scope(scope.id), cursor));
    let list = ContactList {
        contacts: page.items,
        next: next.map(|cursor| {
            let mut next = form_urlencoded::Serializer::new(query.clone());
            next.append_pair("cursor", &cursor).finish()
        }),
        is_later_page: after.is_some(),
        query,
        form: Form::new(String::new(), fields.into_values()),
    };
    Ok(render(&http, move || ContactListPage::new(&list, &company, &state.urls)).await?)
}

fn conditions(search: &str) -> String {
    let search = Some(("q", search)).filter(|(_, text)| !text.is_empty());
    form_urlencoded::Serializer::new(String::new()).extend_pairs(search).finish()
}

/// The scope of the list's cursors.
fn cursor_scope(account: AccountId) -> String {
    format!("dashboard-contacts:{account}")
}
