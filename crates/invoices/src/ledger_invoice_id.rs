//! The id of an invoice in the external accounting system.

use kernel::SingleLine;

/// The id that the ledger gave an invoice.
pub type LedgerInvoiceId = SingleLine<255>;
