//! `/pay/{token}/help`: the payer asks for help, which raises an escalation.

use actix_web::http::StatusCode;
use escalations::{Channel, EscalationId, EscalationType, NewEscalation, RaiseError, Statement};
use http_server::ApiError;
use invoices::InvoiceForPayer;
use kernel::{Field, FieldErrors, FieldSource as _, Named as _};
use pages::texts::ENGLISH;
use pages::{Form, HelpPage};

use super::request::PayerRequest;
use crate::forms::submit::new_form_token;
use crate::forms::{Done, FormError, FormFields, FormReader, PageError, PageResult, submit};
use crate::page::{render, render_with};
use crate::routing::{self, Routes};

/// The query parameter that names the raised escalation.
const RAISED: &str = "raised";

pub(super) fn configure(routes: &mut Routes<'_>) {
    routes.service(routing::form_page("/pay/{token}/help", show, send));
}

async fn show(request: PayerRequest) -> PageResult {
    let shown = request.invoice().await?;
    check_offered(&shown)?;
    let query = FormFields::of_query(&request.http)?;
    let raised = raised(&request, &shown, query.get(RAISED)).await?;
    let (urls, form_token) = (request.state.links.clone(), new_form_token(&request.state, request.account()));
    let page = move || match raised {
        Some(id) => HelpPage::raised(&shown, &id.to_string(), &urls),
        None => HelpPage::new(&shown, &Form::new(form_token, Vec::new()), &urls),
    };
    Ok(render(&request.http, page).await?)
}

/// The escalation with this id, if it belongs to the shown invoice.
async fn raised(
    request: &PayerRequest,
    shown: &InvoiceForPayer,
    id: &str,
) -> Result<Option<EscalationId>, PageError> {
    let Some(id) = EscalationId::parse(id) else {
        return Ok(None);
    };
    let found = request.state.escalation_reader.reads.get(request.account(), id).await?;
    Ok(found.filter(|escalation| escalation.invoice == Some(shown.invoice.id)).map(|_| id))
}

async fn send(request: PayerRequest, form: FormFields) -> PageResult {
    let shown = request.invoice_of_form().await?;
    check_offered(&shown)?;
    let state = &request.state;
    let path = state.links.payment_page_help(request.token.reveal());
    let work = async || {
        let mut new = read(&form, &shown)?;
        let reads = &state.conversations.reads;
        if let Some(channel) = reads.channel_of_link(request.account(), shown.invoice.id).await? {
            new.channel = channel;
        }
        let raised = state.escalations.raise(request.account(), new).await.map_err(to_form_error)?;
        Ok(Done::SeeOther(format!("{path}?{RAISED}={}", raised.id)))
    };
    match submit(state, request.account(), request.http.path(), &form, work).await {
        Ok(response) => Ok(response),
        Err(refused) => {
            let form = form.shown_again(state, request.account(), refused)?;
            let urls = state.links.clone();
            let page = move || HelpPage::new(&shown, &form, &urls);
            Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &request.http, page).await?)
        }
    }
}

fn check_offered(shown: &InvoiceForPayer) -> Result<(), PageError> {
    if shown.offers().help { Ok(()) } else { Err(PageError::conflict(ENGLISH.payer.help_not_offered)) }
}

fn read(form: &FormFields, shown: &InvoiceForPayer) -> Result<NewEscalation, FieldErrors> {
    let mut reader = FormReader::new(form);
    let reason = reader.text("reason", EscalationType::parse);
    let statement = reader.text("statement", Statement::parse);
    reader.require([("reason", reason.is_missing()), ("statement", statement.is_missing())]);
    let faults = reader.into_faults();
    match (reason, statement) {
        (Field::Value(escalation_type), Field::Value(statement)) => Ok(NewEscalation {
            escalation_type,
            // An assumption: the link may also have come by another channel.
            channel: Channel::Email,
            statement,
            invoice: Some(shown.invoice.id),
            contact: None,
        }),
        _ => Err(faults),
    }
}

fn to_form_error(error: RaiseError) -> FormError {
    match error {
        RaiseError::Store(error) => error.into(),
        // Other errors cannot occur, since the invoice was just read.
        error => ApiError::internal(error).into(),
    }
}
