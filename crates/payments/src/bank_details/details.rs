//! What a payer needs to transfer money to an account.

use invoices::TransferField;
use kernel::{Currency, MultiLine, SingleLine};
use strum::{EnumString, IntoStaticStr, VariantArray, VariantNames};

use super::domestic::{AccountNumber, Bsb, RoutingNumber, SortCode};
use super::iban::{Bic, Iban};
use super::pay_id::PayId;

/// The name of a bank account's holder. An EPC QR code has room for 70 characters.
pub type Holder = SingleLine<70>;
/// Free text of the owner.
pub type Instructions = MultiLine<1_000>;

/// What a payer needs to transfer money to an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BankDetails {
    /// IBAN and, if the bank needs it, BIC.
    Iban {
        /// The name of the account's holder.
        holder: Holder,
        /// The number of the account that receives the money (ISO 13616).
        iban: Iban,
        /// The bank's code (ISO 9362).
        bic: Option<Bic>,
    },
    /// BSB and account number, Australia.
    Bsb {
        /// The name of the account's holder.
        holder: Holder,
        /// The bank's branch.
        bsb: Bsb,
        /// The number of the account at this branch or bank.
        account_number: AccountNumber,
    },
    /// Sort code and account number, United Kingdom.
    SortCode {
        /// The name of the account's holder.
        holder: Holder,
        /// The bank's branch.
        sort_code: SortCode,
        /// The number of the account at this branch or bank.
        account_number: AccountNumber,
    },
    /// Routing number and account number, United States.
    Routing {
        /// The name of the account's holder.
        holder: Holder,
        /// The bank's ABA routing number.
        routing_number: RoutingNumber,
        /// The number of the account at this branch or bank.
        account_number: AccountNumber,
    },
    /// PayID, Australia.
    PayId {
        /// The name shown to payers.
        holder: Holder,
        /// The PayID.
        pay_id: PayId,
    },
    /// Free text of the owner.
    Text(Instructions),
}

/// The kinds of bank details.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantArray, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum BankDetailsKind {
    /// IBAN and BIC.
    Iban,
    /// BSB and account number.
    Bsb,
    /// Sort code and account number.
    SortCode,
    /// Routing number and account number.
    Routing,
    /// PayID.
    PayId,
    /// Free text.
    Text,
}

impl BankDetailsKind {
    /// Every kind.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// The code of the only currency that details of this kind can be for; `None` when any currency is
    /// possible.
    #[must_use]
    pub const fn only_currency(self) -> Option<&'static str> {
        match self {
            Self::Iban | Self::Text => None,
            Self::Bsb | Self::PayId => Some("AUD"),
            Self::SortCode => Some("GBP"),
            Self::Routing => Some("USD"),
        }
    }

    /// Whether details of this kind can be for a currency.
    #[must_use]
    pub fn suits(self, currency: Currency) -> bool {
        self.only_currency().is_none_or(|only| only == currency.code())
    }
}

impl BankDetails {
    /// The kind of these details.
    #[must_use]
    pub const fn kind(&self) -> BankDetailsKind {
        match self {
            Self::Iban { .. } => BankDetailsKind::Iban,
            Self::Bsb { .. } => BankDetailsKind::Bsb,
            Self::SortCode { .. } => BankDetailsKind::SortCode,
            Self::Routing { .. } => BankDetailsKind::Routing,
            Self::PayId { .. } => BankDetailsKind::PayId,
            Self::Text(_) => BankDetailsKind::Text,
        }
    }

    /// What the payer enters at the bank, in order.
    #[must_use]
    pub fn fields(&self) -> Vec<(TransferField, String)> {
        use TransferField as Field;
        let holder = |holder: &Holder| (Field::AccountHolder, holder.to_string());
        let number = |number: &AccountNumber| (Field::AccountNumber, number.as_str().to_owned());
        match self {
            Self::Iban { holder: name, iban, bic } => {
                let bic = bic.iter().map(|bic| (Field::Bic, bic.as_str().to_owned()));
                [holder(name), (Field::Iban, iban.grouped())].into_iter().chain(bic).collect()
            }
            Self::Bsb { holder: name, bsb, account_number } => {
                vec![holder(name), (Field::Bsb, bsb.grouped()), number(account_number)]
            }
            Self::SortCode { holder: name, sort_code, account_number } => {
                vec![holder(name), (Field::SortCode, sort_code.grouped()), number(account_number)]
            }
            Self::Routing { holder: name, routing_number, account_number } => {
                let routing = (Field::RoutingNumber, routing_number.as_str().to_owned());
                vec![holder(name), routing, number(account_number)]
            }
            Self::PayId { holder: name, pay_id } => {
                vec![holder(name), (Field::PayId, pay_id.as_str().to_owned())]
            }
            Self::Text(text) => vec![(Field::Instructions, text.as_str().to_owned())],
        }
    }
}
