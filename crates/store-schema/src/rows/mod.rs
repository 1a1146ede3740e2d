//! Rows of the tables, and their conversion to the domain's types and back.
//!
//! Rules for input (lengths, currencies in use) are not applied to stored rows: values that were once
//! accepted stay readable. A row that still cannot be converted, such as one with an unknown status, is a
//! [`StoreError::Inconsistent`](kernel::StoreError::Inconsistent) with its table, id and column, never its
//! content.

mod account;
mod account_scope;
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
pub mod row_ref;
mod session;
mod split_sum;
mod stored_response;
mod timeline;

pub use account::{
    AccountRow, LoginRow, WholeAccountRow, limit_to_row, silenced_from_row, silenced_to_row, whole_account,
};
pub use account_scope::AccountScopeRow;
pub use address_hold::{AddressHoldRow, ConsentRow};
pub use audit_entry::AuditEntryRow;
pub use bank_details::BankDetailsRow;
pub use candidate::CandidateRow;
pub use charge::{ChargeRow, ReversalRow};
pub use contact::{ContactRow, ContactWordRow};
pub use delivery::{AttemptRow, DeliveryRow};
pub use endpoint::{EndpointRow, SecretRow};
pub use escalation::EscalationRow;
pub use gateway_account::GatewayAccountRow;
pub use inbox_item::InboxRow;
pub use invitation::InvitationRow;
pub use invoice::{InvoiceRow, InvoiceRows, with_details};
pub use invoiced_contact::to_json as invoiced_contact_to_json;
pub use key::{AccountKeyRow, LiveKeyRow, PartnerKeyRow};
pub use leased_delivery::LeasedDeliveryRow;
pub use leased_job::LeasedJobRow;
pub use line_item::LineItemRow;
pub use login::{LoginRecordRow, OwnerRow, login_record};
pub use message::MessageRow;
pub use online_figures::{OnlineAmountRow, online_figures};
pub use overview::{AmountRow, LatestPaymentRow, owed};
pub use partner::PartnerRow;
pub use password_reset::PasswordResetRow;
pub use payment::PaymentRow;
pub use payment_intent::IntentRow;
pub use promise::PromiseRow;
pub use queue_figures::QueueFiguresRow;
pub use reminder::{PolicyRow, StepRow};
pub use session::SessionRow;
pub use split_sum::SPLIT_UNIT;
pub use stored_response::{ClaimRow, StoredResponseRow};
pub use timeline::TimelineRow;
