//! The texts of the pages that payers see.

use escalations::EscalationType;
use invoices::TransferField;
use payments::{BankDetailsKind, SandboxAction};

texts! {
    /// The texts of the pages that payers see, except those of the invoice itself.
    pub struct PayerTexts;
    pub(super) const ENGLISH;

    back = "Back to the invoice",
    receipt = "Receipt",
    receipt_of: fn(&str, &str) -> String = |amount, date| format!("Receipt for {amount}, {date}"),
    bank_transfer = "Pay by bank transfer",
    transfer_field: fn(TransferField) -> &'static str = |field| match field {
        TransferField::AccountHolder => "Account name",
        TransferField::Iban => "IBAN",
        TransferField::Bic => "BIC",
        TransferField::Bsb => "BSB",
        TransferField::SortCode => "Sort code",
        TransferField::RoutingNumber => "Routing number",
        TransferField::AccountNumber => "Account number",
        TransferField::PayId => "PayID",
        TransferField::Instructions => "How to pay",
    },
    reference = "Reference to quote",
    unchanged_since: fn(&str) -> String = |date| format!("These bank details are unchanged since {date}."),
    qr_code = "QR code for your banking app: account, amount and reference",
    ask_for_help = "Ask for help",
    help_reason = "What is it about?",
    help_reason_of: fn(EscalationType) -> &'static str = |reason| match reason {
        EscalationType::Hardship => "I cannot pay right now",
        EscalationType::Dispute => "Something is wrong with this invoice",
        EscalationType::HumanRequest => "I want to talk to a person",
        EscalationType::Refused => "I will not pay",
    },
    help_statement = "Tell us more",
    help_send = "Send",
    help_raised: fn(&str) -> String =
        |reference| format!("We have your message. Its reference is {reference}."),
    help_next = "A person will read it and get in touch with you.",
    reminders_stop = "You will not get reminders about this invoice in the meantime.",
    promise = "Promise to pay",
    change_promise = "Change the date (once)",
    promised: fn(&str) -> String =
        |date| format!("You promised to pay by {date}. You will not get reminders until then."),
    promise_date = "Payment date",
    promise_period: fn(&str, &str) -> String = |first, last| format!("From {first} to {last}."),
    promise_waits = "You will not get reminders about this invoice until the end of that day.",
    promise_once = "You can change the date once.",
    promise_final = "You can no longer change the date here. If you need a different one, ask for help.",
    promise_send = "Promise to pay",
    account_page: fn(&str) -> String = |company| match company {
        "" => "Find your invoice".to_owned(),
        company => format!("Pay {company}"),
    },
    account_page_intro = "Enter your invoice number and the e-mail address that the company has for you. \
                          We will e-mail you the link to the invoice.",
    invoice_number = "Invoice number",
    your_email = "Your e-mail address",
    account_page_send = "Send me the link",
    link_sent =
        "If the number and the address belong to an invoice, its link is on its way to that address. It \
         may take a few minutes.",
    account_off = "Invoices cannot be looked up here at the moment. Contact the company.",
    replaced = "This link was replaced by a new one.",
    replaced_link = "Get the new link by e-mail",
    help_not_offered = "You cannot ask for help here at the moment. Contact the company that issued the \
                        invoice.",
    promise_not_offered = "You cannot promise to pay this invoice, because it cannot be paid at the \
                           moment.",
    receipt_not_offered = "There are no receipts for this invoice at the moment.",
    pdf_not_offered = "The invoice cannot be downloaded at the moment. Contact the company that issued it.",
    link_not_offered = "Invoices of this company cannot be looked up at the moment. Contact the company.",
    bank_details_kind: fn(BankDetailsKind) -> &'static str = |kind| match kind {
        BankDetailsKind::Iban => "IBAN and BIC",
        BankDetailsKind::Bsb => "BSB and account number (Australia)",
        BankDetailsKind::SortCode => "Sort code and account number (United Kingdom)",
        BankDetailsKind::Routing => "Routing number and account number (United States)",
        BankDetailsKind::PayId => "PayID (Australia)",
        BankDetailsKind::Text => "In your own words",
    },
    undo_heading = "Undo the change to your bank details",
    undo_intro: fn(&str) -> String =
        |currency| format!("These bank details for payments in {currency} were entered:"),
    undo_removal_intro: fn(&str) -> String =
        |currency| format!("The bank details for payments in {currency} were removed."),
    undo_from: fn(&str) -> String = |instant| format!("Invoices show them from {instant}."),
    undo_removal_from: fn(&str) -> String = |instant| format!("Invoices show none from {instant}."),
    undo = "Undo",
    undone_heading = "The change was undone",
    undone = "Invoices show the earlier bank details, or none if there were none. If you did not make the \
              change, choose a new password now: the person who made it can sign in to your account.",
    undo_gone = "This change can no longer be undone: it was already undone, replaced or removed, or has \
                 been in force for more than seven days. Check the settings of your account.",
    check_settings = "Open the settings of payments",
    choose_password = "Choose a new password",
    undo_key_heading = "Undo the new key for online payments",
    undo_key_intro: fn(&str) -> String =
        |gateway| format!("A {gateway} key was entered for your company's online payments."),
    undo_key_from: fn(&str) -> String = |instant| {
        format!("Payments go through it from {instant}. If you undo this, the earlier key stays in use.")
    },
    undo_key_in_force = "It is in force. If you undo this, nothing can be paid through it until you \
                         connect it again.",
    key_undone = "No more payments go through the key. If you did not enter it, choose a new password now: \
                  the person who entered it can sign in to your account.",
    pay: fn(&str) -> String = |amount| format!("Pay {amount}"),
    /// The payer chooses the amount; the button cannot follow the field.
    pay_up_to: fn(&str) -> String = |most| format!("Pay {most} or a part of it"),
    pay_amount = "Amount",
    pay_amount_between: fn(&str, &str) -> String = |least, most| format!("From {least} to {most}."),
    being_processed: fn(&str) -> String = |amount| format!("A payment of {amount} is being processed."),
    refunded: fn(&str) -> String = |amount| format!("Refunded {amount}"),
    returned: fn(&str) -> String = |amount| format!("{amount} was not due and has been returned"),
    taken_back: fn(&str) -> String = |amount| format!("Taken back by the payer's bank: {amount}"),
    return_title = "Your payment",
    thank_you = "Thank you",
    you_paid: fn(&str) -> String = |amount| format!("You paid {amount}."),
    paid_too_much: fn(&str, &str) -> String = |amount, unapplied| {
        format!("You paid {amount}. {unapplied} of that was not due; the company will settle this with you.")
    },
    paid_and_returned: fn(&str, &str) -> String = |amount, unapplied| {
        format!(
            "You paid {amount}. {unapplied} of that was not due; it goes back to you the same way you paid."
        )
    },
    processing = "Your payment is being processed",
    processing_note: fn(&str) -> String = |amount| {
        format!("Your payment of {amount} can take a few days. You do not need to do anything else.")
    },
    declined = "Your payment was declined",
    not_paid = "Nothing was paid",
    try_again = "Try again",
    checkout_not_offered = "This invoice cannot be paid online at the moment.",
    checkout_paid = "This invoice is already paid, so no other payment was started.",
    checkout_covered = "A payment for the full amount due is already being processed.",
    checkout_changed = "The invoice was changed while you were starting to pay. Open it again.",
    checkout_refused = "The payment could not be started. Pay in another way, or contact the company.",
    checkout_unreachable = "The payment provider is not responding at the moment. Nothing was paid.",
    nothing_begun = "No payment was started here. Open the invoice.",
    sandbox_heading = "Sandbox checkout",
    sandbox_note = "This page is for trying out the service. No real money is moved.",
    sandbox_closed = "This checkout is closed: it was paid, or it has ended.",
    sandbox_back = "Back to the company",
    sandbox_action: fn(SandboxAction) -> &'static str = |action| match action {
        SandboxAction::Pay => "Pay",
        SandboxAction::Decline => "Decline",
        SandboxAction::PayLater => "Pay later",
        SandboxAction::LoseAnswer => "Pay and lose the answer",
        SandboxAction::PayTwice => "Pay twice",
    },
}
