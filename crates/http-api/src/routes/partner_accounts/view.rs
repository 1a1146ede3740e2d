//! The account as its partner and the operator see it.

use kernel::{Named as _, PublicUrls, instant_text};
use partner_accounts::{Account, KeyInfo};
use serde::Serialize;
use utoipa::ToSchema;

/// An account of one of the partner's customers, as the API returns it. The operator's commands print these
/// fields and a few more.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Account)]
pub struct AccountView {
    /// The account's id.
    #[schema(format = Uuid, example = "01a1f6b6-ee63-7000-8000-000000000001")]
    pub id: String,
    /// The partner's own identifier for the customer.
    #[schema(example = "customer-17")]
    pub external_id: Option<String>,
    /// Active unless the partner or the operator has switched the account off.
    pub status: &'static str,
    /// The company's name.
    #[schema(example = "Acme Pty Ltd")]
    pub company_name: String,
    /// The owner's first name.
    pub first_name: Option<String>,
    /// The owner's last name.
    pub last_name: Option<String>,
    /// The owner's e-mail address, which is the owner's login; always null in lists.
    #[schema(format = Email, example = "owner@acme.example.com")]
    pub email: Option<String>,
    /// A phone number.
    pub phone: Option<String>,
    /// The Australian business number.
    pub abn: Option<String>,
    /// The IANA name of the time zone in which the account's days begin and end.
    #[schema(example = "Australia/Sydney")]
    pub timezone: String,
    /// Street and number.
    pub address_line1: Option<String>,
    /// City or suburb.
    pub address_city: Option<String>,
    /// State, province or region.
    pub address_state: Option<String>,
    /// Postal code.
    pub address_postal_code: Option<String>,
    /// Country.
    pub address_country: Option<String>,
    /// The prefix of generated invoice numbers; null means `INV-`.
    pub invoice_prefix: Option<String>,
    /// The URL-safe name of the payment page.
    #[schema(example = "acme-pty-ltd")]
    pub payment_slug: String,
    /// The URL of the webhook endpoint that was registered through this API; null if there is none or it is
    /// disabled.
    #[schema(format = "uri", example = "https://hooks.acme.example.com/invoicing")]
    pub webhook_url: Option<String>,
    /// The URL of the service's own copy of the logo; null without a logo.
    #[schema(
        format = "uri",
        example = "https://books.example.com/logos/GvCkWqTtzbhBnxlQj0JpXy3aM8sRd1Ue.png"
    )]
    pub logo_url: Option<String>,
    /// The brand colour: `#` and six hexadecimal digits.
    #[schema(example = "#1A2B3C")]
    pub brand_color: Option<String>,
    /// Whether the service may write to the account's customers.
    pub communications_enabled: bool,
    /// Identifies the current key; null without a key.
    pub api_key_info: Option<KeyInfoView>,
    /// When the account was created.
    #[schema(format = DateTime, example = "2026-11-20T02:09:06.147Z")]
    pub created_at: String,
    /// When the account was last changed.
    #[schema(format = DateTime, example = "2026-11-20T02:09:06.147Z")]
    pub updated_at: String,
}

/// Identifies a key without revealing it.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = ApiKeyInfo)]
pub struct KeyInfoView {
    /// The prefix of the key.
    #[schema(example = "ct_live_")]
    pub prefix: String,
    /// The last four characters of the key.
    #[schema(example = "3fQx")]
    pub last_four: String,
    /// When the key was created.
    #[schema(format = DateTime)]
    pub created_at: String,
}

impl AccountView {
    /// Presents an account with all fields.
    #[must_use]
    pub fn full(account: &Account, urls: &PublicUrls) -> Self {
        let profile = &account.profile;
        Self {
            id: account.id.to_string(),
            external_id: text(&account.external_id),
            status: account.status().as_str(),
            company_name: profile.company_name.to_string(),
            first_name: text(&profile.first_name),
            last_name: text(&profile.last_name),
            email: Some(account.email.to_string()),
            phone: text(&profile.phone),
            abn: text(&profile.abn),
            timezone: profile.time_zone.name().to_owned(),
            address_line1: text(&profile.address_line1),
            address_city: text(&profile.address_city),
            address_state: text(&profile.address_state),
            address_postal_code: text(&profile.address_postal_code),
            address_country: text(&profile.address_country),
            invoice_prefix: text(&profile.invoice_prefix),
            payment_slug: account.payment_slug.to_string(),
            webhook_url: text(&account.webhook),
            logo_url: account.logo.as_ref().map(|logo| urls.logo(logo)),
            brand_color: text(&profile.brand_color),
            communications_enabled: profile.communications_enabled,
            api_key_info: account.key.as_ref().map(KeyInfoView::from),
            created_at: instant_text(account.created_at),
            updated_at: instant_text(account.updated_at),
        }
    }

    /// Presents an account in a list or look-up, where the owner's e-mail address is left out.
    #[must_use]
    pub fn listed(account: &Account, urls: &PublicUrls) -> Self {
        Self { email: None, ..Self::full(account, urls) }
    }
}

impl From<&KeyInfo> for KeyInfoView {
    fn from(key: &KeyInfo) -> Self {
        Self {
            prefix: key.prefix.clone(),
            last_four: key.last_four.clone(),
            created_at: instant_text(key.created_at),
        }
    }
}

/// The text of a value that may be absent.
fn text(value: &Option<impl ToString>) -> Option<String> {
    value.as_ref().map(ToString::to_string)
}
