//! The body of `POST /partner/accounts`. An amendment has the same fields.

use std::convert::Infallible;

use kernel::{EmailAddress, FieldSource as _, HttpsUrl, Named as _};
use partner_accounts::{AccountStatus, AmendmentInput, BrandColor, LogoAddress, ProfileInput};
use utoipa::ToSchema;

use crate::body::FieldReader;

/// An account to create. Unknown fields are ignored; `null` and empty text count as absent, except for
/// `communications_enabled`, which must be a boolean if given.
#[derive(ToSchema)]
#[schema(as = NewAccount, example = json!({
    "company_name": "Acme Pty Ltd",
    "email": "owner@acme.example.com",
    "external_id": "customer-17",
    "timezone": "Australia/Sydney"
}))]
#[expect(dead_code, reason = "describes the body and never holds it")]
pub(crate) struct AccountBody {
    /// Your own identifier for the customer, unique among your accounts.
    #[schema(max_length = 255)]
    external_id: Option<String>,
    /// The company's name. Required.
    #[schema(required = true, min_length = 1, max_length = 200)]
    company_name: String,
    /// The owner's e-mail address, which becomes the owner's login and cannot be changed. Required.
    #[schema(required = true, format = Email, max_length = 254)]
    email: String,
    /// The owner's first name.
    #[schema(max_length = 200)]
    first_name: Option<String>,
    /// The owner's last name.
    #[schema(max_length = 200)]
    last_name: Option<String>,
    /// A phone number, in free text.
    #[schema(max_length = 200)]
    phone: Option<String>,
    /// The Australian business number, in free text.
    #[schema(max_length = 200)]
    abn: Option<String>,
    /// The IANA name of the account's time zone; `UTC` by default.
    #[schema(example = "Australia/Sydney")]
    timezone: Option<String>,
    /// Street and number.
    #[schema(max_length = 200)]
    address_line1: Option<String>,
    /// City or suburb.
    #[schema(max_length = 200)]
    address_city: Option<String>,
    /// State, province or region.
    #[schema(max_length = 200)]
    address_state: Option<String>,
    /// Postal code.
    #[schema(max_length = 200)]
    address_postal_code: Option<String>,
    /// Country.
    #[schema(max_length = 200)]
    address_country: Option<String>,
    /// The prefix of generated invoice numbers; `INV-` by default.
    #[schema(max_length = 20)]
    invoice_prefix: Option<String>,
    /// The preferred name of the payment page: made URL-safe, and given a numeric suffix if it is taken. By
    /// default made from `company_name`.
    #[schema(max_length = 200)]
    payment_slug: Option<String>,
    /// The URL of the account's webhook endpoint: a public `https` address without user name or password.
    #[schema(format = "uri", max_length = 2048)]
    webhook_url: Option<String>,
    /// The URL that the logo is downloaded from: a public `https` address that responds, without a redirect
    /// and within 10 seconds, with a PNG or JPEG image of under 1,000,000 bytes, at most 10,000 pixels a side
    /// and 8,000,000 pixels in total. SVG is not accepted.
    #[schema(format = "uri", max_length = 2048)]
    logo_url: Option<String>,
    /// A six-digit hex colour.
    #[schema(pattern = "^#[0-9A-Fa-f]{6}$")]
    brand_color: Option<String>,
    /// Whether the service may write to the account's customers; true by default. Must be a boolean, not
    /// `null`.
    #[schema(required = false, default = true)]
    communications_enabled: bool,
}

impl AccountBody {
    /// Reads the account into the input of the domain.
    pub(super) fn read(reader: &mut FieldReader<'_>) -> ProfileInput {
        reader.ignore("status");
        ProfileInput {
            email: reader.text("email", EmailAddress::parse),
            logo_url: reader.text("logo_url", HttpsUrl::parse).map(LogoAddress::from),
            ..Self::profile(reader)
        }
    }

    /// Reads an amendment into the input of the domain.
    pub(super) fn read_amendment(reader: &mut FieldReader<'_>) -> AmendmentInput {
        AmendmentInput {
            email: reader.anything("email"),
            status: reader.text("status", |text| AccountStatus::parse(text.trim())),
            // Whether text that is no https address is a fault depends on the logo that the account has.
            profile: ProfileInput {
                logo_url: reader.text("logo_url", |text| Ok::<_, Infallible>(LogoAddress::read(text))),
                ..Self::profile(reader)
            },
        }
    }

    /// Reads all fields but `email` and `logo_url`.
    fn profile(reader: &mut FieldReader<'_>) -> ProfileInput {
        let external_id = reader.line("external_id");
        let shared = ProfileInput::read(reader);
        ProfileInput {
            external_id,
            webhook_url: reader.text("webhook_url", HttpsUrl::parse),
            brand_color: reader.text("brand_color", BrandColor::parse),
            communications_enabled: reader.flag("communications_enabled"),
            ..shared
        }
    }
}
