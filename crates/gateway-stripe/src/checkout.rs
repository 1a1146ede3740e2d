//! The form that opens a Checkout Session. It depends only on the checkout to open, so the same intent always
//! sends the same form: Stripe refuses another form under the same idempotency key.

use kernel::EmailAddress;
use payments::{AmountRefused, CheckoutState, NewCheckout};

use crate::api::{Parameters, pair, parameters};
use crate::objects::{CheckoutSession, unreadable};
use crate::units;

/// The maximum number of characters in a line of the checkout page.
const MAX_LINE_LENGTH: usize = 250;

/// Methods that the payer completes days later and that have no charge until then. The payment could not be
/// shown as being processed meanwhile, and the payer might pay twice.
const WITHOUT_CHARGE_AT_FIRST: [&str; 5] = ["boleto", "customer_balance", "konbini", "multibanco", "oxxo"];

/// Builds the form that opens a session.
pub(crate) fn form(new: &NewCheckout) -> Result<Parameters, AmountRefused> {
    let units = units::payable(new.amount)?.to_string();
    let currency = new.amount.currency().code().to_ascii_lowercase();
    let (intent, account) = (new.intent.to_string(), new.account.to_string());
    let (description, company) = (line(&new.description), line(&new.company_name));
    let mut form = parameters(&[
        ("mode", "payment"),
        ("line_items[0][quantity]", "1"),
        ("line_items[0][price_data][currency]", &currency),
        ("line_items[0][price_data][unit_amount]", &units),
        ("line_items[0][price_data][product_data][name]", &description),
        // A payment in another currency could not be applied to the invoice.
        ("adaptive_pricing[enabled]", "false"),
        ("client_reference_id", &intent),
        ("metadata[intent_id]", &intent),
        ("payment_intent_data[metadata][intent_id]", &intent),
        ("payment_intent_data[metadata][account_id]", &account),
        ("payment_intent_data[description]", &description),
        ("success_url", &new.return_url),
        ("cancel_url", &new.return_url),
        ("expires_at", &new.expires_at.unix_timestamp().to_string()),
    ]);
    // Stripe accepts a missing description, but not an empty one.
    if !company.is_empty() {
        form.push(pair("line_items[0][price_data][product_data][description]", company));
    }
    // The address only fills in a field of the checkout page; one that is not ASCII makes Stripe refuse the
    // whole request.
    let email = new.payer_email.as_ref().map(EmailAddress::with_ascii_domain);
    form.extend(email.filter(|email| email.is_ascii()).map(|email| pair("customer_email", email)));
    let excluded = WITHOUT_CHARGE_AT_FIRST.iter().enumerate();
    form.extend(
        excluded.map(|(index, method)| pair(format!("excluded_payment_method_types[{index}]"), *method)),
    );
    Ok(form)
}

/// The state of a session, without regard to its charges.
///
/// # Errors
/// When the response has no known status.
pub(crate) fn state(session: &CheckoutSession) -> Result<CheckoutState, payments::GatewayError> {
    match session.status.as_deref() {
        Some("open") => Ok(CheckoutState::Open),
        Some("complete") => Ok(CheckoutState::Complete),
        Some("expired") => Ok(CheckoutState::Expired),
        _ => Err(unreadable("the status of the session")),
    }
}

/// Whether a complete session without a charge, read with its payment intent, may still get one. A debit from
/// a bank account that the payer verifies by small deposits has none for days; if the verification fails, the
/// payment intent needs another method.
pub(crate) fn may_be_charged(session: &CheckoutSession) -> bool {
    let intent = session.payment_intent.as_ref().and_then(|intent| intent.get("status")?.as_str());
    session.payment_status.as_deref() == Some("unpaid")
        && !matches!(intent, Some("canceled" | "requires_payment_method"))
}

fn line(text: &str) -> String {
    text.trim().chars().take(MAX_LINE_LENGTH).collect()
}
