//! Bank details as the store holds them: one JSON object, read without the rules for input.

use kernel::{MultiLine, SingleLine};
use serde::{Deserialize, Serialize};

use super::details::BankDetails;
use super::domestic::{AccountNumber, Bsb, RoutingNumber, SortCode};
use super::iban::{Bic, Iban};
use super::pay_id::PayId;

/// The text is not stored bank details.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("are not bank details")]
pub struct NotBankDetails;

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Stored {
    Iban { holder: String, iban: String, bic: Option<String> },
    Bsb { holder: String, bsb: String, account_number: String },
    SortCode { holder: String, sort_code: String, account_number: String },
    Routing { holder: String, routing_number: String, account_number: String },
    PayId { holder: String, pay_id: String },
    Text { instructions: String },
    Removed,
}

/// The text to store for details or for their removal.
#[must_use]
pub fn stored_details(details: Option<&BankDetails>) -> String {
    let stored = details.map_or(Stored::Removed, Stored::from);
    // An object of strings always has a JSON form.
    serde_json::to_string(&stored).unwrap_or_default()
}

/// Parses stored details; `None` if they were removed.
pub fn details_from_stored(json: &str) -> Result<Option<BankDetails>, NotBankDetails> {
    let stored: Stored = serde_json::from_str(json).map_err(|_fault| NotBankDetails)?;
    Ok(stored.into())
}

impl From<&BankDetails> for Stored {
    fn from(details: &BankDetails) -> Self {
        let number = |number: &AccountNumber| number.as_str().to_owned();
        match details {
            BankDetails::Iban { holder, iban, bic } => Self::Iban {
                holder: holder.to_string(),
                iban: iban.as_str().to_owned(),
                bic: bic.as_ref().map(|bic| bic.as_str().to_owned()),
            },
            BankDetails::Bsb { holder, bsb, account_number } => Self::Bsb {
                holder: holder.to_string(),
                bsb: bsb.as_str().to_owned(),
                account_number: number(account_number),
            },
            BankDetails::SortCode { holder, sort_code, account_number } => Self::SortCode {
                holder: holder.to_string(),
                sort_code: sort_code.as_str().to_owned(),
                account_number: number(account_number),
            },
            BankDetails::Routing { holder, routing_number, account_number } => Self::Routing {
                holder: holder.to_string(),
                routing_number: routing_number.as_str().to_owned(),
                account_number: number(account_number),
            },
            BankDetails::PayId { holder, pay_id } => {
                Self::PayId { holder: holder.to_string(), pay_id: pay_id.as_str().to_owned() }
            }
            BankDetails::Text(text) => Self::Text { instructions: text.as_str().to_owned() },
        }
    }
}

impl From<Stored> for Option<BankDetails> {
    fn from(stored: Stored) -> Self {
        Some(match stored {
            Stored::Removed => return None,
            Stored::Iban { holder, iban, bic } => BankDetails::Iban {
                holder: SingleLine::from_stored(holder),
                iban: Iban::from_stored(iban),
                bic: bic.map(Bic::from_stored),
            },
            Stored::Bsb { holder, bsb, account_number } => BankDetails::Bsb {
                holder: SingleLine::from_stored(holder),
                bsb: Bsb::from_stored(bsb),
                account_number: AccountNumber::from_stored(account_number),
            },
            Stored::SortCode { holder, sort_code, account_number } => BankDetails::SortCode {
                holder: SingleLine::from_stored(holder),
                sort_code: SortCode::from_stored(sort_code),
                account_number: AccountNumber::from_stored(account_number),
            },
            Stored::Routing { holder, routing_number, account_number } => BankDetails::Routing {
                holder: SingleLine::from_stored(holder),
                routing_number: RoutingNumber::from_stored(routing_number),
                account_number: AccountNumber::from_stored(account_number),
            },
            Stored::PayId { holder, pay_id } => BankDetails::PayId {
                holder: SingleLine::from_stored(holder),
                pay_id: PayId::from_stored(pay_id),
            },
            Stored::Text { instructions } => BankDetails::Text(MultiLine::from_stored(instructions)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_back() {
        let holder = || SingleLine::parse("Acme \"Pty\" Ltd").unwrap();
        let account_number = || AccountNumber::parse("12345678").unwrap();
        let iban = Iban::parse("DE89370400440532013000").unwrap();
        for details in [
            BankDetails::Iban { holder: holder(), iban: iban.clone(), bic: None },
            BankDetails::Iban { holder: holder(), iban, bic: Some(Bic::parse("COBADEFFXXX").unwrap()) },
            BankDetails::Bsb {
                holder: holder(),
                bsb: Bsb::parse("062000").unwrap(),
                account_number: account_number(),
            },
            BankDetails::SortCode {
                holder: holder(),
                sort_code: SortCode::parse("200000").unwrap(),
                account_number: account_number(),
            },
            BankDetails::Routing {
                holder: holder(),
                routing_number: RoutingNumber::parse("021000021").unwrap(),
                account_number: account_number(),
            },
            BankDetails::PayId { holder: holder(), pay_id: PayId::parse("pay@acme.example").unwrap() },
            BankDetails::Text(MultiLine::parse("Bring it.\nOn foot.").unwrap()),
        ] {
            assert_eq!(details_from_stored(&stored_details(Some(&details))), Ok(Some(details.clone())));
            assert!(!details.fields().is_empty());
        }
        assert_eq!(details_from_stored(&stored_details(None)), Ok(None));
        assert_eq!(details_from_stored("{}"), Err(NotBankDetails));
    }
}
