//! Settings of the operator.

use std::fmt;

use https_client::{SetupError, UrlFault, checked_url};
use reqwest::Url;
use reqwest::header::HeaderValue;

/// How to reach an organisation's accounting in Xero.
#[derive(Clone)]
pub struct XeroSettings {
    /// The base of the Accounting API.
    pub base_url: String,
    /// The URL that issues tokens.
    pub token_url: String,
    /// The id of the custom connection.
    pub client_id: String,
    pub client_secret: String,
    /// The scope of the token.
    pub scope: String,
    /// The organisation. Not needed for a custom connection, which has only one.
    pub tenant_id: Option<String>,
    /// The account that sales are booked to. Xero refuses lines without one.
    pub sales_account_code: Option<String>,
    /// PEM certificates that are trusted in addition to the system's.
    pub extra_ca_pem: Option<Vec<u8>>,
}

/// Why the settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsFault {
    /// The base of the API is not a URL that a token may be sent to.
    #[error("the base URL {0}")]
    BaseUrl(UrlFault),
    /// The token URL is not one that the secret may be sent to.
    #[error("the token URL {0}")]
    TokenUrl(UrlFault),
    /// The tenant's id has characters that a header cannot contain.
    #[error("the tenant id must be printable characters")]
    TenantId,
    #[error(transparent)]
    Client(#[from] SetupError),
}

impl XeroSettings {
    /// The base URL of Xero's API.
    pub const BASE_URL: &'static str = "https://api.xero.com/api.xro/2.0";
    /// The URL where Xero issues tokens.
    pub const TOKEN_URL: &'static str = "https://identity.xero.com/connect/token";
    /// The scope for entering and voiding invoices.
    pub const SCOPE: &'static str = "accounting.transactions";

    /// The settings of a custom connection, with Xero's own URLs.
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

    /// Checks that a ledger can be created: the URLs and the tenant's id are well formed.
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
