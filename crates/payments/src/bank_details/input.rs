//! Bank details as the owner sent them.

use std::fmt;

use kernel::{Currency, Field, FieldErrors};

use super::details::{BankDetails, BankDetailsKind, Holder, Instructions};
use super::domestic::{AccountNumber, Bsb, RoutingNumber, SortCode};
use super::iban::{Bic, Iban};
use super::pay_id::PayId;

/// The fields of bank details as the owner sent them. Fields that the kind does not use are ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BankDetailsInput {
    /// The currency that payers transfer in.
    pub currency: Field<Currency>,
    /// The kind, which decides which of the other fields are used.
    pub kind: Field<BankDetailsKind>,
    /// The name of the account's holder.
    pub holder: Field<Holder>,
    /// The IBAN.
    pub iban: Field<Iban>,
    /// The BIC.
    pub bic: Field<Bic>,
    /// The BSB.
    pub bsb: Field<Bsb>,
    /// The sort code.
    pub sort_code: Field<SortCode>,
    /// The routing number.
    pub routing_number: Field<RoutingNumber>,
    /// The number of the account.
    pub account_number: Field<AccountNumber>,
    /// The PayID.
    pub pay_id: Field<PayId>,
    /// Free text of the owner.
    pub instructions: Field<Instructions>,
}

/// Collects faults.
struct Check(FieldErrors);

impl Check {
    /// The value of a required field. Fields that could not be parsed are reported already.
    fn required<T>(&mut self, name: &str, field: Field<T>) -> Option<T> {
        if field.is_missing() {
            self.fault(name, "is required");
        }
        field.value()
    }

    fn fault(&mut self, name: &str, message: impl fmt::Display) {
        self.0.add(name, message);
    }
}

impl BankDetailsInput {
    /// Checks the fields. `faults` are those found in parsing them; faults of fields that the kind does not
    /// use are ignored.
    ///
    /// # Errors
    /// Every faulty field.
    pub fn check(self, faults: &FieldErrors) -> Result<(Currency, BankDetails), FieldErrors> {
        let kind = self.kind.as_value().copied();
        let mut check = Check(FieldErrors::default());
        let used = |fault: &&kernel::FieldError| kind.is_none_or(|kind| uses(kind, &fault.field));
        faults.iter().filter(used).for_each(|fault| check.fault(&fault.field, &fault.message));
        let currency = check.required("currency", self.currency.clone());
        let kind = check.required("kind", self.kind.clone());
        if let (Some(currency), Some(kind)) = (currency, kind)
            && !kind.suits(currency)
        {
            let only = kind.only_currency().unwrap_or_default();
            check.fault("kind", format_args!("is for {only} only"));
        }
        let details = kind.and_then(|kind| self.details(kind, &mut check));
        check.0.into_result()?;
        // Missing values are reported above.
        currency.zip(details).ok_or_else(|| FieldErrors::one("kind", "is required"))
    }

    fn details(self, kind: BankDetailsKind, check: &mut Check) -> Option<BankDetails> {
        if kind == BankDetailsKind::Text {
            return check.required("instructions", self.instructions).map(BankDetails::Text);
        }
        let holder = check.required("holder", self.holder);
        let account_number =
            |check: &mut Check| check.required("account_number", self.account_number.clone());
        Some(match kind {
            BankDetailsKind::Iban => {
                let iban = check.required("iban", self.iban);
                BankDetails::Iban { holder: holder?, iban: iban?, bic: self.bic.value() }
            }
            BankDetailsKind::Bsb => {
                let (bsb, account_number) = (check.required("bsb", self.bsb), account_number(check));
                BankDetails::Bsb { holder: holder?, bsb: bsb?, account_number: account_number? }
            }
            BankDetailsKind::SortCode => {
                let sort_code = check.required("sort_code", self.sort_code);
                let account_number = account_number(check);
                BankDetails::SortCode {
                    holder: holder?,
                    sort_code: sort_code?,
                    account_number: account_number?,
                }
            }
            BankDetailsKind::Routing => {
                let routing_number = check.required("routing_number", self.routing_number);
                let account_number = account_number(check);
                let (routing_number, account_number) = (routing_number?, account_number?);
                BankDetails::Routing { holder: holder?, routing_number, account_number }
            }
            BankDetailsKind::PayId => {
                let pay_id = check.required("pay_id", self.pay_id);
                BankDetails::PayId { holder: holder?, pay_id: pay_id? }
            }
            BankDetailsKind::Text => return None,
        })
    }
}

/// Whether a kind uses a field.
fn uses(kind: BankDetailsKind, field: &str) -> bool {
    match field {
        "holder" => kind != BankDetailsKind::Text,
        "iban" | "bic" => kind == BankDetailsKind::Iban,
        "bsb" => kind == BankDetailsKind::Bsb,
        "sort_code" => kind == BankDetailsKind::SortCode,
        "routing_number" => kind == BankDetailsKind::Routing,
        "account_number" => {
            matches!(kind, BankDetailsKind::Bsb | BankDetailsKind::SortCode | BankDetailsKind::Routing)
        }
        "pay_id" => kind == BankDetailsKind::PayId,
        "instructions" => kind == BankDetailsKind::Text,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(currency: &str, kind: BankDetailsKind) -> BankDetailsInput {
        BankDetailsInput {
            currency: Field::Value(Currency::parse(currency).unwrap()),
            kind: Field::Value(kind),
            holder: Field::Value(Holder::parse("Acme Pty Ltd").unwrap()),
            ..BankDetailsInput::default()
        }
    }

    fn faulty(input: BankDetailsInput, faults: &FieldErrors) -> Vec<String> {
        let faults = input.check(faults).unwrap_err();
        faults.iter().map(|fault| fault.field.clone()).collect()
    }

    #[test]
    fn each_kind_names_what_it_lacks() {
        let none = FieldErrors::default();
        for (currency, kind, lacks) in [
            ("EUR", BankDetailsKind::Iban, &["iban"][..]),
            ("AUD", BankDetailsKind::Bsb, &["bsb", "account_number"]),
            ("GBP", BankDetailsKind::SortCode, &["sort_code", "account_number"]),
            ("USD", BankDetailsKind::Routing, &["routing_number", "account_number"]),
            ("AUD", BankDetailsKind::PayId, &["pay_id"]),
            ("JPY", BankDetailsKind::Text, &["instructions"]),
            ("EUR", BankDetailsKind::Bsb, &["kind", "bsb", "account_number"]),
        ] {
            assert_eq!(faulty(input(currency, kind), &none), lacks, "{kind:?}");
        }
        assert_eq!(faulty(BankDetailsInput::default(), &none), ["currency", "kind"]);
    }

    #[test]
    fn faults_of_fields_without_use_do_not_count() {
        let mut faults = FieldErrors::one("bsb", "must have 6 digits");
        let mut sent = input("EUR", BankDetailsKind::Iban);
        sent.bsb = Field::Faulty;
        sent.iban = Field::Value(Iban::parse("DE89370400440532013000").unwrap());
        let (currency, details) = sent.clone().check(&faults).unwrap();
        assert_eq!((currency.code(), details.kind()), ("EUR", BankDetailsKind::Iban));
        faults.add("bic", "must have 8 or 11 letters and digits");
        sent.bic = Field::Faulty;
        assert_eq!(faulty(sent, &faults), ["bic"]);
    }
}
