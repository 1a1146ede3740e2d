//! The texts of audit entries.

texts! {
    /// The texts of audit entries.
    pub struct AuditTexts;
    pub(super) const ENGLISH;

    /// The text of an action, by its name.
    action: fn(&str) -> Option<&'static str> = action_in_english,
    /// The text of a changed field; `None` if it is of no use to people.
    field: fn(&str, &str) -> Option<String> = |name, value| match name {
        "invoice_number" => Some(format!("invoice {value}")),
        "method" => Some(value.replace('_', " ")),
        "sessions" if value == "1" => Some("1 session".to_owned()),
        "sessions" => Some(format!("{value} sessions")),
        "changed" if value.is_empty() => None,
        "changed" => Some(format!("{} changed", value.replace(", ", " and ").replace('_', " "))),
        "invoice" | "payment" | "contact" | "session_id" => None,
        none if value.is_empty() => Some(format!("no {}", none.replace('_', " "))),
        other => Some(format!("{} {value}", other.replace('_', " "))),
    },
    /// The text of a setting for online payments.
    online_setting: fn(&str, &str) -> Option<String> = |name, value| match (name, value) {
        ("minimum_percent", percent) => Some(format!("minimum payment {percent}%")),
        ("unapplied", "return") => Some("money that is not due is returned to the payer".to_owned()),
        ("unapplied", "keep") => Some("money that is not due is kept".to_owned()),
        _ => None,
    },
    /// The text of the contact after a change, by whether there was one before and is one now.
    contact_change: fn(bool, bool) -> &'static str = |before, now| match (before, now) {
        (true, true) => "another contact",
        (false, _) => "a contact",
        (true, false) => "no contact",
    },
    yes = "yes",
    no = "no",
    open_invoice = "Open invoice",
    open_contact = "Open contact",
    open_earlier_contact = "Open earlier contact",
}

fn action_in_english(action: &str) -> Option<&'static str> {
    Some(match action {
        "account.invited" => "Invitation created",
        "account.disabled" => "Account switched off",
        "account.enabled" => "Account switched on",
        "account.invoice_limit_set" => "Monthly invoice limit changed",
        "account.message_limit_set" => "Monthly text message limit changed",
        "account.currency_set" => "Account currency changed",
        "profile.changed" => "Profile changed",
        "notices.changed" => "Notices by mail changed",
        "api_key.generated" | "api_key.rotated" => "API key replaced",
        "bank_details.entered" => "Bank details entered",
        "bank_details.removed" => "Bank details removed",
        "bank_details.undone" => "Change to bank details undone",
        "payments.changed" => "Online payment settings changed",
        "promise_days.changed" => "Longest promise changed",
        "gateway.connected" => "Payment gateway connected",
        "gateway.disconnected" => "Payment gateway disconnected",
        "payment.recorded" => "Payment recorded",
        "payment.refunded" => "Refund requested",
        "invoice.created" => "Draft saved",
        "invoice.issued" => "Invoice issued",
        "invoice.changed" => "Invoice changed",
        "invoice.cancelled" => "Invoice cancelled",
        "pay_link.replaced" => "Payment link replaced",
        "reminders.started" => "Reminders started",
        "reminders.stopped" => "Reminders stopped",
        "reminders.changed" => "Reminder settings changed",
        "reminders.paused" => "Reminders for an invoice paused",
        "reminders.resumed" => "Reminders for an invoice resumed",
        "consent.recorded" => "Customer's consent recorded",
        "consent.withdrawn" => "Customer's consent withdrawn",
        "opt_out.ended" => "Customer's opt-out ended",
        "bounce.ended" => "Customer's address marked as working again",
        "contact.erased" => "Contact erased",
        "webhook_endpoint.added" => "Webhook endpoint added",
        "webhook_endpoint.enabled" => "Webhook endpoint enabled",
        "webhook_endpoint.disabled" => "Webhook endpoint disabled",
        "webhook_endpoint.deleted" => "Webhook endpoint deleted",
        "password.set" => "Password chosen",
        "password.changed" => "Password changed",
        "password.reset" => "Password reset by mail",
        "second_factor.turned_on" => "Two-step sign-in turned on",
        "second_factor.turned_off" => "Two-step sign-in turned off",
        "second_factor.reset" => "Two-step sign-in turned off by the operator",
        "recovery_code.used" => "Recovery code used",
        "recovery_codes.replaced" => "Recovery codes replaced",
        "session.ended" => "Session ended",
        "sessions.ended" => "All other sessions ended",
        _ => return None,
    })
}
