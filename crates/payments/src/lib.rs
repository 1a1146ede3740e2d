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
pub mod epc;
pub mod gateway;
pub mod online;

pub use bank_details::{
    AccountBankDetails, AccountNumber, AccountOwner, BankDetails, BankDetailsChange, BankDetailsEmail,
    BankDetailsEntry, BankDetailsId, BankDetailsInput, BankDetailsKind, BankDetailsReads, BankDetailsService,
    BankDetailsStore, BankDetailsTx, Bic, Bsb, ChangeBankDetailsError, Holder, Iban, Instructions,
    NewBankDetails, NotBankDetails, PayId, RoutingNumber, SortCode, UndoError, details_from_stored,
    entries_version, in_force, pending, stored_details,
};
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
    GatewayWorker, Intent, IntentState, KeyEntry, NextKey, OfAllAccounts, OnlineFigures, OnlineForPayer,
    OnlinePayments, OnlineReads, OnlineStore, OnlineTx, PayOffer, Payee, Payer, PaymentOutcome,
    PaymentSettings, PaymentTerms, PaymentsOfInvoice, PollError, ReceiptEmail, ReconcileError, RefundError,
    RefundRequest, RefundView, Reversal, ReversalEntity, ReversalId, ReversalReason, SandboxActed,
    SandboxAction, SandboxCheckouts, SandboxRecords, SandboxShown, SealedGatewaySecret, SettleError, Settled,
    SettlementContext, StoredGatewayEvent, TermsChange, UnappliedMoney, UndoableKey,
    has_secrets_under_other_keys,
};
