//! What Xero answers: invoices, or why not.

use invoices::{Invoice, LedgerError, LedgerInvoiceId};
use kernel::{Money, SingleLine};
use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::Number;

use crate::http::Answer;

/// Any answer, of which each has some fields.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "PascalCase")]
struct Reply {
    invoices: Option<Vec<Entered>>,
    message: Option<String>,
    detail: Option<String>,
    elements: Option<Vec<Faulty>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Faulty {
    validation_errors: Option<Vec<Fault>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Fault {
    message: Option<String>,
}

/// An invoice as it is in Xero, in as much as we look at it.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Entered {
    #[serde(rename = "InvoiceID")]
    invoice_id: String,
    r#type: Option<String>,
    status: Option<String>,
    invoice_number: Option<String>,
    currency_code: Option<String>,
    total: Option<Number>,
    /// `2026-11-20T00:00:00`; the field without `String` has another form.
    date_string: Option<String>,
    contact: Option<Name>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Name {
    name: Option<String>,
}

impl Entered {
    /// The id that Xero gave it.
    pub(crate) fn id(&self) -> Result<LedgerInvoiceId, LedgerError> {
        SingleLine::parse(&self.invoice_id)
            .map_err(|fault| LedgerError::Temporary(format!("Xero's id of the invoice {fault}")))
    }

    /// Whether nothing is left of it to void.
    pub(crate) fn is_void(&self) -> bool {
        matches!(self.status.as_deref(), Some("VOIDED" | "DELETED"))
    }

    /// Whether it says what ours says: number, contact, date, currency and total. The number alone does not tell, since two
    /// accounts may enter invoices in one organisation.
    pub(crate) fn says_the_same(&self, ours: &Invoice) -> bool {
        let contact = self
            .contact
            .as_ref()
            .and_then(|contact| contact.name.as_deref());
        let name = ours
            .contact
            .as_ref()
            .map(|contact| contact.name.as_str().to_lowercase());
        let date = ours.invoice_date.to_string();
        let total = self.total.as_ref().map(Number::to_string);
        let total = total.and_then(|text| Money::parse(&text, ours.currency).ok());
        !self.is_void()
            && self.r#type.as_deref() == Some("ACCREC")
            && self.invoice_number.as_deref() == Some(ours.number.as_str())
            && contact.map(str::to_lowercase) == name
            && self
                .date_string
                .as_deref()
                .is_some_and(|text| text.starts_with(&date))
            && self.currency_code.as_deref() == Some(ours.currency.code())
            && total == Some(ours.totals.total)
    }
}

impl Answer {
    /// The invoices in it.
    ///
    /// # Errors
    /// Why Xero refused. An answer that cannot be read is temporary: what was asked may well be done, and asking again tells.
    pub(crate) fn invoices(&self) -> Result<Vec<Entered>, LedgerError> {
        if !self.status.is_success() {
            return Err(self.refusal());
        }
        let unreadable = |error| {
            let text = format!("Xero's answer cannot be read: {error}");
            LedgerError::Temporary(text)
        };
        let reply: Reply = serde_json::from_slice(&self.body).map_err(unreadable)?;
        Ok(reply.invoices.unwrap_or_default())
    }

    fn refusal(&self) -> LedgerError {
        let mut text = format!("Xero answered {}", self.status);
        let reply: Reply = serde_json::from_slice(&self.body).unwrap_or_default();
        let elements = reply.elements.unwrap_or_default();
        let faults = elements
            .into_iter()
            .filter_map(|element| element.validation_errors);
        let faults = faults.flatten().filter_map(|fault| fault.message);
        for words in reply.message.into_iter().chain(reply.detail).chain(faults) {
            text.push_str(": ");
            text.push_str(&words);
        }
        if let Some(wait) = &self.retry_after {
            text.push_str(&format!(" (Retry-After: {wait})"));
        }
        if is_for_good(self.status) {
            LedgerError::Permanent(text)
        } else {
            LedgerError::Temporary(text)
        }
    }
}

/// Whether asking again would be answered the same. Not so where credentials or rights can be mended, where a twin is under way, or
/// where it is too early or too often.
fn is_for_good(status: StatusCode) -> bool {
    let may_pass = [
        StatusCode::UNAUTHORIZED,
        StatusCode::FORBIDDEN,
        StatusCode::REQUEST_TIMEOUT,
        StatusCode::CONFLICT,
        StatusCode::TOO_EARLY,
        StatusCode::TOO_MANY_REQUESTS,
    ];
    status.is_client_error() && !may_pass.contains(&status)
}
