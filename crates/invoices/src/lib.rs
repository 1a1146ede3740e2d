//! Invoices: lines, totals, numbers, statuses.
//!
//! The rules of an invoice, without database and HTTP. [`Invoice::create`] makes an invoice of a checked
//! [`NewInvoice`]; the use cases of [`Invoicing`] put it into a transaction with its contact, its number and
//! its stored response. All money is whole minor units of one currency, and every sum is checked (see
//! [`totals`] for the rounding). The program `examples/ports` fills the ports of [`Invoicing`] with a store
//! of its own, and runs the use cases over it.
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

pub mod addressee;
pub mod amend;
pub mod amendment;
mod audited;
pub mod bank_transfer;
pub mod cancel;
pub mod check;
pub mod color;
mod contact_faults;
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
pub mod overview;
pub mod page_view;
pub mod pay_link;
pub mod pay_token;
pub mod payer_offers;
pub mod payment;
pub mod pdf;
pub mod policy;
pub mod ports;
pub mod promise;
pub mod promise_to_pay;
pub mod read;
pub mod read_as_payer;
pub mod receipt;
pub mod record_payment;
pub mod replace_pay_link;
pub mod search;
mod send;
pub mod status;
pub mod summary;
mod texts;
pub mod timeline;
pub mod totals;

pub use addressee::Addressee;
pub use amend::AmendInvoiceError;
pub use amendment::InvoiceAmendment;
pub use bank_transfer::{BankTransfer, TransferField};
pub use cancel::CancelInvoiceError;
pub use check::NewInvoice;
pub use color::Color;
pub use create::CreateInvoiceError;
pub use document::{
    BankTransfers, DocumentError, InvoiceDocument, InvoiceDocuments, InvoiceRenderer, LogoPictures,
    OnlineOffers, ReceiptDocument, WayToPay,
};
pub use due_dates::DueDates;
pub use email_template::InvoiceEmail;
pub use filter::InvoiceFilter;
pub use input::{InvoiceInput, LineInput};
pub use invoice::transitions::{AmendRefused, NotCancellable, PaymentRefused};
pub use invoice::{CreationContext, Invoice, InvoiceData, InvoiceId};
pub use invoice_for_payer::InvoiceForPayer;
pub use invoiced_contact::InvoicedContact;
pub use invoicing::Invoicing;
pub use ledger::{Ledger, LedgerError, LedgerTask, LedgerWorker};
pub use ledger_invoice_id::LedgerInvoiceId;
pub use letterhead::{Letterhead, LetterheadLogo, LogoKind, NotALetterhead};
pub use line_amount_types::LineAmountTypes;
pub use line_item::{LineItem, LineItemId, NewLine};
pub use number::InvoiceNumber;
pub use overview::{Ageing, LatestPayment, Overview, OverviewReads, Overviews, Owed};
pub use page_view::PageView;
pub use pay_link::{PayLinkEmail, PayLinkRequest, PayLinkWorker};
pub use pay_token::PayToken;
pub use payer_offers::PayerOffers;
pub use payment::{Payment, PaymentId, PaymentMethod, RecordedBy};
pub use pdf::{InvoicePdf, InvoicePdfs, PdfError};
pub use policy::InvoicingPolicy;
pub use ports::{
    CandidateKey, CreationNeeds, CreationStart, DueDateStore, InvoiceReads, Invoices, InvoicingStore,
    InvoicingTx, MailableInvoice, Numbers, OpenCheckouts, PayTokens, PayeeAccount, PayerReads,
    PaymentPageHistory, PromiseLimits, Promises, StatusCandidate, StatusChange, Stored,
};
pub use promise::{Promise, PromiseId, PromisePeriod, PromisedBy};
pub use promise_to_pay::{NewPromise, PromiseError};
pub use read_as_payer::{PayerInvoices, PayerPdfError, ReadAsPayerError};
pub use receipt::{ReceiptError, ReceiptPdf};
pub use record_payment::{NewPayment, RecordPaymentError};
pub use replace_pay_link::ReplacePayLinkError;
pub use search::InvoiceSearch;
pub use status::InvoiceStatus;
pub use summary::InvoiceSummary;
pub use texts::{InvoiceTexts, InvoiceTextsInput};
pub use timeline::{NotSent, TimelineEntry, TimelineKind, TimelineReads, Timelines};
pub use totals::Totals;
