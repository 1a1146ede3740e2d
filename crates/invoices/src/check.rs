//! The rules that an invoice's fields keep before anything is stored.

use contacts::ContactReference;
use kernel::{AccountScope, Block, Currency, Decimal, Field, FieldErrors, Line};
use time::{Date, Duration};

use crate::input::{InvoiceInput, LineInput};
use crate::line_amount_types::LineAmountTypes;
use crate::line_item::{MOST_LINES, NewLine};
use crate::number::InvoiceNumber;
use crate::policy::InvoicingPolicy;
use crate::totals::{Totals, totals};

/// An invoice whose fields are right, before it has a contact and a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewInvoice {
    /// Whether it is saved for review.
    pub is_draft: bool,
    /// The number that the caller chose.
    pub number: Option<InvoiceNumber>,
    /// The contact to find or create; a draft may have none.
    pub contact: Option<ContactReference>,
    /// Its date.
    pub invoice_date: Date,
    /// When it is due; not before the invoice date.
    pub due_date: Date,
    /// Its currency.
    pub currency: Currency,
    /// Whether line amounts contain their tax.
    pub line_amount_types: LineAmountTypes,
    /// Its lines; a draft may have none.
    pub lines: Vec<NewLine>,
    /// What the lines come to.
    pub totals: Totals,
    /// The caller's reference.
    pub reference: Option<Line<255>>,
    /// Notes to the contact.
    pub notes: Option<Block<4_000>>,
    /// Who raised it.
    pub staff: Option<Line<255>>,
}

impl NewInvoice {
    /// Checks everything that was sent. `today` is the date in the account's time zone; `faults` are those found in reading the
    /// fields, so that one answer names them all.
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
        check_flags(&input, is_draft, &mut faults);
        let (invoice_date, due_date) = check_dates(&input, policy, today, &mut faults);
        let currency = input.currency.as_value().copied().unwrap_or(scope.currency);
        let line_amount_types = input
            .line_amount_types
            .as_value()
            .copied()
            .unwrap_or_default();
        let rules = LineRules {
            is_draft,
            types: line_amount_types,
            currency,
        };
        let known = !matches!(input.currency, Field::Faulty)
            && !matches!(input.line_amount_types, Field::Faulty);
        let lines = rules.check_lines(input.line_items, &mut faults);
        let totals = rules.check_totals(&lines, known, &mut faults);
        if !is_draft && input.contact.is_missing() {
            faults.add("contact", "is required unless is_draft is true");
        }
        faults.into_result()?;
        Ok(Self {
            is_draft,
            number: input.invoice_number.value(),
            contact: input.contact.value().map(ContactReference::from),
            invoice_date,
            due_date,
            currency,
            line_amount_types,
            lines,
            totals,
            reference: input.reference.value(),
            notes: input.notes.value(),
            staff: input.staff.value(),
        })
    }
}

fn check_flags(input: &InvoiceInput, is_draft: bool, faults: &mut FieldErrors) {
    if input.send_invoice.as_value() == Some(&true) {
        let message = if is_draft {
            "must not be true together with is_draft: a draft is not sent"
        } else {
            "sending is not available in this version of the service; create the invoice without it"
        };
        faults.add("send_invoice", message);
    }
}

fn check_dates(
    input: &InvoiceInput,
    policy: InvoicingPolicy,
    today: Date,
    faults: &mut FieldErrors,
) -> (Date, Date) {
    let invoice_date = input.invoice_date.as_value().copied().unwrap_or(today);
    let terms = Duration::days(policy.payment_terms_days.into());
    // The last dates of the calendar leave no room for terms; the invoice is then due on its own day.
    let by_terms = || {
        invoice_date
            .checked_add(terms)
            .filter(|date| date.year() <= 9_999)
            .unwrap_or(invoice_date)
    };
    let due_date = input.due_date.as_value().copied().unwrap_or_else(by_terms);
    let date_is_known = !matches!(input.invoice_date, Field::Faulty);
    if date_is_known && due_date < invoice_date {
        faults.add("due_date", "must not be before the invoice date");
    }
    (invoice_date, due_date)
}

struct LineRules {
    is_draft: bool,
    types: LineAmountTypes,
    currency: Currency,
}

impl LineRules {
    fn check_lines(&self, input: Field<Vec<LineInput>>, faults: &mut FieldErrors) -> Vec<NewLine> {
        let lines = match input {
            Field::Value(lines) => lines,
            Field::Faulty => return Vec::new(),
            Field::Absent | Field::Null => Vec::new(),
        };
        if lines.is_empty() && !self.is_draft {
            faults.add(
                "line_items",
                "at least one line is required unless is_draft is true",
            );
        }
        if lines.len() > MOST_LINES {
            faults.add(
                "line_items",
                format!("must have at most {MOST_LINES} lines"),
            );
            return Vec::new();
        }
        let numbered = lines.into_iter().enumerate();
        numbered
            .filter_map(|(place, line)| self.check_line(place, line, faults))
            .collect()
    }

    fn check_line(
        &self,
        place: usize,
        line: LineInput,
        faults: &mut FieldErrors,
    ) -> Option<NewLine> {
        let mut part = FieldErrors::default();
        let quantity = line.quantity.as_value().copied().unwrap_or(Decimal::ONE);
        let tax_rate = line.tax_rate.as_value().copied().unwrap_or(Decimal::ZERO);
        if line.description.is_missing() {
            part.add("description", "is required");
        }
        if line.unit_amount.is_missing() {
            part.add("unit_amount", "is required");
        }
        if quantity <= Decimal::ZERO {
            part.add("quantity", "must be above 0");
        }
        if tax_rate < Decimal::ZERO || tax_rate > Decimal::from_ten_thousandths(1_000_000) {
            part.add("tax_rate", "must be from 0 to 100");
        } else if self.types == LineAmountTypes::NoTax && tax_rate != Decimal::ZERO {
            part.add("tax_rate", "must be 0 when line_amount_types is NO_TAX");
        }
        faults.add_under(&format!("line_items.{place}"), part);
        let line = NewLine {
            description: line.description.value()?,
            quantity,
            unit_amount: line.unit_amount.value()?,
            tax_rate,
            tax_type: line.tax_type.value(),
        };
        if line.amounts(self.types, self.currency).is_none() {
            faults.add(
                format!("line_items.{place}.unit_amount"),
                "makes the line larger than 999,999,999,999",
            );
        }
        Some(line)
    }

    fn check_totals(&self, lines: &[NewLine], known: bool, faults: &mut FieldErrors) -> Totals {
        let amounts: Option<Vec<_>> = lines
            .iter()
            .map(|line| line.amounts(self.types, self.currency))
            .collect();
        let sum = amounts.and_then(|amounts| totals(amounts, self.types, self.currency));
        // Totals of lines that are faulty themselves say nothing that their own faults do not.
        match sum {
            Some(sum) if sum.total.is_negative() && known && faults.is_empty() => {
                faults.add("line_items", "the total of the lines must not be negative");
            }
            None if faults.is_empty() => {
                faults.add(
                    "line_items",
                    "the total of the lines is larger than 999,999,999,999",
                );
            }
            _ => {}
        }
        let zero = kernel::Money::zero(self.currency);
        sum.unwrap_or(Totals {
            sub_total: zero,
            tax_total: zero,
            total: zero,
        })
    }
}
