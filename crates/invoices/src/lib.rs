//! Invoices: lines, totals, numbers, states.
//!
//! The rules of an invoice, with no database and no HTTP. [`Invoice::raise`] makes one from a checked
//! [`NewInvoice`]; the use cases of [`Invoicing`] put that into a transaction with its contact, its number
//! and its stored response. All money is whole minor units of one currency and every sum is checked (see
//! [`totals`] for the rounding).
//!
//! ```
//! use invoices::{LineAmountTypes, totals::line_amounts};
//! use kernel::{Currency, Decimal};
//!
//! let aud = Currency::parse("AUD").unwrap();
//! let number = |text| Decimal::parse(text).unwrap();
//! let line = line_amounts(number("3"), number("10.05"), number("10"), LineAmountTypes::Exclusive, aud).unwrap();
//! assert_eq!(line.line_amount.to_string(), "30.15");
//! assert_eq!(line.tax_amount.to_string(), "3.02");
//! ```

#![warn(missing_docs)]

pub mod amend;
pub mod amendment;
pub mod cancel;
pub mod check;
pub mod color;
pub mod create;
pub mod document;
pub mod due_dates;
pub mod email_template;
pub mod figures;
pub mod filter;
pub mod input;
pub mod invoice;
pub mod invoice_for_payer;
pub mod invoiced_contact;
pub mod invoicing;
pub mod ledger;
pub mod ledger_invoice_id;
pub mod letterhead;
pub mod line_amount_types;
pub mod line_item;
mod line_rules;
pub mod number;
pub mod pay_token;
pub mod payment;
pub mod pdf;
pub mod policy;
pub mod ports;
pub mod read;
pub mod read_as_payer;
pub mod record_payment;
mod send;
pub mod status;
mod texts;
pub mod totals;

pub use amend::AmendInvoiceError;
pub use amendment::Amendment;
pub use cancel::CancelInvoiceError;
pub use check::NewInvoice;
pub use color::Color;
pub use create::CreateInvoiceError;
pub use document::{DocumentError, InvoiceDocument, InvoiceDocuments, InvoiceRenderer, LogoPictures};
pub use due_dates::DueDates;
pub use email_template::InvoiceEmail;
pub use filter::InvoiceFilter;
pub use input::{InvoiceInput, LineInput};
pub use invoice::transitions::{AmendRefused, NotCancellable, PaymentRefused};
pub use invoice::{Invoice, InvoiceData, InvoiceId, Issue};
pub use invoice_for_payer::InvoiceForPayer;
pub use invoiced_contact::InvoicedContact;
pub use invoicing::Invoicing;
pub use ledger::{Ledger, LedgerError, LedgerTask, LedgerWorker};
pub use ledger_invoice_id::LedgerInvoiceId;
pub use letterhead::{Letterhead, Logo, LogoKind, NotALetterhead};
pub use line_amount_types::LineAmountTypes;
pub use line_item::{LineItem, LineItemId, NewLine};
pub use number::InvoiceNumber;
pub use pay_token::{MalformedPayToken, PayToken};
pub use payment::{Payment, PaymentId, PaymentMethod, RecordedBy};
pub use pdf::{InvoicePdf, InvoicePdfs, PdfError};
pub use policy::InvoicingPolicy;
pub use ports::{
    Calendar, Candidate, CandidateKey, Inserted, InvoiceReads, Invoices, InvoicingStore, InvoicingTx,
    Numbered, Numbers, PayerReads, StatusChange,
};
pub use read::ReadInvoiceError;
pub use read_as_payer::{PayerInvoices, PayerPdfError};
pub use record_payment::{NewPayment, RecordPaymentError};
pub use status::Status;
pub use texts::{InvoiceTexts, InvoiceTextsInput};
pub use totals::Totals;
