//! How to pay an invoice by bank transfer, as shown to its payer.

use strum::IntoStaticStr;
use time::OffsetDateTime;

/// The bank details to pay to. The reference to quote is the invoice's number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BankTransfer {
    /// What the payer enters at the bank.
    pub fields: Vec<(TransferField, String)>,
    /// When the details last changed, UTC.
    pub unchanged_since: OffsetDateTime,
}

/// The kind of a field of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum TransferField {
    /// The name of the account's holder.
    AccountHolder,
    /// International bank account number (ISO 13616).
    Iban,
    /// Business identifier code of the bank (ISO 9362).
    Bic,
    /// Bank-state-branch number, Australia.
    Bsb,
    /// Sort code, United Kingdom.
    SortCode,
    /// ABA routing number, United States.
    RoutingNumber,
    /// The number of the account at its bank.
    AccountNumber,
    /// PayID, Australia.
    PayId,
    /// Free text of the owner.
    Instructions,
}

impl BankTransfer {
    /// The text of a field.
    #[must_use]
    pub fn field(&self, wanted: TransferField) -> Option<&str> {
        self.fields.iter().find(|(field, _)| *field == wanted).map(|(_, text)| text.as_str())
    }
}
