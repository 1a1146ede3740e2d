//! `POST /gateways/{kind}/{gateway_account_id}/events`: events from gateways. Their signature is checked, but
//! their content is not trusted.

use actix_web::http::header::HeaderValue;
use actix_web::web::{self, Data, Payload, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use http_server::{ApiError, ErrorCode, only, read_body};
use kernel::Named as _;
use payments::{EventError, GatewayAccountId, GatewayKind};

use crate::forms::PageResult;
use crate::state::PagesState;

pub(crate) fn configure(config: &mut ServiceConfig) {
    let resource = web::resource("/gateways/{kind}/{id}/events").route(web::post().to(take));
    config.service(only(resource, HeaderValue::from_static("POST")));
}

/// Responds with 200 once the event is stored. A wrong signature and an unknown gateway account get the same
/// response.
async fn take(http: HttpRequest, state: Data<PagesState>, payload: Payload) -> PageResult {
    let refused = || ApiError::new(ErrorCode::ValidationError, "the event is not signed by the gateway");
    let part = |name| http.match_info().get(name).unwrap_or_default();
    let kind = GatewayKind::parse(part("kind")).map_err(|_unknown| refused())?;
    let id = GatewayAccountId::parse(part("id")).ok_or_else(refused)?;
    let body = read_body(http.headers(), payload.into_inner()).await?;
    let header = state.online.signature_header(kind).ok_or_else(refused)?;
    let signature = http.headers().get(header).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match state.online.take_event(kind, id, signature, &body).await {
        Ok(()) => Ok(HttpResponse::Ok().finish()),
        Err(EventError::NotFound | EventError::Refused(_)) => Err(refused().into()),
        Err(EventError::Store(error)) => Err(error.into()),
        Err(error @ EventError::Unsealable(_)) => Err(ApiError::internal(error).into()),
    }
}
