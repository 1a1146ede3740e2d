//! How a payer paid, derived from Stripe's type of payment method.

use payments::MethodKind;

const DIRECT_DEBITS: [&str; 8] = [
    "ach_debit", "acss_debit", "au_becs_debit", "bacs_debit", "nz_bank_account", "payto", "sepa_debit",
    "us_bank_account",
];
/// Transfers that the payer orders at a bank, on paper or on the bank's own page.
const BANK_TRANSFERS: [&str; 23] = [
    "ach_credit_transfer", "bancontact", "bizum", "blik", "boleto", "customer_balance", "eps", "fpx",
    "giropay", "ideal", "konbini", "multibanco", "oxxo", "p24", "pay_by_bank", "paynow", "pix", "promptpay",
    "sepa_credit_transfer", "sofort", "swish", "twint", "upi",
];

/// Cards, wallets, and any types that Stripe adds, count as cards.
pub(crate) fn method(r#type: &str) -> MethodKind {
    if DIRECT_DEBITS.contains(&r#type) {
        MethodKind::DirectDebit
    } else if BANK_TRANSFERS.contains(&r#type) {
        MethodKind::BankTransfer
    } else {
        MethodKind::Card
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The types that a charge can have according to Stripe's OpenAPI document.
    fn known() -> Vec<String> {
        let facts = include_str!("../tests/openapi/operations.json");
        let facts: serde_json::Value = serde_json::from_str(facts).unwrap();
        let types = facts["objects"]["charge"]["payment_method_details"]["types"].clone();
        serde_json::from_value(types).unwrap()
    }

    #[test]
    fn types_in_the_tables_are_types_of_stripe_and_debits_are_all_there() {
        let known = known();
        for listed in DIRECT_DEBITS.iter().chain(&BANK_TRANSFERS) {
            assert!(known.iter().any(|known| known == listed), "{listed}");
        }
        for name in known.iter().filter(|name| name.ends_with("_debit") || name.ends_with("bank_account")) {
            assert_eq!(method(name), MethodKind::DirectDebit, "{name}");
        }
        for name in known.iter().filter(|name| name.ends_with("_transfer")) {
            assert_eq!(method(name), MethodKind::BankTransfer, "{name}");
        }
    }

    #[test]
    fn cards_and_wallets_debits_and_transfers_are_told_apart() {
        for (r#type, kind) in [
            ("card", MethodKind::Card),
            ("link", MethodKind::Card),
            ("paypal", MethodKind::Card),
            ("klarna", MethodKind::Card),
            ("sepa_debit", MethodKind::DirectDebit),
            ("au_becs_debit", MethodKind::DirectDebit),
            ("us_bank_account", MethodKind::DirectDebit),
            ("customer_balance", MethodKind::BankTransfer),
            ("ideal", MethodKind::BankTransfer),
            ("something_new", MethodKind::Card),
        ] {
            assert_eq!(method(r#type), kind, "{}", r#type);
        }
    }
}
