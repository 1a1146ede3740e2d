//! Escalations: raised when a customer's case needs a person, resolved once a person has helped.
//!
//! An escalation is raised when a customer cannot pay, disputes an invoice, asks for a person or refuses to
//! pay: by a message, by the form on the payment page, by the owner who corrects what a message means, or by
//! the operator. The account's owner or the operator resolves it (contract, "States and transitions",
//! Escalation). [`EscalationService`] does both and publishes the event in the same transaction; raising also
//! queues a mail to the owner. Accounts read their escalations through [`EscalationReader`].
//!
//! ```
//! use escalations::{Channel, Escalation, EscalationStatus, EscalationType, NewEscalation, ResolutionOutcome};
//! use kernel::{Id, MultiLine, Named as _, SystemIds};
//! use time::macros::datetime;
//!
//! let (ids, now) = (SystemIds::default(), datetime!(2026-11-20 02:09:06.147 UTC));
//! let new = NewEscalation {
//!     escalation_type: EscalationType::Dispute,
//!     channel: Channel::Email,
//!     statement: MultiLine::parse("We never got the tea.").unwrap(),
//!     invoice: None,
//!     contact: None,
//! };
//! let mut escalation = Escalation::raise(Id::new(&ids, now), Id::new(&ids, now), new, now);
//! assert_eq!((escalation.status(), escalation.priority.as_str()), (EscalationStatus::Open, "high"));
//! escalation.resolve(ResolutionOutcome::InvoiceCorrected, None, now).unwrap();
//! assert_eq!(escalation.status(), EscalationStatus::Resolved);
//! assert!(escalation.resolve(ResolutionOutcome::Paid, None, now).is_err());
//! ```

#![warn(missing_docs)]

pub mod escalation;
pub mod list;
mod notice;
pub mod ports;
pub mod position;
pub mod raise;
pub mod read;
pub mod resolve;
mod service;
pub mod terms;

pub use escalation::{
    AlreadyResolved, Escalation, EscalationData, EscalationId, NewEscalation, Notes, Resolution, Statement,
};
pub use list::EscalationPage;
pub use ports::{EscalationReads, Escalations, EscalationsStore, EscalationsTx};
pub use position::EscalationPosition;
pub use raise::{EscalationDraft, RaiseError};
pub use resolve::ResolveError;
pub use service::{EscalationReader, EscalationService};
pub use terms::{Channel, EscalationStatus, EscalationType, Priority, ResolutionOutcome};
