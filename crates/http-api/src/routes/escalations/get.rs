//! `GET /escalations/{id}`.

use actix_web::{HttpRequest, HttpResponse, web};
use http_server::{ApiError, ErrorCode};
use kernel::AccountScope;

use super::view::EscalationView;
use crate::extract::{path_id, read_ahead};
use crate::operation::Operation;
use crate::respond::ok;
use crate::state::AppState;

pub(super) fn operation() -> Operation {
    Operation::new(__path_get, get).errors(&[ErrorCode::NotFound])
}

/// Read an escalation
///
/// One escalation of the account: a customer who asks for help, disputes an invoice, asks for a person or
/// refuses to pay. The webhook events `escalation.created` and `escalation.resolved` contain its id; only
/// this response contains what the customer said.
#[utoipa::path(
    get, path = "/escalations/{id}", operation_id = "getEscalation",
    responses((status = 200, description = "The escalation", body = EscalationView)),
)]
pub(crate) async fn get(state: web::Data<AppState>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let read = async |scope: &AccountScope| Ok(state.escalations.get(scope, path_id(&request)?).await?);
    let escalation = read_ahead(&request, read).await?;
    Ok(ok(&EscalationView::from(&escalation)))
}
