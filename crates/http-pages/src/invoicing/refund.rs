//! `/dashboard/invoices/{id}/refund/{payment_id}`: asks for the amount of a refund, and carries it out once.

use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use invoices::figures::money_text;
use invoices::{Invoice, PaymentId};
use kernel::{FieldErrors, Id, Money};
use pages::invoicing::RefundPage;
use pages::{Confirmation, Form};
use payments::{RefundError, RefundRequest, RefundView};

use super::detail::load;
use crate::audit;
use crate::forms::submit::{acted, id_response, key};
use crate::forms::{Done, FormError, FormFields, PageError, PageResult, submit, without_separators};
use crate::lasting_form_token::lasting_form_token;
use crate::page::render_with;
use crate::session_caller::SessionCaller;

pub(super) async fn show(caller: SessionCaller, http: HttpRequest) -> PageResult {
    caller.require_recent_authentication()?;
    let invoice = load(&caller, &http).await?;
    let left = left(&caller, &invoice, payment_of(&invoice, &http)?).await?;
    let token = lasting_form_token(caller.state(), caller.scope().id, &http)?;
    let form = Form::new(token, vec![("amount".to_owned(), left.to_string())]);
    show_with(&caller, &http, invoice, left, form, StatusCode::OK).await
}

pub(super) async fn send(caller: SessionCaller, http: HttpRequest, fields: FormFields) -> PageResult {
    caller.require_recent_authentication()?;
    let (invoice, state) = (load(&caller, &http).await?, caller.state());
    let payment = payment_of(&invoice, &http)?;
    let work = async || {
        let amount = without_separators(fields.get("amount"), invoice.currency.decimals());
        let amount = amount.map_err(|fault| FieldErrors::one("amount", fault))?;
        let request = RefundRequest { payment, amount };
        let present = |refund: &RefundView| id_response(&refund.id);
        let online = caller.audited(audit::invoices::payment_refunded()).online;
        let refunded = online.refund_once(invoice.account, &request, key(&fields)?, &present).await;
        acted(refunded.map_err(to_form_error)?)?;
        Ok(Done::confirmed(
            &state.links,
            format_args!("/dashboard/invoices/{}", invoice.id),
            Confirmation::RefundRequested,
        ))
    };
    match submit(state, invoice.account, http.path(), &fields, work).await {
        Ok(response) => Ok(response),
        Err(refused) => {
            let form = fields.shown_again(state, caller.scope().id, refused)?;
            let left = left(&caller, &invoice, payment).await?;
            show_with(&caller, &http, invoice, left, form, StatusCode::UNPROCESSABLE_ENTITY).await
        }
    }
}

/// The payment that the path names; not found if it does not belong to the invoice.
fn payment_of(invoice: &Invoice, http: &HttpRequest) -> Result<PaymentId, PageError> {
    let id = http.match_info().get("payment_id").and_then(Id::parse);
    let paid = invoice.payments.iter().find(|payment| Some(payment.id) == id);
    paid.map(|payment| payment.id).ok_or_else(PageError::not_found)
}

/// The amount of a payment that can still be refunded; zero if it was not made online.
async fn left(caller: &SessionCaller, invoice: &Invoice, payment: PaymentId) -> Result<Money, PageError> {
    let found = caller.state().online.reads.of_invoice(invoice.account, invoice.id).await?;
    let charge = found.charges.iter().find(|charge| charge.payment == Some(payment));
    let none = Money::zero(invoice.currency);
    Ok(charge.map_or(none, |charge| charge.refundable(&found.reversals)))
}

async fn show_with(
    caller: &SessionCaller,
    http: &HttpRequest,
    invoice: Invoice,
    left: Money,
    form: Form,
    status: StatusCode,
) -> PageResult {
    let (company, urls) = (caller.company_name().to_owned(), caller.state().links.clone());
    let page = move || RefundPage::new(&invoice, left, &form, &company, &urls);
    Ok(render_with(status, http, page).await?)
}

fn to_form_error(error: RefundError) -> FormError {
    match error {
        RefundError::Amount(fault) => FieldErrors::one("amount", fault).into(),
        RefundError::AboveLeft(left) => {
            FieldErrors::one("amount", format!("must be at most what is left, {}", money_text(left))).into()
        }
        RefundError::NotOnline | RefundError::SandboxOff => PageError::refused(&error).into(),
        RefundError::Store(error) => error.into(),
    }
}
