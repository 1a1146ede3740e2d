//! The texts of the settings of payments.

texts! {
    pub struct PaymentSettingsTexts;
    pub(super) const ENGLISH;

    heading = "Payments",
    bank_details = "Bank details",
    none = "There are no bank details yet. Enter them below to show them on payment pages and invoices.",
    in_force_since: fn(&str) -> String = |instant| format!("Shown on invoices since {instant}."),
    not_in_force = "Invoices show none yet.",
    pending: fn(&str) -> String = |instant| format!("Shown on invoices from {instant}:"),
    pending_removal: fn(&str) -> String =
        |instant| format!("Removed: invoices show them until {instant}, and none after that."),
    enter = "Enter bank details",
    enter_note: fn(i64) -> String = |hours| {
        let wait = wait(hours);
        format!(
            "Changes take effect on invoices {wait}: new details replace the earlier ones in the same \
             currency, and removed details disappear. This gives you time to undo what somebody else \
             entered. We e-mail you a link to undo the change."
        )
    },
    currency = "Currency",
    kind = "Kind",
    kind_hint = "Fill in only the fields for this kind.",
    bic_hint = "Optional.",
    only_for: fn(&str) -> String = |kind| format!("Only for: {kind}."),
    pay_id_hint = "An e-mail address, a telephone number, an ABN, an ACN or an organisation's PayID.",
    save = "Save bank details",
    remove: fn(&str) -> String = |currency| format!("Remove the bank details for {currency}"),
    online = "Online payments",
    minimum_percent = "Minimum payment, in percent of the invoice",
    minimum_percent_hint = "From 1 to 100. With 100, customers can only pay the whole invoice at once.",
    unapplied = "Money that arrives for an invoice already paid or cancelled",
    unapplied_return = "Return it to the payer",
    unapplied_keep = "Keep it, and settle it with the payer",
    save_online = "Save online payment settings",
    gateways = "Payment gateways",
    no_gateway = "None is connected yet. Connect one below to add a button to pay online to your payment \
                  pages.",
    sandbox_only =
        "None is connected yet. Until you connect one below, your payment pages have a button that \
         pays in the sandbox, where no money moves.",
    connected = "Connected. The key is stored encrypted and is never shown.",
    not_connected = "Not connected: nothing can be paid through it until the new key takes effect.",
    pending_key: fn(&str) -> String = |instant| format!("A new key takes effect on {instant}."),
    no_webhook_secret = "The webhook secret is missing. Until you enter it, events are refused, and \
                         payments are found only when the payer returns or by regular checks.",
    events_url = "Address for events",
    disconnect: fn(&str) -> String = |gateway| format!("Disconnect {gateway}"),
    connect = "Connect Stripe, or replace its secrets",
    connect_note: fn(i64) -> String = |hours| {
        format!(
            "The first key takes effect at once. A key that replaces another takes effect {}; the earlier \
             one is used until then. This gives you time to undo what somebody else entered. We e-mail \
             you a link to undo the change.",
            wait(hours)
        )
    },
    gateway_key = "Restricted key",
    gateway_key_hint =
        "From your Stripe account, with the permissions listed above. Leave it empty to enter \
         only the webhook secret.",
    at_stripe = "What to choose at Stripe",
    permissions = "A restricted key with these permissions only:",
    permission: [(&'static str, &'static str); 6] = [
        ("Checkout Sessions", "write"),
        ("Charges and Refunds", "write"),
        ("PaymentIntents", "read"),
        ("Disputes", "read"),
        ("Events", "read"),
        ("Balance", "read"),
    ],
    events = "A webhook endpoint for these events:",
    webhook_secret = "Webhook secret",
    webhook_secret_hint = "From the endpoint at Stripe that uses the address for events. You can add it \
                           later.",
    save_gateway = "Save secrets",
    promises = "Promises to pay",
    promise_days = "Longest promise to pay, in days",
    promise_days_hint = "How many days ahead customers may promise to pay, from 0 to 365.",
    save_promise_days = "Save days",
}

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
    fn permissions_are_those_of_the_manual() {
        let manual = include_str!("../../../../docs/payments-stripe.md");
        let rows: Vec<_> =
            manual.lines().filter(|line| line.ends_with('|') && !line.contains("---|")).collect();
        let permissions = rows.iter().skip(1).filter_map(|row| {
            let mut cells = row.split('|').skip(1).map(str::trim);
            cells.next().zip(cells.next())
        });
        assert_eq!(permissions.collect::<Vec<_>>(), ENGLISH.permission);
    }
}
