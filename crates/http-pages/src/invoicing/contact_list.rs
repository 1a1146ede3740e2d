//! `/dashboard/contacts`.

use actix_web::HttpRequest;
use contacts::SearchText;
use kernel::{AccountId, PageSize};
use pages::Form;
use pages::invoicing::{ContactList, ContactListPage, FormAccount};

use crate::forms::{FormFields, PageError, PageResult};
use crate::list_cursor;
use crate::page::render;
use crate::session_caller::SessionCaller;

const PATH: &str = "/dashboard/contacts";

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

pub(super) async fn show(caller: SessionCaller, http: HttpRequest) -> PageResult {
    let (state, scope) = (caller.state().clone(), caller.scope());
    let company = caller.company_name().to_owned();
    let fields = FormFields::of_query(&http)?;
    let query = conditions(fields.get("q"));
    let cursors = (PATH, &*cursor_scope(scope.id));
    let after = list_cursor::start((&state.cursors, &state.links), cursors, &fields)?;
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
    Ok(render(&http, move || ContactListPage::new(&list, &company, &state.links)).await?)
}

fn conditions(search: &str) -> String {
    let search = Some(("q", search)).filter(|(_, text)| !text.is_empty());
    form_urlencoded::Serializer::new(String::new()).extend_pairs(search).finish()
}

/// The scope of the list's cursors.
fn cursor_scope(account: AccountId) -> String {
    format!("dashboard-contacts:{account}")
}
