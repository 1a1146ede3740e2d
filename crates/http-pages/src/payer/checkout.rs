//! `/pay/{token}/checkout` and `/pay/{token}/return`: the payer goes to the gateway, and comes back.

use actix_web::http::StatusCode;
use http_server::{ApiError, ErrorCode};
use invoices::{InvoiceForPayer, InvoiceStatus, ReadAsPayerError};
use kernel::FieldErrors;
use pages::texts::ENGLISH;
use pages::{AfterReturn, PaymentPage, ReturnPage, local};
use payments::{CheckoutError, CheckoutRequest, IntentId};

use super::request::PayerRequest;
use crate::forms::{Done, FormError, FormFields, PageError, PageResult, submit};
use crate::page::{render, render_with};
use crate::routing::{self, Routes};

pub(super) fn configure(routes: &mut Routes<'_>) {
    routes
        .service(routing::form_post("/pay/{token}/checkout", check_out))
        .service(routing::page("/pay/{token}/return", show_return));
}

async fn check_out(request: PayerRequest, form: FormFields) -> PageResult {
    let shown = request.invoice_of_form().await?;
    if shown.invoice.status == InvoiceStatus::Paid {
        return Err(PageError::conflict(ENGLISH.payer.checkout_paid));
    }
    if !shown.offers().payment {
        return Err(PageError::conflict(ENGLISH.payer.checkout_not_offered));
    }
    let state = &request.state;
    let work = async || {
        let text = |name: &str| Some(form.get(name)).filter(|text| !text.is_empty()).map(str::to_owned);
        let wanted = CheckoutRequest {
            invoice: shown.invoice.id,
            token: request.token.clone(),
            amount: text("amount"),
            most: text("most"),
        };
        let url = state.online.check_out(request.account(), &wanted).await;
        let url = url.map_err(|error| to_form_error(error, &request))?;
        Ok(Done::SeeOther(local(&state.public_urls, &url).to_owned()))
    };
    match submit(state, request.account(), request.http.path(), &form, work).await {
        Ok(response) => Ok(response),
        Err(refused) => {
            let form = form.shown_again(state, request.account(), refused)?;
            let online = state.online.for_payer(&shown).await?;
            let (urls, today) = (state.links.clone(), request.today(&shown));
            let page = move || PaymentPage::new(&shown, &online, &form, today, &urls);
            Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &request.http, page).await?)
        }
    }
}

fn to_form_error(error: CheckoutError, request: &PayerRequest) -> FormError {
    let texts = &ENGLISH.payer;
    let page = request.state.links.payment_page(request.token.reveal());
    let conflict = |sentence: &str| PageError::conflict(sentence).with_link(page.clone(), texts.back).into();
    match error {
        CheckoutError::Amount(fault) => FieldErrors::one("amount", fault).into(),
        CheckoutError::NotFound | CheckoutError::Changed => conflict(texts.checkout_changed),
        CheckoutError::NotPayable | CheckoutError::NoGateway => conflict(texts.checkout_not_offered),
        CheckoutError::BeingProcessed => conflict(texts.checkout_covered),
        CheckoutError::Refused(why) => {
            tracing::warn!(why, "a gateway opens no checkout");
            conflict(texts.checkout_refused)
        }
        CheckoutError::Unreachable(why) => {
            tracing::warn!(why, "a gateway opens no checkout");
            let error = PageError::new(ErrorCode::ServiceUnavailable, texts.checkout_unreachable);
            error.with_link(page, texts.try_again).into()
        }
        CheckoutError::Store(error) => error.into(),
        error @ CheckoutError::Unsealable(_) => ApiError::internal(error).into(),
    }
}

/// The page that the payer returns to from the gateway. It also shows the payment of a token that was
/// replaced.
async fn show_return(request: PayerRequest) -> PageResult {
    let state = &request.state;
    // Or the name of the account's page, if the token was replaced.
    let shown: Result<InvoiceForPayer, String> = match state.payer_invoices.get(&request.token).await {
        Ok(shown) => Ok(shown),
        Err(ReadAsPayerError::Replaced { payment_slug }) => Err(payment_slug),
        Err(error) => return Err(request.to_page_error(error).await),
    };
    let query = FormFields::of_query(&request.http)?;
    let intent = state.online.begun(&request.token, IntentId::parse(query.get("payment"))).await?;
    let page = state.links.payment_page(request.token.reveal());
    let Some(intent) = intent else {
        let nothing = PageError::conflict(ENGLISH.payer.nothing_begun);
        return Err(match shown {
            Ok(_shown) => {
                request.note_company().await?;
                nothing.with_link(page.clone(), ENGLISH.payer.back)
            }
            Err(payment_slug) => request.to_page_error(ReadAsPayerError::Replaced { payment_slug }).await,
        });
    };
    let (letterhead, then) = match shown {
        Ok(shown) => {
            let can_pay = shown.offers().payment;
            (shown.letterhead.clone(), AfterReturn::Invoice { url: page, can_pay })
        }
        Err(payment_slug) => {
            let url = state.links.account_page(&payment_slug);
            (state.invoicing.reads.letterhead(request.account()).await?, AfterReturn::Account { url })
        }
    };
    let asks_gateway = state.payer_returns.count(intent.id, state.clock.now()).await;
    let outcome = state.online.outcome(&intent, asks_gateway).await?;
    let urls = state.links.clone();
    Ok(render(&request.http, move || ReturnPage::new(&letterhead, outcome, then, &urls)).await?)
}
