//! An amendment of an invoice, checked against the invoice's present state.

use contacts::{ContactInput, ContactReference};
use kernel::{AccountScope, Currency, Field, FieldErrors, Money};
use time::Date;

use crate::check::{check_has_address, check_may_write, check_years, missing_address};
use crate::input::{InvoiceInput, LineInput};
use crate::invoice::Invoice;
use crate::line_amount_types::LineAmountTypes;
use crate::line_item::{LineItem, NewLine};
use crate::line_rules::LineRules;
use crate::number::InvoiceNumber;
use crate::texts::InvoiceTexts;
use crate::totals::Totals;

/// What an amendment does to the contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContactChange {
    /// The contact stays.
    Keep,
    /// The contact is removed from the draft.
    Clear,
    /// The contact that the reference finds or creates is copied to the invoice again.
    Take(ContactReference),
}

/// What an amendment does to the lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinesChange {
    /// The lines stay; their amounts are recalculated if the currency or the tax mode changes.
    Keep,
    /// These lines replace the present ones.
    Replace(Vec<NewLine>),
}

/// All fields of the amended invoice: those that were sent, and the present values of the others.
/// [`Invoice::amend`] relies on the check: a field that is changed afterwards is not checked again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvoiceAmendment {
    /// Whether the invoice is a draft after the amendment.
    pub stays_draft: bool,
    /// Whether the invoice is sent to its contact.
    pub send: bool,
    /// A new number.
    pub number: Option<InvoiceNumber>,
    /// The change of the contact.
    pub contact: ContactChange,
    /// The invoice date after the amendment.
    pub invoice_date: Date,
    /// The due date after the amendment, on or after the invoice date.
    pub due_date: Date,
    /// The currency.
    pub currency: Currency,
    /// Whether line amounts contain their tax.
    pub line_amount_types: LineAmountTypes,
    /// The change of the lines.
    pub lines: LinesChange,
    /// The totals of the lines.
    pub totals: Totals,
    /// Texts for people; no rule depends on them.
    pub texts: InvoiceTexts,
}

impl InvoiceAmendment {
    /// Checks the fields that were sent against the invoice's present state. `faults` are those found in
    /// parsing the fields.
    ///
    /// # Errors
    /// Every faulty field.
    pub fn check(
        input: InvoiceInput,
        mut faults: FieldErrors,
        current: &Invoice,
        scope: &AccountScope,
    ) -> Result<Self, FieldErrors> {
        refuse_null(&input, &mut faults);
        let stays_draft = input.is_draft.as_value().copied().unwrap_or(current.is_draft());
        let send = input.send_invoice.as_value().copied().unwrap_or(false);
        if send && !stays_draft {
            check_may_write(scope, &mut faults);
            check_has_address(&input.contact, &mut faults);
            check_kept_address(&input.contact, current, &mut faults);
        }
        let (invoice_date, due_date) = check_dates(&input, current, &mut faults);
        let currency = input.currency.as_value().copied().unwrap_or(current.currency);
        let types = input.line_amount_types.as_value().copied().unwrap_or(current.line_amount_types);
        let known =
            !matches!(input.currency, Field::Faulty) && !matches!(input.line_amount_types, Field::Faulty);
        let rules = LineRules { may_be_draft: stays_draft, types, currency };
        let (lines, totals) = check_lines(input.line_items, current, &rules, known, &mut faults);
        let contact = check_contact(input.contact, current, stays_draft, &mut faults);
        faults.into_result()?;
        Ok(Self {
            stays_draft,
            send,
            number: input.invoice_number.value(),
            contact,
            invoice_date,
            due_date,
            currency,
            line_amount_types: types,
            lines,
            totals,
            texts: input.texts.amending(&current.texts),
        })
    }
}

/// `null` clears the optional fields and is refused for the others.
fn refuse_null(input: &InvoiceInput, faults: &mut FieldErrors) {
    let nulls = [
        ("invoice_number", matches!(input.invoice_number, Field::Null)),
        ("invoice_date", matches!(input.invoice_date, Field::Null)),
        ("due_date", matches!(input.due_date, Field::Null)),
        ("currency", matches!(input.currency, Field::Null)),
        ("line_amount_types", matches!(input.line_amount_types, Field::Null)),
        ("is_draft", matches!(input.is_draft, Field::Null)),
        ("send_invoice", matches!(input.send_invoice, Field::Null)),
    ];
    for (field, _) in nulls.into_iter().filter(|(_, is_null)| *is_null) {
        faults.add(field, "must not be null; leave it out to keep it");
    }
}

/// Adds a fault when an issued invoice keeps a contact without an e-mail address. The contact of a draft is
/// looked up when it is issued, and may have an address by then.
fn check_kept_address(input: &Field<ContactInput>, current: &Invoice, faults: &mut FieldErrors) {
    let kept = current.contact.as_ref().filter(|_| matches!(input, Field::Absent) && !current.is_draft());
    if kept.is_some_and(|contact| contact.email.is_none()) {
        faults.add_all(missing_address());
    }
}

fn check_dates(input: &InvoiceInput, current: &Invoice, faults: &mut FieldErrors) -> (Date, Date) {
    check_years(input, faults);
    let invoice_date = input.invoice_date.as_value().copied().unwrap_or(current.invoice_date);
    let due_date = input.due_date.as_value().copied().unwrap_or(current.due_date);
    let known = !matches!(input.invoice_date, Field::Faulty) && !matches!(input.due_date, Field::Faulty);
    if known && due_date < invoice_date {
        let (field, message) = if matches!(input.due_date, Field::Value(_)) {
            ("due_date", "must not be before the invoice date")
        } else {
            ("invoice_date", "must not be after the due date; send due_date too")
        };
        faults.add(field, message);
    }
    (invoice_date, due_date)
}

fn check_lines(
    input: Field<Vec<LineInput>>,
    current: &Invoice,
    rules: &LineRules,
    known: bool,
    faults: &mut FieldErrors,
) -> (LinesChange, Totals) {
    if !matches!(input, Field::Absent) {
        let lines = rules.check_lines(input, faults);
        let totals = rules.check_totals(&lines, known, faults);
        return (LinesChange::Replace(lines), totals);
    }
    let lines: Vec<NewLine> = current.lines.iter().map(LineItem::to_new).collect();
    if lines.is_empty() && !rules.may_be_draft {
        faults.add("line_items", "at least one line is required to issue the invoice");
    }
    let taxed = lines.iter().any(|line| line.tax_rate != kernel::Decimal::ZERO);
    if taxed && rules.types == LineAmountTypes::NoTax {
        faults.add("line_amount_types", "cannot be NO_TAX while lines have a tax_rate; send line_items too");
    }
    if known && lines.iter().any(|line| line.amounts(rules.types, rules.currency).is_none()) {
        faults.add("currency", "makes the amount of a line too large for any invoice; send line_items too");
        let zero = Money::zero(rules.currency);
        return (LinesChange::Keep, Totals { sub_total: zero, tax_total: zero, total: zero });
    }
    let totals = rules.check_totals(&lines, known, faults);
    (LinesChange::Keep, totals)
}

fn check_contact(
    input: Field<ContactInput>,
    current: &Invoice,
    stays_draft: bool,
    faults: &mut FieldErrors,
) -> ContactChange {
    let issues = current.is_draft() && !stays_draft;
    if let Some(contact) = input.as_value() {
        faults.add_under("contact", contact.missing_for_a_new_contact());
    }
    match (input, &current.contact) {
        (Field::Value(reference), _) => ContactChange::Take(reference.into()),
        (Field::Null, _) if stays_draft => ContactChange::Clear,
        (Field::Null, _) | (Field::Absent, None) if !stays_draft => {
            faults.add("contact", "is required unless the invoice is a draft");
            ContactChange::Keep
        }
        // The contact may have changed since the draft was saved: the issued invoice gets its details of
        // today.
        (Field::Absent, Some(contact)) if issues => {
            ContactChange::Take(ContactReference { id: Some(contact.id), ..ContactReference::default() })
        }
        (Field::Absent | Field::Faulty | Field::Null, _) => ContactChange::Keep,
    }
}
