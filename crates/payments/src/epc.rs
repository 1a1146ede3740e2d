//! The content of an EPC QR code (EPC069-12), from which a banking app fills in a transfer in euros.

use invoices::{BankTransfer, TransferField};
use kernel::Money;

/// The most bytes of a payload.
const MAX_BYTES: usize = 331;
/// The most characters of the name and of the remittance information.
const NAME: usize = 70;
const REMITTANCE: usize = 140;
/// The largest amount of one transfer, in cents.
const MAX_CENTS: i64 = 99_999_999_999;

/// The payload for a transfer of an amount with a reference to quote: version 002 in UTF-8. `None` for
/// currencies other than euros, without an IBAN, and for an amount that a transfer cannot have.
#[must_use]
pub fn epc_payload(transfer: &BankTransfer, amount: Money, reference: &str) -> Option<String> {
    let is_payable = (1..=MAX_CENTS).contains(&amount.minor());
    if amount.currency().code() != "EUR" || !is_payable {
        return None;
    }
    let iban = transfer.field(TransferField::Iban)?.replace(' ', "");
    let name = kernel::text::one_line(transfer.field(TransferField::AccountHolder)?, NAME);
    let bic = transfer.field(TransferField::Bic).unwrap_or_default();
    let reference = kernel::text::one_line(reference, REMITTANCE);
    let amount = format!("EUR{amount}");
    // Purpose and structured reference are empty.
    let lines = ["BCD", "002", "1", "SCT", bic, &name, &iban, &amount, "", "", &reference];
    Some(lines.join("\n")).filter(|payload| payload.len() <= MAX_BYTES)
}

#[cfg(test)]
mod tests {
    use kernel::Currency;
    use proptest::prelude::*;
    use time::macros::datetime;

    use super::*;

    fn transfer(holder: &str, bic: Option<&str>) -> BankTransfer {
        let bic = bic.map(|bic| (TransferField::Bic, bic.to_owned()));
        let fields = [
            (TransferField::AccountHolder, holder.to_owned()),
            (TransferField::Iban, "DE89 3704 0044 0532 0130 00".to_owned()),
        ];
        BankTransfer {
            fields: fields.into_iter().chain(bic).collect(),
            unchanged_since: datetime!(2026-11-20 09:00 UTC),
        }
    }

    fn money(amount: &str, currency: &str) -> Money {
        Money::parse(amount, Currency::parse(currency).unwrap()).unwrap()
    }

    #[test]
    fn payload_has_its_lines_in_their_order() {
        let payload =
            epc_payload(&transfer("Größe GmbH", Some("COBADEFF")), money("1234.5", "EUR"), "INV-0042");
        let expected =
            "BCD\n002\n1\nSCT\nCOBADEFF\nGröße GmbH\nDE89370400440532013000\nEUR1234.50\n\n\nINV-0042";
        assert_eq!(payload.as_deref(), Some(expected));
        let without_bic = epc_payload(&transfer("A", None), money("0.01", "EUR"), "1").unwrap();
        assert_eq!(without_bic, "BCD\n002\n1\nSCT\n\nA\nDE89370400440532013000\nEUR0.01\n\n\n1");
    }

    #[test]
    fn other_currencies_and_amounts_have_no_payload() {
        let transfer = transfer("A", None);
        for (amount, currency) in [("1", "AUD"), ("0", "EUR"), ("1000000000", "EUR")] {
            assert_eq!(epc_payload(&transfer, money(amount, currency), "1"), None, "{amount} {currency}");
        }
        assert!(epc_payload(&transfer, money("999999999.99", "EUR"), "1").is_some());
        let without_iban = BankTransfer { fields: Vec::new(), ..transfer };
        assert_eq!(epc_payload(&without_iban, money("1", "EUR"), "1"), None);
    }

    proptest! {
        #[test]
        fn no_text_adds_a_line_or_makes_it_too_long(holder in "(?s).{1,90}", reference in "(?s).{0,200}") {
            if let Some(payload) = epc_payload(&transfer(&holder, None), money("1", "EUR"), &reference) {
                prop_assert_eq!(payload.split('\n').count(), 11);
                prop_assert!(payload.len() <= MAX_BYTES && !payload.contains('\r'));
            }
        }
    }
}
