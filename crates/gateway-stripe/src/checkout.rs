//! What a Checkout Session is opened with. All of it follows from the checkout to open, so that the same
//! intent sends the same form: under one idempotency key Stripe refuses another.

use payments::{AmountRefused, CheckoutState, NewCheckout};

use crate::api::{Parameters, pair, parameters};
use crate::objects::{Session, unreadable};
use crate::units;

/// How many characters of a line of the checkout page Stripe is given.
const LONGEST_LINE: usize = 250;

/// Methods that the payer completes days later, and of which there is no charge until then: nothing could be
/// shown as being processed meanwhile, and the payer might pay twice.
const WITHOUT_CHARGE_AT_FIRST: [&str; 5] = ["boleto", "customer_balance", "konbini", "multibanco", "oxxo"];

/// The form that opens a session.
///
/// # Errors
/// An [`AmountRefused`].
pub(crate) fn form(new: &NewCheckout) -> Result<Parameters, AmountRefused> {
    let units = units::payable(new.amount)?.to_string();
    let currency = new.amount.currency().code().to_ascii_lowercase();
    let intent = new.intent.to_string();
    let (description, company) = (line(&new.description), line(&new.company_name));
    let mut form = parameters(&[
        ("mode", "payment"),
        ("line_items[0][quantity]", "1"),
        ("line_items[0][price_data][currency]", &currency),
        ("line_items[0][price_data][unit_amount]", &units),
        ("line_items[0][price_data][product_data][name]", &description),
        // Another currency than the invoice's could not be applied to it.
        ("adaptive_pricing[enabled]", "false"),
        ("client_reference_id", &intent),
        ("metadata[intent_id]", &intent),
        ("payment_intent_data[metadata][intent_id]", &intent),
        ("payment_intent_data[description]", &description),
        ("success_url", &new.return_url),
        ("cancel_url", &new.return_url),
        ("expires_at", &new.expires_at.unix_timestamp().to_string()),
    ]);
    // Stripe takes a description that is left out, and none that is empty.
    if !company.is_empty() {
        form.push(pair("line_items[0][price_data][product_data][description]", company));
    }
    form.extend(new.payer_email.as_ref().map(|email| pair("customer_email", email.as_str())));
    let excluded = WITHOUT_CHARGE_AT_FIRST.iter().enumerate();
    form.extend(
        excluded.map(|(index, method)| pair(format!("excluded_payment_method_types[{index}]"), *method)),
    );
    Ok(form)
}

/// Where a session stands.
///
/// # Errors
/// An answer that says none of the states.
pub(crate) fn state(session: &Session) -> Result<CheckoutState, payments::GatewayError> {
    match session.status.as_deref() {
        Some("open") => Ok(CheckoutState::Open),
        Some("complete") => Ok(CheckoutState::Complete),
        Some("expired") => Ok(CheckoutState::Expired),
        _ => Err(unreadable("the status of the session")),
    }
}

fn line(text: &str) -> String {
    text.trim().chars().take(LONGEST_LINE).collect()
}
