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
        let wait = match hours {
            0 => "at once".to_owned(),
            1 => "after 1 hour".to_owned(),
            hours => format!("after {hours} hours"),
        };
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
    promises: "Promises to pay",
    promise_days: "Days within which payers may promise to pay",
    promise_days_hint: "From 0 to 365, counted from today.",
    save_promise_days: "Save days",
};
