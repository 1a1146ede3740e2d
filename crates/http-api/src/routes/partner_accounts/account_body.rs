//! The body of `POST /partner/accounts`, whose fields are those of an amendment too.

use kernel::{EmailAddress, Field, HttpsUrl, TimeZone};
use partner_accounts::{AccountStatus, AmendmentInput, BrandColor, ProfileInput};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::body::{FieldReader, RawField};

/// An account to create. Unknown fields are ignored; `null` and empty text count as left out, but for
/// `communications_enabled`, which is a boolean wherever it is given.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewAccount, example = json!({
    "company_name": "Acme Pty Ltd",
    "email": "owner@acme.example.com",
    "external_id": "customer-17",
    "timezone": "Australia/Sydney"
}))]
pub(crate) struct AccountBody {
    /// Your own identifier for the customer; one account has it.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 255)]
    external_id: RawField,
    /// The company's name. Required.
    #[serde(default)]
    #[schema(value_type = String, required = true, min_length = 1, max_length = 200)]
    company_name: RawField,
    /// The owner's e-mail address, which becomes the owner's login and cannot be changed. Required.
    #[serde(default)]
    #[schema(value_type = String, required = true, format = Email, max_length = 254)]
    email: RawField,
    /// The owner's first name.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 200)]
    first_name: RawField,
    /// The owner's last name.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 200)]
    last_name: RawField,
    /// A phone number, in free text.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 200)]
    phone: RawField,
    /// The Australian business number, in free text.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 200)]
    abn: RawField,
    /// The IANA name of the account's time zone; `UTC` when left out.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "Australia/Sydney")]
    timezone: RawField,
    /// Street and number.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 200)]
    address_line1: RawField,
    /// City or suburb.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 200)]
    address_city: RawField,
    /// State, province or region.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 200)]
    address_state: RawField,
    /// Postal code.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 200)]
    address_postal_code: RawField,
    /// Country.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 200)]
    address_country: RawField,
    /// What generated invoice numbers begin with; `INV-` when left out.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 20)]
    invoice_prefix: RawField,
    /// A wish for the name of the payment page: made URL-safe, and given a numeric suffix if it is taken.
    /// Made from `company_name` when left out.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 200)]
    payment_slug: RawField,
    /// Where the account's webhook endpoint is called: an `https` address that is public, without user name
    /// or password.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = "uri", max_length = 2048)]
    webhook_url: RawField,
    /// Where the logo is downloaded from: an `https` address that is public and answers, without a redirect
    /// and within 10 seconds, with a PNG or JPEG image of at most 1,000,000 bytes, 10,000 pixels a side and
    /// 8,000,000 pixels in all. SVG is not taken.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = "uri", max_length = 2048)]
    logo_url: RawField,
    /// A six-digit hex colour.
    #[serde(default)]
    #[schema(value_type = Option<String>, pattern = "^#[0-9A-Fa-f]{6}$")]
    brand_color: RawField,
    /// Whether the service may write to the account's customers; true when left out. A real boolean, not
    /// `null`.
    #[serde(default)]
    #[schema(value_type = bool, required = false, default = true)]
    communications_enabled: RawField,
    /// Looked at in an amendment alone.
    #[serde(default)]
    #[schema(ignore)]
    status: RawField,
}

impl AccountBody {
    /// The account as the domain takes it.
    pub(super) fn read(&self, reader: &mut FieldReader) -> ProfileInput {
        let email = reader.email("email", &self.email);
        self.profile(reader, email)
    }

    /// The amendment as the domain takes it.
    pub(super) fn read_amendment(&self, reader: &mut FieldReader) -> AmendmentInput {
        AmendmentInput {
            email: FieldReader::anything(&self.email),
            status: reader.text("status", &self.status, |text| {
                AccountStatus::parse(text.trim()).ok_or("must be active or inactive")
            }),
            profile: self.profile(reader, Field::Absent),
        }
    }

    fn profile(&self, reader: &mut FieldReader, email: Field<EmailAddress>) -> ProfileInput {
        ProfileInput {
            external_id: reader.line("external_id", &self.external_id),
            company_name: reader.line("company_name", &self.company_name),
            email,
            first_name: reader.line("first_name", &self.first_name),
            last_name: reader.line("last_name", &self.last_name),
            phone: reader.line("phone", &self.phone),
            abn: reader.line("abn", &self.abn),
            timezone: reader.text("timezone", &self.timezone, TimeZone::parse),
            address_line1: reader.line("address_line1", &self.address_line1),
            address_city: reader.line("address_city", &self.address_city),
            address_state: reader.line("address_state", &self.address_state),
            address_postal_code: reader.line("address_postal_code", &self.address_postal_code),
            address_country: reader.line("address_country", &self.address_country),
            invoice_prefix: reader.line("invoice_prefix", &self.invoice_prefix),
            payment_slug: reader.line("payment_slug", &self.payment_slug),
            webhook_url: reader.text("webhook_url", &self.webhook_url, HttpsUrl::parse),
            logo_url: reader.text("logo_url", &self.logo_url, HttpsUrl::parse),
            brand_color: reader.text("brand_color", &self.brand_color, BrandColor::parse),
            communications_enabled: reader.flag("communications_enabled", &self.communications_enabled),
        }
    }
}
