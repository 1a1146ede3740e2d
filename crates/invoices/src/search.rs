//! Searching invoices.

use contacts::SearchText;
use kernel::AccountScope;

use crate::number::InvoiceNumber;

/// A search. It finds an invoice by its number, by its exact reference, or by its contact ([`SearchText`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvoiceSearch {
    /// The numbers that the text can stand for.
    pub numbers: Vec<InvoiceNumber>,
    /// The text to match with references and contacts.
    pub text: SearchText,
}

impl InvoiceSearch {
    /// Parses a search text; `None` when it is blank. Digits alone are also read as a position in the
    /// account's sequence of numbers: `42` finds `INV-0042`.
    #[must_use]
    pub fn parse(text: &str, scope: &AccountScope) -> Option<Self> {
        let text = SearchText::parse(text)?;
        let prefix = scope.invoice_prefix.as_deref().unwrap_or(InvoiceNumber::DEFAULT_PREFIX);
        let of_sequence = text.text().parse::<u64>().ok().map(|n| InvoiceNumber::generated(prefix, n));
        let upper = text.text().to_uppercase();
        let chosen = [text.text(), &upper].map(|number| InvoiceNumber::parse(number).ok());
        let mut numbers: Vec<InvoiceNumber> = chosen.into_iter().flatten().chain(of_sequence).collect();
        numbers.dedup();
        Some(Self { numbers, text })
    }
}

#[cfg(test)]
mod tests {
    use kernel::{Currency, Id, SystemIds, TimeZone};
    use time::OffsetDateTime;

    use super::*;

    #[test]
    fn search_text_matches_upper_case_and_sequence_numbers() {
        let scope = AccountScope {
            id: Id::new(&SystemIds::default(), OffsetDateTime::UNIX_EPOCH),
            time_zone: TimeZone::utc(),
            currency: Currency::parse("AUD").unwrap(),
            invoice_prefix: None,
            communications_enabled: true,
            monthly_invoice_limit: None,
        };
        let numbers = |text: &str| {
            let search = InvoiceSearch::parse(text, &scope).unwrap();
            search.numbers.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(numbers(" inv-0042 "), ["inv-0042", "INV-0042"]);
        assert_eq!(numbers("42"), ["42", "INV-0042"]);
        assert_eq!(numbers(&"9".repeat(51)), Vec::<String>::new());
        assert_eq!(InvoiceSearch::parse(" ", &scope), None);
    }
}
