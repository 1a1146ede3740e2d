//! The texts of the pages in tables, one table for each language.

/// A table of texts: a struct, and its value in English. Each field has its text beside it; a text with
/// variable parts is a function, whose type is given.
macro_rules! texts {
    (@type) => { &'static str };
    (@type $type:ty) => { $type };
    ($(#[$doc:meta])* pub struct $table:ident; $vis:vis $kind:ident $name:ident;
     $($(#[$of:meta])* $field:ident $(: $type:ty)? = $text:expr,)+) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $table {
            $($(#[$of])* pub $field: texts!(@type $($type)?),)+
        }

        $vis $kind $name: $table = $table { $($field: $text,)+ };
    };
}

mod account;
mod audit;
mod communications;
mod faults;
mod invoicing;
mod payer;
mod payment_settings;
mod sign_in;

use invoices::PaymentMethod;

use crate::confirmation::Confirmation;

pub use account::AccountTexts;
pub use audit::AuditTexts;
pub use communications::CommunicationsTexts;
pub use invoicing::InvoicingTexts;
pub use payer::PayerTexts;
pub use payment_settings::PaymentSettingsTexts;
use sign_in::{ENGLISH_SECURITY, ENGLISH_SIGN_IN};
pub use sign_in::{SecurityTexts, SignInTexts};

texts! {
    /// The texts of one language. Texts with variable parts are functions.
    pub struct Texts;
    pub static ENGLISH;

    /// The language (RFC 5646).
    language = "en",
    payer: PayerTexts = payer::ENGLISH,
    payment_settings: PaymentSettingsTexts = payment_settings::ENGLISH,
    invoice: fn(&str) -> String = |number| format!("Invoice {number}"),
    title: fn(&str, &str) -> String = |heading, company| format!("{heading} – {company}"),
    due_on: fn(&str) -> String = |date| format!("Due on {date}"),
    partly_paid: fn(&str) -> String = |date| format!("Partly paid, due on {date}"),
    overdue_since: fn(&str) -> String = |date| format!("Overdue since {date}"),
    partly_paid_overdue_since: fn(&str) -> String = |date| format!("Partly paid, overdue since {date}"),
    paid = "Paid",
    paid_on: fn(&str) -> String = |date| format!("Paid on {date}"),
    cancelled = "This invoice was cancelled",
    amount_due = "Amount due",
    download_pdf = "Download PDF",
    switched_off = "This invoice cannot be paid or downloaded here at the moment. If you have questions \
                    about it, contact the company that issued it.",
    invoice_date = "Invoice date",
    due_date = "Due date",
    reference = "Reference",
    billed_to = "Billed to",
    lines = "Items",
    description = "Description",
    amount = "Amount",
    tax: fn(&str) -> String = |rate| format!("{rate}% tax"),
    tax_included: fn(&str) -> String = |rate| format!("{rate}% tax included"),
    sub_total = "Subtotal",
    tax_total = "Tax",
    tax_total_included = "Tax included",
    total = "Total",
    total_paid = "Paid",
    payments = "Payments",
    date = "Date",
    method = "Method",
    payment_method: fn(PaymentMethod) -> &'static str = |method| match method {
        PaymentMethod::Card => "Card",
        PaymentMethod::BankTransfer => "Bank transfer",
        PaymentMethod::DirectDebit => "Direct debit",
        PaymentMethod::Cash => "Cash",
        PaymentMethod::Cheque => "Cheque",
        PaymentMethod::Other => "Other",
    },
    time_zone: fn(&str) -> String = |zone| format!("Payment dates are in the time zone {zone}."),
    notes = "Notes",
    abn: fn(&str) -> String = |abn| format!("ABN {abn}"),
    email = "Email",
    phone = "Phone",
    request_id = "Request id:",
    problems = "Please correct this:",
    title_of_problems = "Error: ",
    problem_in: fn(&str, &str) -> String = |group, fault| format!("{group}: {fault}"),
    sections = "Sections",
    settings = "Settings",
    overview = "Overview",
    invoicing: InvoicingTexts = invoicing::ENGLISH,
    /// Escalations, webhooks and settings.
    account: &'static AccountTexts = &account::ENGLISH,
    communications: &'static CommunicationsTexts = &communications::ENGLISH,
    sign_in: SignInTexts = ENGLISH_SIGN_IN,
    security: SecurityTexts = ENGLISH_SECURITY,
    error: fn(u16) -> ErrorText = |status| {
        let (title, sentence) = match status {
            400 | 415 | 422 => {
                ("Not accepted", "Nothing was changed. Open the page again, and send the form from there.")
            }
            413 => (
                "Too large",
                "This is more than the page can take at once, and nothing was changed. Go back and send less.",
            ),
            403 => ("Not allowed", "Open the page again at its own address, and send the form from there."),
            404 => (
                "Page not found",
                "Check that you opened the complete link, or ask the person who sent it for a new one.",
            ),
            405 => ("Not possible", "This page can only be viewed. Open the link again."),
            409 => (
                "Not possible at the moment",
                "Go back to the page you came from to see what you can do now.",
            ),
            410 => (
                "This link is no longer valid",
                "It was replaced by a new one. Ask the person who sent it for the new link.",
            ),
            429 => ("Too many attempts", "Wait a few minutes, then open the link again."),
            503 => ("Not available at the moment", "Try again in a few minutes."),
            _ => (
                "Something went wrong",
                "Try again. If it happens again, send the request id below to the person who sent you the link.",
            ),
        };
        ErrorText { title, sentence }
    },
    open_at_its_address: fn(base: &str) -> String = |base| {
        format!(
            "Open the page again at its own address, which begins with {base}, and send the form from there."
        )
    },
    takes_forms_only =
        "This address only takes a form. Go back to the page with the form, and send it from \
         there.",
    no_page_of_account = "There is no such page in this account.",
    foreign_cursor = "This link to a page of the list is no longer valid. Open the list again.",
    open_list = "Open the list",
    back_to_overview = "Back to the overview",
    wait_and_try_again: fn(u64) -> String = |minutes| match minutes {
        0 | 1 => "Wait a minute, then try again.".to_owned(),
        minutes => format!("Wait {minutes} minutes, then try again."),
    },
    skip = "Skip to the content",
    /// The sentence for the fault of a field, if its label and message do not make one.
    fault: fn(&str, &str) -> Option<String> = faults::english,
    said: fn(Confirmation) -> &'static str = |what| match what {
        Confirmation::Saved => "Saved.",
        Confirmation::Sent => "The e-mail with the invoice is on its way.",
        Confirmation::Issued => "The invoice was issued.",
        Confirmation::IssuedAndSent => "The invoice was issued, and the e-mail with it is on its way.",
        Confirmation::Cancelled => "The invoice was cancelled.",
        Confirmation::PaymentRecorded => "The payment was recorded.",
        Confirmation::RefundRequested => "The refund was requested. It is on its way to the payer.",
        Confirmation::PayLinkReplaced => "The invoice has a new payment link.",
        Confirmation::EndpointEnabled => "The endpoint was enabled.",
        Confirmation::EndpointDisabled => "The endpoint was disabled.",
        Confirmation::EndpointDeleted => "The endpoint was deleted.",
        Confirmation::EscalationResolved => "The escalation was resolved.",
        Confirmation::ReplyReceived => "The reply was received.",
        Confirmation::RemindersStarted => "Reminders are on.",
        Confirmation::RemindersStopped => "Reminders are off.",
        Confirmation::TestSent => "The test is on its way to your e-mail address.",
        Confirmation::RemindersPaused => "Reminders for this invoice are paused.",
        Confirmation::RemindersResumed => "Reminders for this invoice are on again.",
        Confirmation::ConsentRecorded => "The consent was recorded.",
        Confirmation::ConsentWithdrawn => "The withdrawal of consent was recorded.",
        Confirmation::AddressOpened => "Messages can be sent there again.",
        Confirmation::MessageHandled => "The message was marked as handled.",
        Confirmation::MessageCorrected => "The type was changed.",
        Confirmation::PromiseToEnter => {
            "The type was changed. The message names no possible day, or no invoice: enter the promise on the \
             invoice, then mark the message as handled. Reminders to the contact wait until then."
        }
        Confirmation::NoAddressToClose => {
            "The type was changed. Neither the message nor the contact has an address to which reminders could \
             end. Reminders to the contact wait until you mark the message as handled."
        }
        Confirmation::AnswerQueued => "Your answer is on its way.",
        Confirmation::ContactCreated => "The contact was added.",
        Confirmation::ContactFound => "You already have this contact. Nothing was changed.",
        Confirmation::PasswordChanged => "Your password was changed, and every other session has ended.",
        Confirmation::SecondFactorOff => "Two-step sign-in is off.",
        Confirmation::SessionEnded => "The session has ended.",
        Confirmation::OtherSessionsEnded => "Every other session has ended.",
        Confirmation::NotProcessed => {
            "Nothing was changed yet, unless you sent it twice: you had to sign in or to confirm first. Check \
             before you enter it again."
        }
    },
}

/// The text of an error page: what happened, and what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorText {
    pub title: &'static str,
    pub sentence: &'static str,
}
