//! Documents that are quickly drawn, and one that cannot be.

use invoices::{DocumentError, Invoice, InvoiceDocuments, Letterhead};

/// Draws an invoice as a line of words that says what it was drawn from.
pub(crate) struct Words;

/// Draws nothing: with a cause that no caller is to see, or by falling over.
pub(crate) enum Undrawable {
    Failing,
    Panicking,
}

impl InvoiceDocuments for Words {
    fn render(
        &self,
        letterhead: &Letterhead,
        invoice: &Invoice,
        pay_url: &str,
    ) -> Result<Vec<u8>, DocumentError> {
        let (company, number) = (&letterhead.company_name, &invoice.number);
        Ok(format!("%PDF {company} {number} {pay_url}").into_bytes())
    }
}

impl InvoiceDocuments for Undrawable {
    fn render(&self, _: &Letterhead, _: &Invoice, _: &str) -> Result<Vec<u8>, DocumentError> {
        match self {
            Self::Failing => Err(DocumentError("the font is at /srv/fonts".into())),
            Self::Panicking => panic!("the pen fell over"),
        }
    }
}
