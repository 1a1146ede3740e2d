//! `/dashboard/invoices`.

use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use kernel::PageSize;
use pages::Form;
use pages::invoicing::{InvoiceList, InvoiceListPage};

use super::invoice_query::{check_contact, conditions, cursor_scope, read, with_cursor};
use crate::forms::{FormFields, PageResult};
use crate::list_cursor;
use crate::page::{render, render_with};
use crate::session_caller::SessionCaller;

const PATH: &str = "/dashboard/invoices";

pub(super) async fn show(caller: SessionCaller, http: HttpRequest) -> PageResult {
    let (state, scope) = (caller.state().clone(), caller.scope());
    let (company, today) = (caller.company_name().to_owned(), caller.today());
    let fields = FormFields::of_query(&http)?;
    let query = conditions(&fields);
    let cursors = (PATH, &*cursor_scope(scope.id));
    let after = list_cursor::start((&state.cursors, &state.links), cursors, &fields)?;
    let filter = match read(&fields, scope) {
        Ok(filter) => filter,
        Err(faults) => {
            let form = Form::refused(String::new(), fields.into_values(), faults);
            let list = InvoiceList { form, query, ..InvoiceList::default() };
            let make = move || InvoiceListPage::new(&list, today, &company, &state.links);
            return Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &http, make).await?);
        }
    };
    check_contact(&filter, &state, scope).await?;
    let page = state.invoicing.summaries(scope, &filter, PageSize::DEFAULT, after).await?;
    let next = page.next.map(|cursor| state.cursors.seal(&cursor_scope(scope.id), cursor));
    let list = InvoiceList {
        invoices: page.items,
        next: next.map(|cursor| with_cursor(&query, &cursor)),
        is_later_page: after.is_some(),
        query,
        form: Form::new(String::new(), fields.into_values()),
    };
    Ok(render(&http, move || InvoiceListPage::new(&list, today, &company, &state.links)).await?)
}
