//! The port: entering, finding and voiding invoices in Xero.

use std::sync::Arc;

use async_trait::async_trait;
use invoices::ledger::LedgerTaskId;
use invoices::{Invoice, Ledger, LedgerError, LedgerInvoiceId};
use kernel::Clock;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use reqwest::{Method, RequestBuilder, StatusCode, Url};
use time::OffsetDateTime;

use crate::entry;
use crate::http::Calls;
use crate::response::Entered;
use crate::settings::{SettingsFault, XeroSettings};
use crate::token::{Token, Tokens};

/// The accounting of one organisation in Xero.
pub struct XeroLedger {
    calls: Calls,
    base: Url,
    tokens: Tokens,
    tenant: Option<HeaderValue>,
    account_code: Option<String>,
}

/// A call that may have to be repeated with a new token.
struct Call {
    method: Method,
    url: Url,
    key: Option<LedgerTaskId>,
    body: Option<Vec<u8>>,
}

impl XeroLedger {
    /// Creates the ledger without calling Xero.
    pub fn new(settings: XeroSettings, clock: Arc<dyn Clock>) -> Result<Self, SettingsFault> {
        Ok(Self {
            calls: Calls::new(settings.extra_ca_pem.as_deref(), clock.clone())?,
            base: settings.base()?,
            tokens: Tokens::new(&settings, clock)?,
            tenant: settings.tenant()?,
            account_code: settings.sales_account_code,
        })
    }

    /// The URL of the invoices, or of one of them.
    fn url(&self, id: Option<&LedgerInvoiceId>) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().push("Invoices").extend(id.map(LedgerInvoiceId::as_str));
        }
        url
    }

    /// Makes a call, and repeats it with a new token if Xero refuses the current one.
    async fn call(&self, call: &Call) -> Result<Vec<Entered>, LedgerError> {
        let token = self.tokens.current(&self.calls).await?;
        let response = self.calls.send(self.request(call, &token)).await?;
        if response.status != StatusCode::UNAUTHORIZED {
            return response.invoices();
        }
        let token = self.tokens.instead_of(&token, &self.calls).await?;
        self.calls.send(self.request(call, &token)).await?.invoices()
    }

    fn request(&self, call: &Call, token: &Token) -> RequestBuilder {
        let mut request = self
            .calls
            .client()
            .request(call.method.clone(), call.url.clone())
            .bearer_auth(token.reveal())
            // Without this header Xero responds in XML.
            .header(ACCEPT, "application/json");
        if let Some(tenant) = &self.tenant {
            request = request.header("Xero-Tenant-Id", tenant);
        }
        if let Some(key) = call.key {
            request = request.header("Idempotency-Key", key.to_string());
        }
        if let Some(body) = &call.body {
            request = request.header(CONTENT_TYPE, "application/json").body(body.clone());
        }
        request
    }

    async fn read(&self, url: Url) -> Result<Vec<Entered>, LedgerError> {
        self.call(&Call { method: Method::GET, url, key: None, body: None }).await
    }
}

#[async_trait]
impl Ledger for XeroLedger {
    async fn push(&self, key: LedgerTaskId, invoice: &Invoice) -> Result<LedgerInvoiceId, LedgerError> {
        let mut url = self.url(None);
        // Without this parameter Xero cuts unit amounts of four decimals to two.
        url.query_pairs_mut().append_pair("unitdp", "4");
        let call = Call {
            method: Method::PUT,
            url,
            key: Some(key),
            body: Some(entry::entry(invoice, self.account_code.as_deref())?),
        };
        match self.call(&call).await {
            Ok(entered) => entered.first().map_or_else(
                || Err(LedgerError::Temporary("Xero's answer to the invoice has no invoice".to_owned())),
                Entered::id,
            ),
            // An earlier push of this invoice may have taken the number.
            Err(LedgerError::Permanent(refusal)) => match self.find(invoice).await {
                Ok(Some(id)) => Ok(id),
                Ok(None) | Err(LedgerError::Permanent(_)) => Err(LedgerError::Permanent(refusal)),
                Err(error) => Err(error),
            },
            Err(error) => Err(error),
        }
    }

    /// Finds an invoice by its number, or else by its id in the reference: the number may have changed since
    /// the push, and Xero splits the parameter with the numbers at commas.
    async fn find(&self, invoice: &Invoice) -> Result<Option<LedgerInvoiceId>, LedgerError> {
        let id = invoice.id.to_string();
        for (parameter, value) in [("InvoiceNumbers", invoice.number.as_str()), ("searchTerm", &id)] {
            let mut url = self.url(None);
            url.query_pairs_mut().append_pair(parameter, value);
            let entered = self.read(url).await?;
            if let Some(ours) = entered.iter().find(|one| one.is_ours(invoice)) {
                return ours.id().map(Some);
            }
        }
        Ok(None)
    }

    async fn void(&self, id: &LedgerInvoiceId) -> Result<(), LedgerError> {
        let call = Call {
            method: Method::POST,
            url: self.url(Some(id)),
            key: None,
            body: Some(entry::voided(id.as_str())?),
        };
        let refusal = match self.call(&call).await {
            Err(LedgerError::Permanent(refusal)) => refusal,
            done => return done.map(drop),
        };
        // The refusal repeats the requested status, so only the invoice itself shows whether it is already
        // void.
        match self.read(self.url(Some(id))).await {
            Ok(entered) if entered.iter().any(Entered::is_void) => Ok(()),
            Ok(_) | Err(LedgerError::Permanent(_)) => Err(LedgerError::Permanent(refusal)),
            Err(error) => Err(error),
        }
    }

    fn not_before(&self) -> Option<OffsetDateTime> {
        self.calls.not_before()
    }
}
