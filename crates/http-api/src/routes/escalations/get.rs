//! `GET /escalations/{id}`.

use actix_web::{HttpRequest, HttpResponse, web};
use kernel::AccountScope;

use super::view::EscalationView;
use crate::answer::{done, response};
use crate::error::{ApiError, Code};
use crate::extract::read_ahead;
use crate::routes::path_id::path_id;
use crate::state::AppState;

/// What this operation refuses besides what every operation does.
pub(crate) const ERRORS: [Code; 2] = [Code::ValidationError, Code::NotFound];

/// Read an escalation
///
/// One escalation of the account: a customer who asks for help, disputes an invoice, asks for a person or refuses to pay. The webhook
/// events `escalation.created` and `escalation.resolved` name it; what the customer said stands only here.
#[utoipa::path(
    get,
    path = "/escalations/{id}",
    tag = "Escalations",
    operation_id = "getEscalation",
    params(("id" = uuid::Uuid, Path, description = "The escalation's id")),
    responses((status = 200, description = "The escalation", body = EscalationView)),
    security(("account_key" = []))
)]
pub(crate) async fn get(
    state: web::Data<AppState>,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let read = async |scope: &AccountScope| {
        let id = path_id(&request)?;
        Ok(state.escalations.get(scope, id).await?)
    };
    let escalation = read_ahead(&request, read).await?;
    Ok(response(done(&EscalationView::from(&escalation))))
}

#[cfg(test)]
mod tests;
