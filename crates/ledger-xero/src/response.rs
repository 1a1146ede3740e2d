//! Xero's responses: invoices, or the reason for a refusal.

use invoices::{Invoice, LedgerError, LedgerInvoiceId};
use kernel::SingleLine;
use reqwest::StatusCode;
use serde::Deserialize;

use crate::entry;
use crate::http::XeroResponse;

/// Any response; each has some of these fields.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "PascalCase")]
struct XeroResponseBody {
    invoices: Option<Vec<Entered>>,
    message: Option<String>,
    detail: Option<String>,
    elements: Option<Vec<Faulty>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Faulty {
    validation_errors: Option<Vec<ValidationFault>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ValidationFault {
    message: Option<String>,
}

/// An invoice in Xero, with only the fields that we read.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Entered {
    #[serde(rename = "InvoiceID")]
    invoice_id: String,
    status: Option<String>,
    reference: Option<String>,
}

impl Entered {
    /// Xero's id of the invoice.
    pub(crate) fn id(&self) -> Result<LedgerInvoiceId, LedgerError> {
        SingleLine::parse(&self.invoice_id)
            .map_err(|fault| LedgerError::Temporary(format!("Xero's id of the invoice {fault}")))
    }

    /// Whether it is void or deleted.
    pub(crate) fn is_void(&self) -> bool {
        matches!(self.status.as_deref(), Some("VOIDED" | "DELETED"))
    }

    /// Whether this is our invoice: it carries our invoice's id. The number alone is not enough, since two
    /// accounts may enter invoices in one organisation.
    pub(crate) fn is_ours(&self, ours: &Invoice) -> bool {
        !self.is_void()
            && self.reference.as_deref().is_some_and(|reference| entry::carries_id(reference, ours))
    }
}

impl XeroResponse {
    /// The invoices in the response.
    ///
    /// # Errors
    /// The reason why Xero refused. An unreadable response is a temporary error: the call may have been
    /// carried out, and repeating it shows whether it was.
    pub(crate) fn invoices(&self) -> Result<Vec<Entered>, LedgerError> {
        if !self.status.is_success() {
            return Err(self.refusal());
        }
        let reply: XeroResponseBody = serde_json::from_slice(&self.body)
            .map_err(|error| LedgerError::Temporary(format!("Xero's answer cannot be read: {error}")))?;
        Ok(reply.invoices.unwrap_or_default())
    }

    fn refusal(&self) -> LedgerError {
        let text = self.refusal_text();
        if is_for_good(self.status) { LedgerError::Permanent(text) } else { LedgerError::Temporary(text) }
    }

    /// What Xero says about a refusal.
    pub(crate) fn refusal_text(&self) -> String {
        let mut text = format!("Xero answered {}", self.status);
        let reply: XeroResponseBody = serde_json::from_slice(&self.body).unwrap_or_default();
        let elements = reply.elements.unwrap_or_default();
        let faults = elements.into_iter().filter_map(|element| element.validation_errors);
        let faults = faults.flatten().filter_map(|fault| fault.message);
        for words in reply.message.into_iter().chain(reply.detail).chain(faults) {
            text.push_str(": ");
            text.push_str(&words);
        }
        if let Some(wait) = &self.retry_after {
            text.push_str(&format!(" (Retry-After: {wait})"));
        }
        text
    }
}

/// Whether the same call would be refused again. That is not so if credentials or rights can be corrected, if
/// the same call is in progress, or if it came too early.
fn is_for_good(status: StatusCode) -> bool {
    let may_pass = [
        StatusCode::UNAUTHORIZED,
        StatusCode::FORBIDDEN,
        StatusCode::REQUEST_TIMEOUT,
        StatusCode::CONFLICT,
        StatusCode::TOO_EARLY,
    ];
    status.is_client_error() && !may_pass.contains(&status)
}
