//! What the operator sets.

use std::fmt;

use https_client::{SetupFault, UrlFault, checked_url};
use reqwest::Url;
use reqwest::header::HeaderValue;

/// How to get at an organisation's books in Xero.
#[derive(Clone)]
pub struct XeroSettings {
    /// The base of the Accounting API.
    pub base_url: String,
    /// Where tokens are given out.
    pub token_url: String,
    /// The id of the custom connection.
    pub client_id: String,
    pub client_secret: String,
    /// What the token is to allow.
    pub scope: String,
    /// The organisation. A custom connection has only one and needs none here.
    pub tenant_id: Option<String>,
    /// The account that sales are booked on. Xero refuses lines without one.
    pub sales_account_code: Option<String>,
    /// Certificates in PEM that are trusted beside those of the system.
    pub extra_ca_pem: Option<Vec<u8>>,
}

/// Why settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsFault {
    /// The base of the API is no address to send a token to.
    #[error("the base URL {0}")]
    BaseUrl(UrlFault),
    /// The token URL is no address to send the secret to.
    #[error("the token URL {0}")]
    TokenUrl(UrlFault),
    /// The tenant's id has characters that no header takes.
    #[error("the tenant id must be printable characters")]
    TenantId,
    #[error(transparent)]
    Client(#[from] SetupFault),
}

impl XeroSettings {
    /// The base of Xero's own API.
    pub const BASE_URL: &'static str = "https://api.xero.com/api.xro/2.0";
    /// Where Xero gives out tokens.
    pub const TOKEN_URL: &'static str = "https://identity.xero.com/connect/token";
    /// What entering and voiding invoices takes.
    pub const SCOPE: &'static str = "accounting.transactions";

    /// The settings of a custom connection, with Xero's own addresses.
    #[must_use]
    pub fn new(client_id: impl Into<String>, client_secret: impl Into<String>) -> Self {
        Self {
            base_url: Self::BASE_URL.to_owned(),
            token_url: Self::TOKEN_URL.to_owned(),
            client_id: client_id.into(),
            client_secret: client_secret.into(),
            scope: Self::SCOPE.to_owned(),
            tenant_id: None,
            sales_account_code: None,
            extra_ca_pem: None,
        }
    }

    /// Whether a ledger can be set up with them: the addresses and the tenant's id are well formed.
    ///
    /// # Errors
    /// The first [`SettingsFault`].
    pub fn check(&self) -> Result<(), SettingsFault> {
        self.base()?;
        self.token_address()?;
        self.tenant().map(drop)
    }

    pub(crate) fn base(&self) -> Result<Url, SettingsFault> {
        checked_url(&self.base_url).map_err(SettingsFault::BaseUrl)
    }

    pub(crate) fn token_address(&self) -> Result<Url, SettingsFault> {
        checked_url(&self.token_url).map_err(SettingsFault::TokenUrl)
    }

    pub(crate) fn tenant(&self) -> Result<Option<HeaderValue>, SettingsFault> {
        let tenant = self.tenant_id.as_deref().map(HeaderValue::from_str);
        tenant.transpose().map_err(|_unusable| SettingsFault::TenantId)
    }
}

impl fmt::Debug for XeroSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("XeroSettings")
            .field("base_url", &self.base_url)
            .field("token_url", &self.token_url)
            .field("client_id", &self.client_id)
            .field("client_secret", &"[redacted]")
            .field("scope", &self.scope)
            .field("tenant_id", &self.tenant_id)
            .field("sales_account_code", &self.sales_account_code)
            .finish_non_exhaustive()
    }
}
