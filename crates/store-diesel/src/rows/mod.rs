//! Rows of the tables, and their conversion to the domain's types and back.
//!
//! Rules for input (lengths, currencies in use) are not applied to stored rows: what was accepted stays
//! readable. A row that still cannot be converted, such as one with an unknown status, is a
//! [`StoreError::Inconsistent`] with its table, id and column, never its content.

mod account;
mod address_hold;
mod audit_entry;
mod bank_details;
mod candidate;
mod charge;
mod contact;
mod delivery;
mod endpoint;
mod escalation;
mod gateway_account;
mod inbox_item;
mod invitation;
mod invoice;
mod invoiced_contact;
mod key;
mod leased_delivery;
mod leased_job;
mod line_item;
mod login;
mod message;
mod online_figures;
mod overview;
mod partner;
mod password_reset;
mod payment;
mod payment_intent;
mod promise;
mod queue_figures;
mod reminder;
pub(crate) mod row_ref;
mod session;
mod standing;
mod stored_response;
mod timeline;

pub(crate) use account::{
    AccountRow, LoginRow, WholeAccountRow, limit_to_row, silenced_from_row, silenced_to_row, whole_account,
};
pub(crate) use address_hold::{AddressHoldRow, ConsentRow};
pub(crate) use audit_entry::AuditEntryRow;
pub(crate) use bank_details::BankDetailsRow;
pub(crate) use candidate::CandidateRow;
pub(crate) use charge::{ChargeRow, ReversalRow};
pub(crate) use contact::{ContactRow, ContactWordRow};
pub(crate) use delivery::{AttemptRow, DeliveryRow};
pub(crate) use endpoint::{EndpointRow, SecretRow};
pub(crate) use escalation::EscalationRow;
pub(crate) use gateway_account::GatewayAccountRow;
pub(crate) use inbox_item::InboxRow;
pub(crate) use invitation::InvitationRow;
pub(crate) use invoice::{InvoiceColumns, InvoiceRow, InvoiceRows, with_details};
pub(crate) use key::{AccountKeyRow, LiveKeyRow, PartnerKeyRow};
pub(crate) use leased_delivery::LeasedDeliveryRow;
pub(crate) use leased_job::LeasedJobRow;
pub(crate) use line_item::LineItemRow;
pub(crate) use login::{LoginStandingRow, OwnerRow, login_standing};
pub(crate) use message::MessageRow;
pub(crate) use online_figures::{OnlineAmountRow, online_figures};
pub(crate) use overview::{AmountRow, LatestPaymentRow, owed};
pub(crate) use partner::PartnerRow;
pub(crate) use password_reset::PasswordResetRow;
pub(crate) use payment::PaymentRow;
pub(crate) use payment_intent::IntentRow;
pub(crate) use promise::PromiseRow;
pub(crate) use queue_figures::QueueFiguresRow;
pub(crate) use reminder::{PolicyRow, StepRow};
pub(crate) use session::SessionRow;
pub(crate) use standing::AccountStandingRow;
pub(crate) use stored_response::{ClaimRow, StoredResponseRow};
pub(crate) use timeline::TimelineRow;
