//! The texts of the settings of payments.

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
    pub sandbox_only: &'static str,
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
    pub at_stripe: &'static str,
    pub permissions: &'static str,
    pub permission: [(&'static str, &'static str); 6],
    pub events: &'static str,
    pub event: [&'static str; 17],
    pub webhook_secret: &'static str,
    pub webhook_secret_hint: &'static str,
    pub save_gateway: &'static str,
    pub promises: &'static str,
    pub promise_days: &'static str,
    pub promise_days_hint: &'static str,
    pub save_promise_days: &'static str,
}

pub(super) const ENGLISH: PaymentSettingsTexts = PaymentSettingsTexts {
    heading: "Payments",
    bank_details: "Bank details",
    none: "There are no bank details yet. Enter them below to show them on payment pages and invoices.",
    in_force_since: |instant| format!("Shown on invoices since {instant}."),
    not_in_force: "Invoices show none yet.",
    pending: |instant| format!("Shown on invoices from {instant}:"),
    pending_removal: |instant| format!("Removed: invoices show them until {instant}, and none after that."),
    enter: "Enter bank details",
    enter_note: |hours| {
        let wait = wait(hours);
        format!(
            "Changes take effect on invoices {wait}: new details replace the earlier ones in the same \
             currency, and removed details disappear. This gives you time to undo what somebody else \
             entered. We e-mail you a link to undo the change."
        )
    },
    currency: "Currency",
    kind: "Kind",
    kind_hint: "Fill in only the fields for this kind.",
    bic_hint: "Optional.",
    only_for: |kind| format!("Only for: {kind}."),
    pay_id_hint: "An e-mail address, a telephone number, an ABN, an ACN or an organisation's PayID.",
    save: "Save bank details",
    remove: |currency| format!("Remove the bank details for {currency}"),
    online: "Online payments",
    minimum_percent: "Minimum payment, in percent of the invoice",
    minimum_percent_hint: "From 1 to 100. With 100, customers can only pay the whole invoice at once.",
    unapplied: "Money that arrives for an invoice already paid or cancelled",
    unapplied_return: "Return it to the payer",
    unapplied_keep: "Keep it, and settle it with the payer",
    save_online: "Save online payment settings",
    gateways: "Payment gateways",
    no_gateway: "None is connected yet. Connect one below to add a button to pay online to your payment \
                 pages.",
    sandbox_only: "None is connected yet. Until you connect one below, your payment pages have a button that \
                   pays in the sandbox, where no money moves.",
    connected: "Connected. The key is stored encrypted and is never shown.",
    not_connected: "Not connected: nothing can be paid through it until the new key takes effect.",
    pending_key: |instant| format!("A new key takes effect on {instant}."),
    no_webhook_secret: "The webhook secret is missing. Until you enter it, events are refused, and \
                        payments are found only when the payer returns or by regular checks.",
    events_url: "Address for events",
    disconnect: |gateway| format!("Disconnect {gateway}"),
    connect: "Connect Stripe, or replace its secrets",
    connect_note: |hours| {
        format!(
            "The first key takes effect at once. A key that replaces another takes effect {}; the earlier \
             one is used until then. This gives you time to undo what somebody else entered. We e-mail \
             you a link to undo the change.",
            wait(hours)
        )
    },
    gateway_key: "Restricted key",
    gateway_key_hint: "From your Stripe account, with the permissions listed above. Leave it empty to enter \
                       only the webhook secret.",
    at_stripe: "What to choose at Stripe",
    permissions: "A restricted key with these permissions only:",
    permission: [
        ("Checkout Sessions", "write"),
        ("Charges and Refunds", "write"),
        ("PaymentIntents", "read"),
        ("Disputes", "read"),
        ("Events", "read"),
        ("Balance", "read"),
    ],
    events: "A webhook endpoint for these events:",
    event: [
        "checkout.session.completed",
        "checkout.session.expired",
        "checkout.session.async_payment_succeeded",
        "checkout.session.async_payment_failed",
        "charge.pending",
        "charge.succeeded",
        "charge.failed",
        "charge.refunded",
        "charge.refund.updated",
        "charge.dispute.created",
        "charge.dispute.updated",
        "charge.dispute.closed",
        "charge.dispute.funds_withdrawn",
        "charge.dispute.funds_reinstated",
        "refund.created",
        "refund.updated",
        "refund.failed",
    ],
    webhook_secret: "Webhook secret",
    webhook_secret_hint: "From the endpoint at Stripe that uses the address for events. You can add it \
                          later.",
    save_gateway: "Save secrets",
    promises: "Promises to pay",
    promise_days: "Longest promise to pay, in days",
    promise_days_hint: "How many days ahead customers may promise to pay, from 0 to 365.",
    save_promise_days: "Save days",
};

fn wait(hours: i64) -> String {
    match hours {
        0 => "at once".to_owned(),
        1 => "after 1 hour".to_owned(),
        hours => format!("after {hours} hours"),
    }
}

#[cfg(test)]
mod tests {
    use super::ENGLISH;

    #[test]
    fn permissions_and_events_are_those_of_the_manual() {
        let manual = include_str!("../../../../docs/payments-stripe.md");
        let rows: Vec<_> =
            manual.lines().filter(|line| line.ends_with('|') && !line.contains("---|")).collect();
        let permissions = rows.iter().skip(1).filter_map(|row| {
            let mut cells = row.split('|').skip(1).map(str::trim);
            cells.next().zip(cells.next())
        });
        assert_eq!(permissions.collect::<Vec<_>>(), ENGLISH.permission);
        let (_, events) = manual.split_once("for these events:\n\n").unwrap();
        let (events, _) = events.split_once("\n\n").unwrap();
        assert_eq!(events.lines().map(str::trim).collect::<Vec<_>>(), ENGLISH.event);
    }
}
