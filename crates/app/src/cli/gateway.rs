//! Commands on payment gateways and on payments made through them.

use clap::{Args, Subcommand};
use idempotency::IdempotencyKey;
use invoices::PaymentId;
use invoices::payment::PaymentEntity;
use kernel::scope::AccountEntity;
use kernel::{AccountId, Named as _};
use payments::gateway::GatewayAccountEntity;
use payments::{GatewayAccountId, GatewayKind};

use super::arguments::{amount, id};

/// Commands on gateway accounts.
#[derive(Debug, Subcommand)]
pub enum GatewayCommand {
    /// Connect an account, or replace its secrets: lines key=... and webhook_secret=... on standard input
    Connect {
        /// The account's id
        #[arg(long, value_parser = id::<AccountEntity>)]
        account: AccountId,
        /// Which gateway: stripe
        #[arg(value_parser = |text: &str| GatewayKind::parse(text))]
        kind: GatewayKind,
    },
    /// List an account's gateway accounts
    List {
        /// The account's id
        #[arg(long, value_parser = id::<AccountEntity>)]
        account: AccountId,
    },
    /// Open no more checkouts through a gateway account; what is under way is completed
    Disconnect {
        /// The gateway account's id
        #[arg(value_parser = id::<GatewayAccountEntity>)]
        id: GatewayAccountId,
    },
}

/// The arguments of `payment refund`.
#[derive(Debug, Args)]
pub struct RefundPayment {
    /// The account's id
    #[arg(long, value_parser = id::<AccountEntity>)]
    pub account: AccountId,
    /// The payment's id
    #[arg(long, value_parser = id::<PaymentEntity>)]
    pub payment: PaymentId,
    /// The amount in the payment's currency, such as 20.00
    #[arg(long, allow_hyphen_values = true, value_parser = amount)]
    pub amount: String,
    /// Within a day, a repetition with this key and the same content is about the same refund: it tries it
    /// again unless it was made, and prints its present status
    #[arg(long, value_parser = |text: &str| IdempotencyKey::parse(text))]
    pub idempotency_key: IdempotencyKey,
}
