//! `/to/{payment_slug}`: the payment page of an account, where payers request a mail with the link to their
//! invoice.

use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use actix_web::web::Data;
use http_server::{ServerState, client_address};
use invoices::{InvoiceNumber, PayLinkRequest, PayeeAccount, ReadAsPayerError};
use kernel::{EmailAddress, Field, FieldErrors, FieldSource as _};
use pages::texts::ENGLISH;
use pages::{AccountPage, Form};

use crate::forms::submit::new_form_token;
use crate::forms::{Done, FormFields, FormReader, PageError, PageResult, submit};
use crate::page::{render, render_with};
use crate::payer::request::state;
use crate::routing::{self, Routes};
use crate::state::PagesState;

/// The query parameter that is set once the form was sent.
const SENT: &str = "sent";

pub(crate) fn configure(routes: &mut Routes<'_>) {
    routes.service(routing::form_page("/to/{payment_slug}", show, send));
}

async fn show(http: HttpRequest, pages: Data<PagesState>) -> PageResult {
    let account = account(&http, &pages).await?;
    let query = FormFields::of_query(&http)?;
    let (urls, form_token) = (pages.links.clone(), new_form_token(&pages, account.id));
    let is_sent = !query.get(SENT).is_empty();
    let page = move || match is_sent {
        true => AccountPage::sent(&account, &urls),
        false => AccountPage::new(&account, &Form::new(form_token, Vec::new()), &urls),
    };
    Ok(render(&http, page).await?)
}

async fn send(http: HttpRequest, pages: Data<PagesState>, form: FormFields) -> PageResult {
    let account = account(&http, &pages).await?;
    if !account.is_active {
        return Err(PageError::conflict(ENGLISH.payer.link_not_offered));
    }
    let address = client_address(&http, state::<ServerState>(&http)?.transport);
    let number = InvoiceNumber::parse(form.get("invoice_number")).ok();
    pages.link_requests.count(address, account.id, number.as_ref(), pages.clock.now()).await?;
    let slug = http.match_info().get("payment_slug").unwrap_or_default();
    let sent = format!("{}?{SENT}=1", pages.links.account_page(slug));
    let work = async || {
        pages.invoicing.request_pay_link(account.id, &read(&form)?).await?;
        Ok(Done::SeeOther(sent))
    };
    match submit(&pages, account.id, http.path(), &form, work).await {
        Ok(response) => Ok(response),
        Err(refused) => {
            let form = form.shown_again(&pages, account.id, refused)?;
            let urls = pages.links.clone();
            let page = move || AccountPage::new(&account, &form, &urls);
            Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &http, page).await?)
        }
    }
}

async fn account(http: &HttpRequest, pages: &PagesState) -> Result<PayeeAccount, PageError> {
    let slug = http.match_info().get("payment_slug").unwrap_or_default();
    pages.payer_invoices.account(slug).await.map_err(|error| match error {
        ReadAsPayerError::Store(error) => error.into(),
        ReadAsPayerError::NotFound | ReadAsPayerError::Replaced { .. } => PageError::not_found(),
    })
}

fn read(form: &FormFields) -> Result<PayLinkRequest, FieldErrors> {
    let mut reader = FormReader::new(form);
    let number = reader.text("invoice_number", InvoiceNumber::parse);
    let email = reader.text("email", EmailAddress::parse);
    reader.require([("invoice_number", number.is_missing()), ("email", email.is_missing())]);
    match (number, email) {
        (Field::Value(invoice_number), Field::Value(email)) => Ok(PayLinkRequest { invoice_number, email }),
        _ => Err(reader.into_faults()),
    }
}
