//! Rows of the tables, and their conversion to the domain's types and back.
//!
//! Rules for input (lengths, currencies in use) are not applied to stored rows: what was accepted stays
//! readable. A row that still cannot be converted, such as one with an unknown status, is a
//! [`StoreError::Inconsistent`] with its table, id and column, never its content.

mod account;
mod candidate;
mod contact;
mod delivery;
mod endpoint;
mod escalation;
mod invitation;
mod invoice;
mod invoiced_contact;
mod key;
mod leased_delivery;
mod leased_mail;
mod leased_task;
mod line_item;
mod partner;
mod payment;
mod queue_figures;
mod standing;
mod stored_response;

use std::fmt;

use kernel::{Currency, SingleLine, StoreError};
use serde::Serialize;

use crate::types::RowId;

pub(crate) use account::{AccountRow, LoginRow, WholeAccountRow, limit_to_row, whole_account};
pub(crate) use candidate::CandidateRow;
pub(crate) use contact::ContactRow;
pub(crate) use delivery::{AttemptRow, DeliveryRow};
pub(crate) use endpoint::{EndpointRow, SecretRow};
pub(crate) use escalation::EscalationRow;
pub(crate) use invitation::InvitationRow;
pub(crate) use invoice::{InvoiceRow, InvoiceRows, with_details};
pub(crate) use key::{AccountKeyRow, LiveKeyRow, PartnerKeyRow};
pub(crate) use leased_delivery::LeasedDeliveryRow;
pub(crate) use leased_mail::LeasedMailRow;
pub(crate) use leased_task::LeasedTaskRow;
pub(crate) use line_item::LineItemRow;
pub(crate) use partner::PartnerRow;
pub(crate) use payment::PaymentRow;
pub(crate) use queue_figures::QueueFiguresRow;
pub(crate) use standing::AccountStandingRow;
pub(crate) use stored_response::{ClaimRow, StoredResponseRow};

/// The table and the id of a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) table: &'static str,
    pub(crate) id: RowId,
}

impl Place {
    /// The error for a column that cannot be converted.
    pub(crate) fn wrong(self, column: &str, what: impl fmt::Display) -> StoreError {
        StoreError::Inconsistent {
            table: self.table,
            id: self.id.0.to_string(),
            what: format!("{column} {what}"),
        }
    }

    fn currency(self, code: &str) -> Result<Currency, StoreError> {
        Currency::from_stored(code).map_err(|fault| self.wrong("currency", fault))
    }

    fn count<N: TryFrom<i64>>(self, column: &str, value: i64) -> Result<N, StoreError> {
        N::try_from(value).map_err(|_out_of_range| self.wrong(column, "is out of range"))
    }
}

/// Text as a column takes it.
fn text<const MOST: usize>(line: &SingleLine<MOST>) -> String {
    line.as_str().to_owned()
}

/// Text that may be absent as a column takes it.
fn text_or_null<const MOST: usize>(line: Option<&SingleLine<MOST>>) -> Option<String> {
    line.map(text)
}

/// A document of plain text fields as JSON. Such a one can always be written.
fn json(document: &impl Serialize) -> String {
    serde_json::to_string(document).unwrap_or_default()
}
