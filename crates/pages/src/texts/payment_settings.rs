//! The texts of the settings of payments.

/// The texts of the settings of payments.
#[derive(Debug)]
pub struct PaymentSettingsTexts {
    pub heading: &'static str,
    pub bank_details: &'static str,
    pub none: &'static str,
    pub in_force_since: fn(&str) -> String,
    pub not_in_force: &'static str,
    pub pending: fn(&str) -> String,
    pub pending_removal: fn(&str) -> String,
    pub enter: &'static str,
    pub enter_note: fn(i64) -> String,
    pub currency: &'static str,
    pub kind: &'static str,
    pub kind_hint: &'static str,
    pub bic_hint: &'static str,
    pub only_for: fn(&str) -> String,
    pub pay_id_hint: &'static str,
    pub save: &'static str,
    pub remove: fn(&str) -> String,
    pub online: &'static str,
    pub minimum_percent: &'static str,
    pub minimum_percent_hint: &'static str,
    pub unapplied: &'static str,
    pub unapplied_return: &'static str,
    pub unapplied_keep: &'static str,
    pub save_online: &'static str,
    pub gateways: &'static str,
    pub no_gateway: &'static str,
    pub connected: &'static str,
    pub not_connected: &'static str,
    pub pending_key: fn(&str) -> String,
    pub no_webhook_secret: &'static str,
    pub events_url: &'static str,
    pub disconnect: fn(&str) -> String,
    pub connect: &'static str,
    pub connect_note: fn(i64) -> String,
    pub gateway_key: &'static str,
    pub gateway_key_hint: &'static str,
    pub webhook_secret: &'static str,
    pub webhook_secret_hint: &'static str,
    pub save_gateway: &'static str,
    pub promises: &'static str,
    pub promise_days: &'static str,
    pub promise_days_hint: &'static str,
    pub save_promise_days: &'static str,
}

/// English.
pub(super) const ENGLISH: PaymentSettingsTexts = PaymentSettingsTexts {
    heading: "Payments",
    bank_details: "Bank details",
    none: "There are no bank details yet. Enter them below: payment pages and invoices show them.",
    in_force_since: |instant| format!("Shown on invoices since {instant}."),
    not_in_force: "Invoices show none yet.",
    pending: |instant| format!("Shown on invoices from {instant} on:"),
    pending_removal: |instant| format!("Removed: invoices show them until {instant}, and none from then on."),
    enter: "Enter bank details",
    enter_note: |hours| {
        let wait = wait(hours);
        format!(
            "New details are shown on invoices {wait}, in place of the earlier ones of their currency, and removed \
             ones are shown until then: it gives you time to undo what somebody else entered. We mail you a link \
             with which the change can be undone."
        )
    },
    currency: "Currency",
    kind: "Kind",
    kind_hint: "Fill in the fields of this kind alone.",
    bic_hint: "Optional.",
    only_for: |kind| format!("For the kind: {kind}."),
    pay_id_hint: "An e-mail address, a telephone number, an ABN, an ACN or an organisation's PayID.",
    save: "Save bank details",
    remove: |currency| format!("Remove the bank details for {currency}"),
    online: "Online payments",
    minimum_percent: "Least part of an invoice that is paid at once, in percent",
    minimum_percent_hint: "From 1 to 100; with 100 an invoice is paid as a whole.",
    unapplied: "Money that comes for an invoice that was paid or cancelled meanwhile",
    unapplied_return: "Return it to the payer",
    unapplied_keep: "Keep it, and settle it with the payer",
    save_online: "Save online payments",
    gateways: "Payment gateways",
    no_gateway: "There is none yet. Connect one below: payment pages then have a button to pay online.",
    connected: "Connected. The key is stored sealed and is never shown.",
    not_connected: "Not connected: nothing can be paid through it until the new key is in force.",
    pending_key: |instant| format!("A new key is in force from {instant} on."),
    no_webhook_secret: "The webhook secret is missing. Until it is entered, events are refused, and payments are \
                        found when the payer returns and by regular questions.",
    events_url: "Address for events",
    disconnect: |gateway| format!("Disconnect {gateway}"),
    connect: "Connect Stripe, or replace its secrets",
    connect_note: |hours| {
        format!(
            "The first key is in force at once. A key that replaces another is in force {}, and the earlier one until \
             then: it gives you time to undo what another person entered. We mail you a link with which the change can \
             be undone.",
            wait(hours)
        )
    },
    gateway_key: "Restricted key",
    gateway_key_hint: "Of your Stripe account, with the permissions that the manual lists. Leave it empty to enter \
                       the webhook secret alone.",
    webhook_secret: "Webhook secret",
    webhook_secret_hint: "Of the endpoint at Stripe that has the address for events. It may follow later.",
    save_gateway: "Save secrets",
    promises: "Promises to pay",
    promise_days: "Days within which payers may promise to pay",
    promise_days_hint: "From 0 to 365, counted from today.",
    save_promise_days: "Save days",
};

fn wait(hours: i64) -> String {
    match hours {
        0 => "at once".to_owned(),
        1 => "after 1 hour".to_owned(),
        hours => format!("after {hours} hours"),
    }
}
