//! Paying an invoice online: checkouts, charges, settling (the only way from charge to payment), refunds.

pub mod change_terms;
pub mod charge;
pub mod charge_id;
pub mod check_out;
pub mod connect;
pub mod gateway_account;
pub mod gateway_job;
pub mod gateway_worker;
pub mod handle_event;
pub mod intent;
pub mod key_email;
pub mod notices;
pub mod offer;
pub mod online_payments;
pub mod poll;
pub mod ports;
pub mod receipt_email;
pub mod reconcile;
pub mod refund;
mod refund_failures;
mod refunded_elsewhere;
pub mod rekey;
pub mod remove_keys;
mod reported_reversals;
pub mod return_page;
pub mod reversal;
#[cfg(test)]
mod samples;
pub mod sandbox;
pub mod settings;
pub mod settle;
pub mod stored_gateway_event;
pub mod undo_key;

pub use change_terms::{ChangeTermsError, TermsChange};
pub use charge::{Charge, Figures};
pub use charge_id::{ChargeEntity, ChargeRowId};
pub use check_out::{CheckoutError, CheckoutRequest};
pub use connect::{ConnectError, Connected, GatewaySecrets};
pub use gateway_account::{GatewayAccount, KeyEntry, NextKey, SealedGatewaySecret};
pub use gateway_job::GatewayTask;
pub use gateway_worker::GatewayWorker;
pub use handle_event::EventError;
pub use intent::{Intent, IntentState};
pub use key_email::GatewayKeyEmail;
pub use offer::{OnlineForPayer, PayOffer};
pub use online_payments::OnlinePayments;
pub use poll::PollError;
pub use ports::{
    AccountPayments, OfAllAccounts, OnlineFigures, OnlineReads, OnlineStore, OnlineTx, Payee, Payer,
    PaymentsOfInvoice, SettlementContext,
};
pub use receipt_email::ReceiptEmail;
pub use reconcile::ReconcileError;
pub use refund::{RefundError, RefundRequest, RefundView};
pub use rekey::has_secrets_under_other_keys;
pub use return_page::PaymentOutcome;
pub use reversal::{Reversal, ReversalEntity, ReversalId, ReversalReason};
pub use sandbox::{SandboxActed, SandboxAction, SandboxCheckouts, SandboxRecords, SandboxShown};
pub use settings::{PaymentSettings, PaymentTerms, UnappliedMoney};
pub use settle::{SettleError, Settled};
pub use stored_gateway_event::StoredGatewayEvent;
pub use undo_key::UndoableKey;
