//! The rules for the fields of a new invoice.

use contacts::{ContactInput, ContactReference};
use kernel::clock::{NOT_A_DATE, is_plausible};
use kernel::{AccountScope, Currency, Field, FieldErrors};
use time::{Date, Duration};

use crate::input::InvoiceInput;
use crate::line_amount_types::LineAmountTypes;
use crate::line_item::NewLine;
use crate::line_rules::LineRules;
use crate::number::InvoiceNumber;
use crate::policy::InvoicingPolicy;
use crate::texts::InvoiceTexts;
use crate::totals::Totals;

/// The checked fields of a new invoice, before it has a contact and a number. [`Invoice::create`] relies on
/// the check: a field that is changed afterwards is not checked again.
///
/// [`Invoice::create`]: crate::Invoice::create
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewInvoice {
    /// Whether the invoice is saved as a draft.
    pub is_draft: bool,
    /// Whether it is sent to its contact at once; drafts are never sent.
    pub send: bool,
    /// The number that the caller chose.
    pub number: Option<InvoiceNumber>,
    /// The contact to find or create; a draft may have none.
    pub contact: Option<ContactReference>,
    /// The invoice date; by default the present day in the time zone of the account.
    pub invoice_date: Date,
    /// The due date, on or after the invoice date.
    pub due_date: Date,
    /// The currency.
    pub currency: Currency,
    /// Whether line amounts contain their tax.
    pub line_amount_types: LineAmountTypes,
    /// Its lines; a draft may have none.
    pub lines: Vec<NewLine>,
    /// The totals of the lines.
    pub totals: Totals,
    /// Texts for people; no rule depends on them.
    pub texts: InvoiceTexts,
}

impl NewInvoice {
    /// Checks the fields that were sent. `today` is the date in the account's time zone; `faults` are those
    /// found in parsing the fields, so that one response reports all faults.
    ///
    /// # Errors
    /// Every faulty field.
    pub fn check(
        input: InvoiceInput,
        mut faults: FieldErrors,
        scope: &AccountScope,
        policy: InvoicingPolicy,
        today: Date,
    ) -> Result<Self, FieldErrors> {
        let is_draft = input.is_draft.as_value().copied().unwrap_or(false);
        let may_be_draft = is_draft || matches!(input.is_draft, Field::Faulty);
        let send = check_send(&input, is_draft, scope, &mut faults);
        let (invoice_date, due_date) = check_dates(&input, policy, today, &mut faults);
        let currency = input.currency.as_value().copied().unwrap_or(scope.currency);
        let line_amount_types = input.line_amount_types.as_value().copied().unwrap_or_default();
        let rules = LineRules { may_be_draft, types: line_amount_types, currency };
        let known =
            !matches!(input.currency, Field::Faulty) && !matches!(input.line_amount_types, Field::Faulty);
        let lines = rules.check_lines(input.line_items, &mut faults);
        let totals = rules.check_totals(&lines, known, &mut faults);
        if !may_be_draft && input.contact.is_missing() {
            faults.add("contact", "is required unless is_draft is true");
        }
        if let Some(contact) = input.contact.as_value() {
            faults.add_under("contact", contact.missing_for_a_new_contact());
        }
        if send {
            check_has_address(&input.contact, &mut faults);
        }
        faults.into_result()?;
        Ok(Self {
            is_draft,
            send,
            number: input.invoice_number.value(),
            contact: input.contact.value().map(ContactReference::from),
            invoice_date,
            due_date,
            currency,
            line_amount_types,
            lines,
            totals,
            texts: input.texts.amending(&InvoiceTexts::default()),
        })
    }
}

fn check_send(input: &InvoiceInput, is_draft: bool, scope: &AccountScope, faults: &mut FieldErrors) -> bool {
    let send = input.send_invoice.as_value().copied().unwrap_or(false);
    if send && is_draft {
        faults.add("send_invoice", "must not be true together with is_draft: a draft is not sent");
    }
    let send = send && !is_draft;
    if send {
        check_may_write(scope, faults);
    }
    send
}

/// Adds a fault when sending to the account's customers is disabled.
pub(crate) fn check_may_write(scope: &AccountScope, faults: &mut FieldErrors) {
    if !scope.communications_enabled {
        faults.add("send_invoice", "must not be true while communications_enabled of the account is false");
    }
}

/// Adds a fault when the contact of an invoice that is sent would have no e-mail address, as far as is known
/// without a look-up.
pub(crate) fn check_has_address(contact: &Field<ContactInput>, faults: &mut FieldErrors) {
    if contact.as_value().is_some_and(|contact| !contact.may_be_found()) {
        faults.add_all(missing_address());
    }
}

pub(crate) const NEEDED_TO_SEND: &str = "is required to send the invoice";

/// The fault of an invoice that is sent to a contact without an e-mail address.
pub(crate) fn missing_address() -> FieldErrors {
    FieldErrors::one("contact.email", NEEDED_TO_SEND)
}

/// Adds the dates that were sent and are of no plausible year.
pub(crate) fn check_years(input: &InvoiceInput, faults: &mut FieldErrors) {
    for (field, sent) in [("invoice_date", &input.invoice_date), ("due_date", &input.due_date)] {
        if sent.as_value().is_some_and(|date| !is_plausible(*date)) {
            faults.add(field, NOT_A_DATE);
        }
    }
}

fn check_dates(
    input: &InvoiceInput,
    policy: InvoicingPolicy,
    today: Date,
    faults: &mut FieldErrors,
) -> (Date, Date) {
    check_years(input, faults);
    let invoice_date = input.invoice_date.as_value().copied().unwrap_or(today);
    let terms = Duration::days(policy.payment_terms_days.into());
    // Near the last date of the calendar the payment terms cannot be added: the invoice is then due on its
    // invoice date.
    let by_terms =
        || invoice_date.checked_add(terms).filter(|date| date.year() <= 9_999).unwrap_or(invoice_date);
    let due_date = input.due_date.as_value().copied().unwrap_or_else(by_terms);
    let date_is_known = !matches!(input.invoice_date, Field::Faulty);
    if date_is_known && due_date < invoice_date {
        faults.add("due_date", "must not be before the invoice date");
    }
    (invoice_date, due_date)
}
