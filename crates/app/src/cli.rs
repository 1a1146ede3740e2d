//! The command line: commands, arguments, help.

mod arguments;
pub mod communications;
mod escalation;
pub mod gateway;
pub mod receive;
pub mod webhook;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use idempotency::IdempotencyKey;
use invoices::{InvoiceId, PaymentMethod};
use kernel::scope::{AccountEntity, PartnerEntity};
use kernel::{AccountId, Currency, PartnerId, SingleLine};
use partner_accounts::PartnerName;
use time::OffsetDateTime;

use crate::settings::names;

pub use self::arguments::Limit;
use self::arguments::{amount, id, instant, limit};
pub use escalation::{EscalationCommand, RaiseEscalation, ResolveEscalation};

/// Countinghouse: an invoicing service with a public API for accounts and a partner API for those who
/// provision them.
///
/// Without a command it serves. Every other command works beside a running server on the same database.
#[derive(Debug, Parser)]
#[command(name = "countinghouse", version, max_term_width = 110)]
pub struct CommandLine {
    /// What to do; `serve` when left out.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Print one JSON value on standard output in place of text
    #[arg(long, global = true)]
    pub json: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve the public API and the partner API (also done when no command is given)
    #[command(after_long_help = names::help())]
    Serve,
    /// Bring the database schema up to date, take its last step back, or show where it stands
    Migrate {
        /// What to do
        #[arg(value_enum, default_value_t = MigrateTo::Up)]
        to: MigrateTo,
        /// Distribute the tables over a Citus cluster, as with COUNTINGHOUSE_CITUS=true
        #[arg(long)]
        citus: bool,
    },
    /// Make partners and manage them
    #[command(subcommand)]
    Partner(PartnerCommand),
    /// Look at accounts, switch them and limit them
    #[command(subcommand)]
    Account(AccountCommand),
    /// Show what was done that changes security or money
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Record payments
    #[command(subcommand)]
    Payment(PaymentCommand),
    /// Connect accounts to payment gateways
    #[command(subcommand)]
    Gateway(gateway::GatewayCommand),
    /// Look at messages to and from customers, and take some in
    #[command(subcommand)]
    Message(communications::MessageCommand),
    /// Look at reminders, change what they do, send those that are due
    #[command(subcommand)]
    Reminder(communications::ReminderCommand),
    /// Record what contacts consent to; export and erase what is held about them
    #[command(subcommand)]
    Contact(communications::ContactCommand),
    /// Raise escalations and resolve them
    #[command(subcommand)]
    Escalation(EscalationCommand),
    /// Write a copy of the embedded database into a new file, also while the service runs
    Backup {
        /// The file to write; it must not be there yet
        file: PathBuf,
    },
    /// Put a backup in the embedded database's place, which is moved aside; the service must be stopped
    Restore {
        /// The file that `backup` wrote
        file: PathBuf,
    },
    /// Look at everything that the service stands on, and say what to do; status 1 when something is wrong
    Doctor {
        /// Only ask the service that runs here whether it is ready, as the health checks of containers do
        #[arg(long)]
        serving: bool,
    },
    /// Register webhook endpoints, look at their deliveries, send them once more, try a receiver
    #[command(subcommand)]
    Webhook(webhook::WebhookCommand),
    /// Seal every secret anew, after COUNTINGHOUSE_MASTER_KEY was changed and the old key put into
    /// COUNTINGHOUSE_MASTER_KEY_PREVIOUS
    Rekey,
    /// Print the OpenAPI 3.1 document of both APIs (always JSON)
    Openapi,
}

/// Where a migration goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MigrateTo {
    /// Apply every pending migration
    Up,
    /// Take the last applied migration back; its data is lost
    Down,
    /// Show which are applied and which pending
    Status,
}

/// Commands on partners.
#[derive(Debug, Subcommand)]
pub enum PartnerCommand {
    /// Make a partner; its key is printed once and cannot be read again
    Create {
        /// The partner's name
        #[arg(long, value_parser = |text: &str| PartnerName::parse(text))]
        name: PartnerName,
    },
    /// List every partner, newest first
    List,
    /// Refuse the partner's key from the next request on; its accounts keep working
    Disable(OnePartner),
    /// Let the partner's key work again
    Enable(OnePartner),
    /// Issue a fresh key, printed once, and revoke every earlier one at once
    RotateKey(OnePartner),
}

/// The partner that a command is about.
#[derive(Debug, Args)]
pub struct OnePartner {
    /// The partner's id
    #[arg(value_parser = id::<PartnerEntity>)]
    pub id: PartnerId,
}

/// The account that a command is about.
#[derive(Debug, Args)]
pub struct OneAccount {
    /// The account's id
    #[arg(value_parser = id::<AccountEntity>)]
    pub id: AccountId,
}

/// Commands on accounts.
#[derive(Debug, Subcommand)]
pub enum AccountCommand {
    /// List accounts, newest first
    List {
        /// Only this partner's
        #[arg(long, value_parser = id::<PartnerEntity>)]
        partner: Option<PartnerId>,
    },
    /// Show one account
    Show(OneAccount),
    /// Switch an account off; its partner cannot switch it on again
    Disable(OneAccount),
    /// Take the operator's switch back; an account that its partner switched off stays off
    Enable(OneAccount),
    /// Write all that is stored of an account's business into a new file of JSON lines, without secrets
    Export {
        /// The account
        #[command(flatten)]
        account: OneAccount,
        /// A file that is not there yet
        file: PathBuf,
    },
    /// Issue a fresh key, printed once, and revoke every earlier one at once
    RotateKey(OneAccount),
    /// Make a link with which the account's owner chooses a password; it works once, for seven days
    Invite(OneAccount),
    /// Turn the second factor of the account's owner off
    ResetSecondFactor(OneAccount),
    /// Limit how many invoices an account may create in a calendar month of its own time zone
    SetInvoiceLimit {
        /// The account
        #[command(flatten)]
        account: OneAccount,
        /// The number, or `none`
        #[arg(value_name = "N|none", value_parser = limit)]
        limit: Limit,
    },
    /// Limit how many text messages and calls an account may send in a calendar month of its own time zone
    SetMessageLimit {
        /// The account
        #[command(flatten)]
        account: OneAccount,
        /// The number, or `none`
        #[arg(value_name = "N|none", value_parser = limit)]
        limit: Limit,
    },
    /// Set the currency of an account's invoices that name none
    SetCurrency {
        /// The account
        #[command(flatten)]
        account: OneAccount,
        /// An ISO 4217 code, such as AUD
        #[arg(value_parser = |text: &str| Currency::parse(text))]
        code: Currency,
    },
}

/// Commands on audit entries.
#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    /// List an account's entries, newest first
    List {
        /// The account's id
        #[arg(long, value_parser = id::<AccountEntity>)]
        account: AccountId,
        /// How many at the most
        #[arg(long, default_value_t = 100)]
        limit: u32,
    },
}

/// Commands on payments.
#[derive(Debug, Subcommand)]
pub enum PaymentCommand {
    /// Record a payment on an open invoice; the account's webhooks report it
    Record(RecordPayment),
    /// Refund a part of a payment that was made online
    Refund(gateway::RefundPayment),
    /// List what was charged online, and what became of it, newest first
    Charges {
        /// The account's id
        #[arg(long, value_parser = id::<AccountEntity>)]
        account: AccountId,
    },
}

/// A payment as the operator writes it.
#[derive(Debug, Args)]
pub struct RecordPayment {
    /// The account's id
    #[arg(long, value_parser = id::<AccountEntity>)]
    pub account: AccountId,
    /// The invoice's id
    #[arg(long, value_parser = id::<invoices::invoice::InvoiceEntity>)]
    pub invoice: InvoiceId,
    /// The amount in the invoice's currency, such as 50.00
    #[arg(long, allow_hyphen_values = true, value_parser = amount)]
    pub amount: String,
    /// card, bank_transfer, direct_debit, cash, cheque or other
    #[arg(long, value_parser = |text: &str| PaymentMethod::parse(text))]
    pub method: PaymentMethod,
    /// What the payer or the bank wrote with it
    #[arg(long, value_parser = |text: &str| SingleLine::<255>::parse(text))]
    pub reference: Option<SingleLine<255>>,
    /// When it was received, such as 2026-11-20T02:09:06Z; now when left out
    #[arg(long, value_parser = instant)]
    pub received_at: Option<OffsetDateTime>,
    /// A repetition with this key and the same content prints the first result and books nothing; known for a
    /// day
    #[arg(long, value_parser = |text: &str| IdempotencyKey::parse(text))]
    pub idempotency_key: Option<IdempotencyKey>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_sound() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn arguments_that_cannot_be_meant_are_wrong_usage() {
        let id = "019aa1b2-0000-7000-8000-0123456789ab";
        let status = |words: &str| {
            let words = format!("countinghouse {}", words.replace("ID", id));
            CommandLine::try_parse_from(words.split(' ')).err().map(|error| error.exit_code())
        };
        let (pay, refund) = (
            "payment record --account ID --invoice ID --method cash --amount",
            "payment refund --account ID --payment ID --idempotency-key k --amount",
        );
        let consent = "contact consent --account ID --contact ID --how said --channel";
        let receive = "message receive";
        for (command, wrong, right) in [
            (pay, "abc", "50.00"),
            (refund, "1,5", "-20"),
            (consent, "email", "voice"),
            (receive, "--channel sms", "--channel sms --from +61412345678"),
            (receive, "--channel voice", "--channel email"),
            (receive, "--channel voice --from +61412345678", "--json"),
            (receive, "--from +61412345678", "--channel=email"),
        ] {
            assert_eq!(status(&format!("{command} {wrong}")), Some(2), "{command} {wrong}");
            assert_eq!(status(&format!("{command} {right}")), None, "{command} {right}");
        }
    }
}
