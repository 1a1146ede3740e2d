//! Payments: online through a gateway, and the bank details that payers transfer to.
//!
//! A [`PaymentGateway`] opens a checkout for an intent (one amount of one invoice), reports its charges, and
//! refunds. Adapters implement that trait; [`gateway`] holds its data types. The content of a gateway's event
//! is never trusted: [`PaymentGateway::verify_event`] parses which charge or checkout the event concerns, and
//! that is fetched. [`TimedSignature`] is the signature scheme of gateways' events.
//!
//! An owner enters [`BankDetails`] for each currency. New or changed details, and removals, come into force
//! after a delay that the operator sets, and the owner is mailed a link that undoes the change: an intruder
//! cannot redirect the account's money unnoticed. Until then the earlier details stay in force.
//!
//! ```
//! use payments::Iban;
//!
//! let iban = Iban::parse("de89 3704 0044 0532 0130 00").unwrap();
//! assert_eq!(iban.grouped(), "DE89 3704 0044 0532 0130 00");
//! assert!(Iban::parse("DE88 3704 0044 0532 0130 00").is_err());
//! ```

#![warn(missing_docs)]

mod audited;
pub mod bank_details;
pub mod bank_details_input;
pub mod bank_details_service;
pub mod change;
pub mod email;
pub mod entry;
pub mod epc;
pub mod gateway;
pub mod online;
pub mod payload;
pub mod ports;
pub mod undo;

pub use bank_details::{
    AccountNumber, BankDetails, BankDetailsKind, Bic, Bsb, Holder, Iban, Instructions, PayId, RoutingNumber,
    SortCode,
};
pub use bank_details_input::BankDetailsInput;
pub use bank_details_service::BankDetailsService;
pub use change::{BankDetailsChange, ChangeBankDetailsError, NewBankDetails};
pub use email::BankDetailsEmail;
pub use entry::{BankDetailsEntry, BankDetailsId, in_force, pending};
pub use epc::epc_payload;
pub use gateway::{
    AmountRefused, ChangedCharges, ChargeId, ChargeReport, ChargeState, CheckoutId, CheckoutReport,
    CheckoutState, EventRefused, EventSubject, GatewayAccess, GatewayAccountId, GatewayError, GatewayEvent,
    GatewayKind, GatewaySecret, IntentId, MethodKind, NewCheckout, NewRefund, OpenedCheckout, PaymentGateway,
    RefundKey, RefundReport, RefundState, ReversalKind, ReversalReport, TimedSignature,
};
pub use online::{
    AccountPayments, ChangeTermsError, Charge, ChargeRowId, CheckoutError, CheckoutRequest, ConnectError,
    Connected, EventError, Figures, GatewayAccount, GatewayKeyEmail, GatewaySecrets, GatewayTask,
    GatewayWorker, Intent, IntentState, KeyEntry, NextKey, OnlineFigures, OnlineForPayer, OnlinePayments,
    OnlineReads, OnlineStore, OnlineTx, PayOffer, Payee, Payer, PaymentOutcome, PaymentSettings,
    PaymentTerms, PaymentsOfInvoice, PollError, ReceiptEmail, ReconcileError, RefundError, RefundRequest,
    RefundView, Reversal, ReversalEntity, ReversalId, ReversalReason, SandboxActed, SandboxAction,
    SandboxCheckouts, SandboxRecords, SandboxShown, SealedGatewaySecret, SettleError, Settled,
    SettlementContext, StoredGatewayEvent, TermsChange, UnappliedMoney, UndoableKey,
    has_secrets_under_other_keys,
};
pub use payload::{NotBankDetails, details_from_stored, stored_details};
pub use ports::{AccountBankDetails, AccountOwner, BankDetailsReads, BankDetailsStore, BankDetailsTx};
pub use undo::UndoError;
