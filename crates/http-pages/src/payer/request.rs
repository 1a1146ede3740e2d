//! A request with the token of a payment page.

use actix_web::dev::Payload;
use actix_web::web::Data;
use actix_web::{FromRequest, HttpRequest};
use futures_util::future::LocalBoxFuture;
use http_server::{ApiError, ErrorCode, RequestContext, ServerState, client_address};
use invoices::{InvoiceForPayer, PayToken, ReadAsPayerError};
use kernel::AccountId;
use pages::texts::ENGLISH;
use time::Date;

use crate::forms::PageError;
use crate::state::PagesState;

/// A request with the token of a payment page. The use case decides whether the token leads to an invoice.
pub(crate) struct PayerRequest {
    pub(crate) token: PayToken,
    pub(crate) state: Data<PagesState>,
    pub(crate) http: HttpRequest,
}

impl PayerRequest {
    async fn read(http: HttpRequest) -> Result<Self, PageError> {
        let state = state::<PagesState>(&http)?.clone();
        match PayToken::parse(http.match_info().get("token").unwrap_or_default()) {
            Some(token) => Ok(Self { token, state, http }),
            None => Err(unknown_token(&state, &http).await.into()),
        }
    }

    /// The invoice of the token.
    pub(crate) async fn invoice(&self) -> Result<InvoiceForPayer, PageError> {
        match self.state.payer_invoices.get(&self.token).await {
            Ok(shown) => {
                RequestContext::of(&self.http)?.set_company(&shown.letterhead.company_name);
                Ok(shown)
            }
            Err(error) => Err(self.to_page_error(error).await),
        }
    }

    /// The invoice of the token, for a submitted form, which is counted.
    pub(crate) async fn invoice_of_form(&self) -> Result<InvoiceForPayer, PageError> {
        let shown = self.invoice().await?;
        self.state.payer_forms.count(&self.token, self.state.clock.now()).await?;
        Ok(shown)
    }

    /// The error of an invoice that cannot be read. A token that leads to no invoice is counted.
    pub(crate) async fn to_page_error(&self, error: ReadAsPayerError) -> PageError {
        match error {
            ReadAsPayerError::NotFound => unknown_token(&self.state, &self.http).await.into(),
            ReadAsPayerError::Replaced { payment_slug } => {
                if let Err(error) = self.note_company().await {
                    return error;
                }
                let to = self.state.links.account_page(&payment_slug);
                let texts = &ENGLISH.payer;
                PageError::new(ErrorCode::Gone, texts.replaced).with_link(to, texts.replaced_link)
            }
            ReadAsPayerError::Store(error) => error.into(),
        }
    }

    /// Notes the company of a known token's account, for the title of an error page.
    pub(crate) async fn note_company(&self) -> Result<(), PageError> {
        let letterhead = self.state.invoicing.reads.letterhead(self.account()).await?;
        RequestContext::of(&self.http)?.set_company(&letterhead.company_name);
        Ok(())
    }

    /// The present day in the time zone of the invoice's account.
    pub(crate) fn today(&self, shown: &InvoiceForPayer) -> Date {
        shown.time_zone.date_at(self.state.clock.now())
    }

    /// The account in the token.
    pub(crate) const fn account(&self) -> AccountId {
        self.token.account()
    }
}

impl FromRequest for PayerRequest {
    type Error = PageError;
    type Future = LocalBoxFuture<'static, Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, _payload: &mut Payload) -> Self::Future {
        Box::pin(Self::read(request.clone()))
    }
}

/// Counts an unknown token, and returns its error.
pub(crate) async fn unknown_token(pages: &PagesState, http: &HttpRequest) -> ApiError {
    match state::<ServerState>(http) {
        Ok(server) => {
            let address = client_address(http, server.transport);
            pages.unknown_tokens.error(address, pages.clock.now()).await
        }
        Err(error) => error,
    }
}

/// The state that the app passed to every handler.
pub(crate) fn state<S: 'static>(http: &HttpRequest) -> Result<&Data<S>, ApiError> {
    let missing = || ApiError::internal("the state of the pages is missing");
    http.app_data::<Data<S>>().ok_or_else(missing)
}
