//! A request that came with the token of a payment page.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::web::Data;
use actix_web::{FromRequest, HttpRequest};
use http_server::{ApiError, ErrorCode, ServerState, client_address};
use invoices::{PayToken, ReadInvoiceError};

use crate::state::PagesState;

/// A request that came with the token of a payment page. Whether the token leads to an invoice is for the use
/// case to say.
pub(crate) struct PayerRequest {
    pub(crate) token: PayToken,
    pub(crate) state: Data<PagesState>,
    pub(crate) http: HttpRequest,
}

impl PayerRequest {
    fn read(http: &HttpRequest) -> Result<Self, ApiError> {
        let state = state::<PagesState>(http)?.clone();
        let token = PayToken::parse(http.match_info().get("token").unwrap_or_default());
        let token = token.map_err(|_malformed| unknown_token(&state, http))?;
        Ok(Self { token, state, http: http.clone() })
    }

    /// Why the invoice cannot be read. A token that leads to none is counted.
    pub(crate) fn to_api_error(&self, error: ReadInvoiceError) -> ApiError {
        match error {
            ReadInvoiceError::NotFound => unknown_token(&self.state, &self.http),
            ReadInvoiceError::Store(error) => error.into(),
        }
    }
}

impl FromRequest for PayerRequest {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _payload: &mut Payload) -> Self::Future {
        ready(Self::read(request))
    }
}

fn unknown_token(pages: &PagesState, http: &HttpRequest) -> ApiError {
    match state::<ServerState>(http) {
        Ok(server) => {
            let address = client_address(http, server.transport);
            pages.unknown_tokens.error(address, pages.clock.now())
        }
        Err(error) => error,
    }
}

fn state<S: 'static>(http: &HttpRequest) -> Result<&Data<S>, ApiError> {
    let missing = || ApiError::failed(ErrorCode::InternalError, "the state of the pages is missing");
    http.app_data::<Data<S>>().ok_or_else(missing)
}
