//! Escalations: raised when a customer needs a person, resolved when one has helped.
//!
//! The service's own communications raise one when a customer asks for help, disputes an invoice, asks for a person or refuses to pay,
//! and somebody closes it once it is settled (contract, "States and transitions", Escalation). Both are done at an [`EscalationDesk`],
//! which tells the account's webhooks in the same transaction. The account itself only reads its escalations, from
//! [`EscalationRecords`].
//!
//! ```
//! use escalations::{Channel, Escalation, EscalationType, NewEscalation, ResolutionOutcome, Status};
//! use kernel::{Block, Id, SystemIds};
//! use time::macros::datetime;
//!
//! let (ids, now) = (SystemIds::default(), datetime!(2026-11-20 02:09:06.147 UTC));
//! let new = NewEscalation {
//!     escalation_type: EscalationType::Dispute,
//!     channel: Channel::Email,
//!     statement: Block::parse("We never got the tea.").unwrap(),
//!     invoice: None,
//!     contact: None,
//! };
//! let mut escalation = Escalation::raise(Id::new(&ids, now), Id::new(&ids, now), new, now);
//! assert_eq!((escalation.status(), escalation.priority.as_str()), (Status::Open, "high"));
//! escalation.resolve(ResolutionOutcome::InvoiceCorrected, None, now).unwrap();
//! assert_eq!(escalation.status(), Status::Resolved);
//! assert!(escalation.resolve(ResolutionOutcome::Paid, None, now).is_err());
//! ```

pub mod escalation;
pub mod ports;
pub mod raise;
pub mod read;
pub mod resolve;
pub mod words;

use std::sync::Arc;

use contacts::ContactReads;
use invoices::InvoiceReads;
use kernel::{Clock, Ids, PublicUrls};

pub use escalation::{
    AlreadyResolved, Escalation, EscalationData, EscalationId, NewEscalation, Notes, Resolution,
    Statement,
};
pub use ports::{EscalationReads, Escalations, EscalationsStore, EscalationsTx};
pub use raise::RaiseError;
pub use read::ReadEscalationError;
pub use resolve::ResolveError;
pub use words::{Channel, EscalationType, NoSuchWord, Priority, ResolutionOutcome, Status};

/// Where escalations are raised and resolved. No account reaches it: its callers are the service's own communications and the operator.
#[derive(Clone)]
pub struct EscalationDesk {
    /// Begins transactions.
    pub store: Arc<dyn EscalationsStore>,
    /// Finds the invoice that an escalation is about.
    pub invoices: Arc<dyn InvoiceReads>,
    /// Finds the contact that an escalation is about.
    pub contacts: Arc<dyn ContactReads>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Makes ids.
    pub ids: Arc<dyn Ids>,
    /// Makes the addresses of escalations.
    pub urls: PublicUrls,
}

/// Where accounts read their escalations.
#[derive(Clone)]
pub struct EscalationRecords {
    /// Reads escalations.
    pub reads: Arc<dyn EscalationReads>,
}
