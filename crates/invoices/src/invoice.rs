//! The invoice entity.

pub mod transitions;

use std::ops::Deref;

use contacts::Contact;
use kernel::{AccountId, Currency, Id, Ids, Money, Version};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

use crate::check::NewInvoice;
use crate::invoiced_contact::InvoicedContact;
use crate::ledger_invoice_id::LedgerInvoiceId;
use crate::line_amount_types::LineAmountTypes;
use crate::line_item::{LineItem, NewLine};
use crate::number::InvoiceNumber;
use crate::pay_token::PayToken;
use crate::payment::Payment;
use crate::status::InvoiceStatus;
use crate::texts::InvoiceTexts;
use crate::totals::Totals;

/// Marks ids of invoices.
pub enum InvoiceEntity {}

/// The id of an invoice.
pub type InvoiceId = Id<InvoiceEntity>;

/// An invoice. Its fields are readable; they change only through its methods, which enforce the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invoice(InvoiceData);

/// The fields of an invoice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvoiceData {
    /// The invoice's id.
    pub id: InvoiceId,
    /// The account that issues it.
    pub account: AccountId,
    /// Its number, unique within the account.
    pub number: InvoiceNumber,
    /// The stored status. Those that depend on dates are updated when the day has come.
    pub status: InvoiceStatus,
    /// The invoiced contact; a draft may have none.
    pub contact: Option<InvoicedContact>,
    /// The date on the invoice; before it, the status is SCHEDULED.
    pub invoice_date: Date,
    /// The last day on which payment is in time, in the time zone of the account.
    pub due_date: Date,
    /// Its currency.
    pub currency: Currency,
    /// Whether line amounts contain their tax.
    pub line_amount_types: LineAmountTypes,
    /// Its lines, in the caller's order.
    pub lines: Vec<LineItem>,
    /// The totals of the lines.
    pub totals: Totals,
    /// The sum of its payments.
    pub amount_paid: Money,
    /// Its payments, oldest first.
    pub payments: Vec<Payment>,
    /// Texts for people; no rule depends on them.
    pub texts: InvoiceTexts,
    /// When it was last sent to the contact, UTC; `None` when it was never sent.
    pub last_sent_at: Option<OffsetDateTime>,
    /// How often it was sent.
    pub send_count: u32,
    /// The token of its payment page.
    pub pay_token: PayToken,
    /// Its id in a linked accounting system, once pushed.
    pub ledger_invoice_id: Option<LedgerInvoiceId>,
    /// When it was created, UTC.
    pub created_at: OffsetDateTime,
    /// When it was last changed, UTC.
    pub updated_at: OffsetDateTime,
}

/// What a new invoice needs besides the caller's fields.
pub struct CreationContext<'a> {
    /// The account that creates it.
    pub account: AccountId,
    /// Its number.
    pub number: InvoiceNumber,
    /// The contact that the reference found or created.
    pub contact: Option<Contact>,
    /// The token of its payment page.
    pub pay_token: PayToken,
    /// Generates ids.
    pub ids: &'a dyn Ids,
    /// The present instant, UTC.
    pub now: OffsetDateTime,
    /// The present date in the account's time zone.
    pub today: Date,
}

impl Invoice {
    /// Makes an invoice: a draft, or an issued one with the status that follows from its dates. An issued
    /// invoice with a total of 0 is PAID.
    #[must_use]
    pub fn create(new: NewInvoice, context: CreationContext<'_>) -> Self {
        let status = if new.is_draft {
            InvoiceStatus::Draft
        } else if new.totals.total.is_zero() {
            InvoiceStatus::Paid
        } else {
            InvoiceStatus::on_issue(new.invoice_date, new.due_date, context.today, new.send)
        };
        let (types, currency) = (new.line_amount_types, new.currency);
        let line = |line| number_line(line, types, currency, context.ids, context.now);
        Self(InvoiceData {
            id: Id::new(context.ids, context.now),
            account: context.account,
            number: context.number,
            status,
            contact: context.contact.map(InvoicedContact::from),
            invoice_date: new.invoice_date,
            due_date: new.due_date,
            currency,
            line_amount_types: types,
            lines: new.lines.into_iter().filter_map(line).collect(),
            totals: new.totals,
            amount_paid: Money::zero(currency),
            payments: Vec::new(),
            texts: new.texts,
            last_sent_at: new.send.then_some(context.now),
            send_count: u32::from(new.send),
            pay_token: context.pay_token,
            ledger_invoice_id: None,
            created_at: context.now,
            updated_at: context.now,
        })
    }

    /// An invoice read from the store, without the rules for input.
    #[must_use]
    pub const fn from_stored(data: InvoiceData) -> Self {
        Self(data)
    }

    /// The total less the sum of the payments; 0 for a cancelled invoice.
    #[must_use]
    pub fn amount_due(&self) -> Money {
        let zero = Money::zero(self.currency);
        match self.status {
            InvoiceStatus::Cancelled => zero,
            _ => self.totals.total.checked_sub(self.amount_paid).unwrap_or(zero),
        }
    }

    /// The invoice's present version. It stays when the invoice is entered in the ledger, and when it is
    /// saved as it was, which gives its lines new ids: the forms of its owner do not show that.
    #[must_use]
    pub fn version(&self) -> Version {
        let data = self.0.clone();
        let lines = data.lines.into_iter().map(|line| LineItem { id: Id::from_uuid(Uuid::nil()), ..line });
        let lines = lines.collect();
        let shown = InvoiceData { ledger_invoice_id: None, updated_at: self.created_at, lines, ..data };
        // The token's own `Debug` hides it.
        Version::of(&(shown, self.pay_token.reveal()))
    }

    /// Whether it is a draft.
    #[must_use]
    pub fn is_draft(&self) -> bool {
        self.status == InvoiceStatus::Draft
    }

    /// Whether it was ever sent to its contact.
    #[must_use]
    pub fn sent_to_contact(&self) -> bool {
        self.last_sent_at.is_some()
    }
}

impl Deref for Invoice {
    type Target = InvoiceData;

    fn deref(&self) -> &InvoiceData {
        &self.0
    }
}

/// Gives a line its id and amounts. The checks have ensured that the amounts exist.
pub(crate) fn number_line(
    line: NewLine,
    types: LineAmountTypes,
    currency: Currency,
    ids: &dyn Ids,
    now: OffsetDateTime,
) -> Option<LineItem> {
    let amounts = line.amounts(types, currency)?;
    Some(LineItem {
        id: Id::new(ids, now),
        description: line.description,
        quantity: line.quantity,
        unit_amount: line.unit_amount,
        tax_rate: line.tax_rate,
        tax_type: line.tax_type,
        tax_amount: amounts.tax_amount,
        line_amount: amounts.line_amount,
    })
}
