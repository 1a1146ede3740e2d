//! The addresses that the service publishes.

use std::fmt;
use std::sync::Arc;

use crate::logo_key::LogoKey;

/// Makes every address that the service publishes, from the base address at which clients reach it. Clones
/// share the base.
///
/// ```
/// use kernel::PublicUrls;
///
/// let urls = PublicUrls::new("https://books.example.com/");
/// assert_eq!(urls.payment_page("token"), "https://books.example.com/pay/token");
/// assert_eq!(urls.api(), "https://books.example.com/api/v1");
/// assert_eq!(PublicUrls::new("https://example.com/books").origin(), "https://example.com");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrls(Arc<str>);

impl PublicUrls {
    /// The path prefix of the API's operations.
    pub const API_PATH: &'static str = "/api/v1";

    /// Takes the base, such as `https://books.example.com`; trailing slashes are dropped.
    #[must_use]
    pub fn new(base: &str) -> Self {
        Self(Arc::from(base.trim_end_matches('/')))
    }

    /// The base, without a trailing slash.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.0
    }

    /// The base of the API's operations.
    #[must_use]
    pub fn api(&self) -> String {
        format!("{}{}", self.0, Self::API_PATH)
    }

    /// A resource of the API. `collection` is its path under the API, such as `invoices` or
    /// `partner/accounts`.
    #[must_use]
    pub fn resource(&self, collection: &str, id: impl fmt::Display) -> String {
        format!("{}{}/{collection}/{id}", self.0, Self::API_PATH)
    }

    /// The payment page of an invoice. `token` is the invoice's secret token.
    #[must_use]
    pub fn payment_page(&self, token: &str) -> String {
        format!("{}/pay/{token}", self.0)
    }

    /// The PDF that the payment page offers.
    #[must_use]
    pub fn payment_page_pdf(&self, token: &str) -> String {
        format!("{}/pay/{token}/invoice.pdf", self.0)
    }

    /// A page of the service. `path` is the path of its route, such as `/dashboard/invoices`.
    #[must_use]
    pub fn page(&self, path: impl fmt::Display) -> String {
        format!("{}{path}", self.0)
    }

    /// The origin of every page (RFC 6454, section 6.2): the base without its path.
    #[must_use]
    pub fn origin(&self) -> &str {
        let after_scheme = self.0.find("://").map_or(0, |place| place.saturating_add(3));
        let path = self.0.get(after_scheme..).and_then(|rest| rest.find('/'));
        let end = path.map_or(self.0.len(), |place| place.saturating_add(after_scheme));
        self.0.get(..end).unwrap_or(&self.0)
    }

    /// Where the reader of a payment page asks for help.
    #[must_use]
    pub fn payment_page_help(&self, token: &str) -> String {
        format!("{}/pay/{token}/help", self.0)
    }

    /// Where the reader of a payment page promises to pay.
    #[must_use]
    pub fn payment_page_promise(&self, token: &str) -> String {
        format!("{}/pay/{token}/promise", self.0)
    }

    /// Where the reader of a payment page starts paying online.
    #[must_use]
    pub fn payment_page_checkout(&self, token: &str) -> String {
        format!("{}/pay/{token}/checkout", self.0)
    }

    /// Where a payer returns to after paying online. `intent` is the payment intent.
    #[must_use]
    pub fn payment_page_return(&self, token: &str, intent: impl fmt::Display) -> String {
        format!("{}/pay/{token}/return?payment={intent}", self.0)
    }

    /// Where a gateway sends its events.
    #[must_use]
    pub fn gateway_events(&self, kind: &str, gateway_account: impl fmt::Display) -> String {
        format!("{}/gateways/{kind}/{gateway_account}/events", self.0)
    }

    /// A checkout of the sandbox.
    #[must_use]
    pub fn sandbox_checkout(&self, id: &str) -> String {
        format!("{}/sandbox/checkout/{id}", self.0)
    }

    /// The receipt of a payment that the payment page offers.
    #[must_use]
    pub fn payment_page_receipt(&self, token: &str, payment: impl fmt::Display) -> String {
        format!("{}/pay/{token}/receipts/{payment}.pdf", self.0)
    }

    /// The payment page of the account with this name.
    #[must_use]
    pub fn account_page(&self, slug: &str) -> String {
        format!("{}/to/{slug}", self.0)
    }

    /// Where the owner of an account undoes a change of bank details. `token` is the change's secret token.
    #[must_use]
    pub fn bank_details_undo(&self, token: &str) -> String {
        format!("{}/bank-details/{token}/undo", self.0)
    }

    /// Where a contact stops reminders by e-mail. `token` is the secret token of a message.
    #[must_use]
    pub fn unsubscribe(&self, token: &str) -> String {
        format!("{}/unsubscribe/{token}", self.0)
    }

    /// Where the owner of an account undoes the entry of a gateway key. `token` is the entry's secret token.
    #[must_use]
    pub fn gateway_key_undo(&self, token: &str) -> String {
        format!("{}/gateway-keys/{token}/undo", self.0)
    }

    /// A file that pages load, such as a style sheet. Its name changes with its content.
    #[must_use]
    pub fn asset(&self, name: &str) -> String {
        format!("{}/assets/{name}", self.0)
    }

    /// The page on which an account's owner accepts an invitation. `token` is the invitation's secret token.
    #[must_use]
    pub fn invitation(&self, token: &str) -> String {
        format!("{}/invitations/{token}", self.0)
    }

    /// The service's copy of a logo.
    #[must_use]
    pub fn logo(&self, key: &LogoKey) -> String {
        format!("{}/logos/{key}", self.0)
    }

    /// The API's documentation.
    #[must_use]
    pub fn docs(&self) -> String {
        format!("{}/docs", self.0)
    }
}

impl fmt::Display for PublicUrls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
