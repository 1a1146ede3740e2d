//! The body of `PATCH /partner/accounts/{id}` as the document describes it.
//! [`AccountBody`](super::account_body::AccountBody) reads it.

use utoipa::ToSchema;

use crate::openapi::enum_schemas;

/// The fields to change; at least one. Unknown fields are ignored. A field that is left out stays as it is;
/// empty text counts as `null`.
#[derive(ToSchema)]
#[schema(as = AccountAmendment, example = json!({
    "company_name": "Acme Holdings Pty Ltd",
    "phone": null,
    "webhook_url": "https://hooks.acme.example.com/invoicing"
}))]
#[expect(dead_code, reason = "describes the body and never holds it")]
pub(crate) struct AmendmentBody {
    #[schema(required = false, schema_with = enum_schemas::account_switch)]
    status: String,
    /// Your own identifier for the customer, which no other of your accounts may have; `null` clears it.
    #[schema(required = false, max_length = 255)]
    external_id: Option<String>,
    /// The company's name. Not `null`.
    #[schema(required = false, min_length = 1, max_length = 200)]
    company_name: String,
    /// The owner's first name; `null` clears it.
    #[schema(required = false, max_length = 200)]
    first_name: Option<String>,
    /// The owner's last name; `null` clears it.
    #[schema(required = false, max_length = 200)]
    last_name: Option<String>,
    /// A phone number, in free text; `null` clears it.
    #[schema(required = false, max_length = 200)]
    phone: Option<String>,
    /// The Australian business number, in free text; `null` clears it.
    #[schema(required = false, max_length = 200)]
    abn: Option<String>,
    /// The IANA name of the account's time zone. Not `null`: `UTC` is a name too.
    #[schema(required = false, example = "Australia/Sydney")]
    timezone: String,
    /// Street and number; `null` clears it.
    #[schema(required = false, max_length = 200)]
    address_line1: Option<String>,
    /// City or suburb; `null` clears it.
    #[schema(required = false, max_length = 200)]
    address_city: Option<String>,
    /// State, province or region; `null` clears it.
    #[schema(required = false, max_length = 200)]
    address_state: Option<String>,
    /// Postal code; `null` clears it.
    #[schema(required = false, max_length = 200)]
    address_postal_code: Option<String>,
    /// Country; `null` clears it.
    #[schema(required = false, max_length = 200)]
    address_country: Option<String>,
    /// What generated invoice numbers begin with; `null` means `INV-` again.
    #[schema(required = false, max_length = 20)]
    invoice_prefix: Option<String>,
    /// A wish for the name of the payment page: made URL-safe, and given a numeric suffix if another account
    /// has it. Not `null`.
    #[schema(required = false, max_length = 200)]
    payment_slug: String,
    /// Where the account's webhook endpoint is called from now on: an `https` address that is public, without
    /// user name or password. `null` disables the endpoint.
    #[schema(required = false, format = "uri", max_length = 2048)]
    webhook_url: Option<String>,
    /// Where another logo is downloaded from, under the rules of a creation; `null` takes the logo away. The
    /// address that the account shows is no other logo.
    #[schema(required = false, format = "uri", max_length = 2048)]
    logo_url: Option<String>,
    /// A six-digit hex colour; `null` clears it.
    #[schema(required = false, pattern = "^#[0-9A-Fa-f]{6}$")]
    brand_color: Option<String>,
    /// Whether the service may write to the account's customers. A real boolean, not `null`.
    #[schema(required = false)]
    communications_enabled: bool,
}
