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
use kernel::{AccountId, Currency, Named as _, PartnerId, SingleLine};
use partner_accounts::PartnerName;
use time::OffsetDateTime;

use crate::settings::names;

pub use self::arguments::Limit;
use self::arguments::{amount, id, instant, limit};
pub use escalation::{EscalationCommand, RaiseEscalation, ResolveEscalation};

/// Countinghouse: an invoicing service with a public API for accounts and a partner API for platforms that
/// create and manage them.
///
/// Without a command it serves. Every other command except `restore` may run beside a server on the same
/// database.
#[derive(Debug, Parser)]
#[command(name = "countinghouse", version, max_term_width = 110)]
pub struct CommandLine {
    /// The command; `serve` by default.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Print one JSON value on standard output in place of text
    #[arg(long, global = true)]
    pub json: bool,
}

/// The commands of the program.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve the two APIs and the pages, and run the background work (also done when no command is given)
    #[command(after_long_help = names::help())]
    Serve,
    /// Apply pending schema migrations, revert the last one, or show their status
    Migrate {
        /// Which of the three to do
        #[arg(value_enum, default_value_t = MigrateTo::Up)]
        to: MigrateTo,
        /// Distribute the tables over a Citus cluster, as with COUNTINGHOUSE_CITUS=true
        #[arg(long)]
        citus: bool,
    },
    /// Create and manage partners
    #[command(subcommand)]
    Partner(PartnerCommand),
    /// Show, enable, disable, limit and export accounts, replace their keys, invite owners
    #[command(subcommand)]
    Account(AccountCommand),
    /// Show audit entries: what was done that changes security or money
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Record and refund payments, list online charges
    #[command(subcommand)]
    Payment(PaymentCommand),
    /// Connect accounts to payment gateways
    #[command(subcommand)]
    Gateway(gateway::GatewayCommand),
    /// Show messages to and from customers, and receive messages
    #[command(subcommand)]
    Message(communications::MessageCommand),
    /// Show planned reminders, change the policy, send reminders that are due
    #[command(subcommand)]
    Reminder(communications::ReminderCommand),
    /// Record consents of contacts; export and erase what is stored about them
    #[command(subcommand)]
    Contact(communications::ContactCommand),
    /// Raise and resolve escalations
    #[command(subcommand)]
    Escalation(EscalationCommand),
    /// Copy the embedded database into a new file; the service may be running
    Backup {
        /// The file to write; it must not exist yet
        file: PathBuf,
    },
    /// Replace the embedded database with a backup and keep the old one under another name; the service must
    /// be stopped
    Restore {
        /// The file that `backup` wrote
        file: PathBuf,
    },
    /// Check everything that the service depends on, and say how to fix it; exit status 1 when a check fails
    Doctor {
        /// Only ask the service on this machine whether it is ready, as container health checks do
        #[arg(long)]
        serving: bool,
    },
    /// Register webhook endpoints, list and replay deliveries, test a receiver
    #[command(subcommand)]
    Webhook(webhook::WebhookCommand),
    /// Reseal the stored secrets after a change of COUNTINGHOUSE_MASTER_KEY;
    /// COUNTINGHOUSE_MASTER_KEY_PREVIOUS must hold the old key, and be kept for a day more, because waiting
    /// mail is not resealed
    Rekey,
    /// Print the OpenAPI 3.1 document of both APIs (always JSON)
    Openapi,
}

/// The direction of `migrate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MigrateTo {
    /// Apply every pending migration
    Up,
    /// Revert the last applied migration; its data is lost
    Down,
    /// Show which migrations are applied and which are pending
    Status,
}

/// Commands on partners.
#[derive(Debug, Subcommand)]
pub enum PartnerCommand {
    /// Create a partner; its key is printed once and cannot be read again
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

/// The partner that a command applies to.
#[derive(Debug, Args)]
pub struct OnePartner {
    /// The partner's id
    #[arg(value_parser = id::<PartnerEntity>)]
    pub id: PartnerId,
}

/// The account that a command applies to.
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
        /// Only the accounts of this partner
        #[arg(long, value_parser = id::<PartnerEntity>)]
        partner: Option<PartnerId>,
    },
    /// Show one account
    Show(OneAccount),
    /// Disable an account; its partner cannot enable it again
    Disable(OneAccount),
    /// Undo `disable`; an account that its partner switched off stays off
    Enable(OneAccount),
    /// Export the stored business data of an account into a new file of JSON lines, without secrets
    ///
    /// The file has the account, its settings for payments and reminders, its bank details, connections to
    /// gateways, contacts with consents and opt-outs, invoices with charges, refunds, views of the payment
    /// page, promises and decisions about reminders, escalations, messages, webhook endpoints and audit
    /// entries. It has no raw incoming mail, messages in quarantine, pictures or deliveries of webhooks.
    Export {
        /// The account
        #[command(flatten)]
        account: OneAccount,
        /// The file to write; it must not exist yet
        file: PathBuf,
    },
    /// Issue a fresh key, printed once, and revoke every earlier one at once
    RotateKey(OneAccount),
    /// Create a link with which the account's owner chooses a password; it works once, within seven days
    Invite(OneAccount),
    /// Turn off the second factor of the account's owner
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
    /// Set the currency of an account's invoices that do not name one
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
        /// Maximum number of entries
        #[arg(long, default_value_t = 100)]
        limit: u32,
    },
}

/// Commands on payments.
#[derive(Debug, Subcommand)]
pub enum PaymentCommand {
    /// Record a payment on an open invoice; the account's webhooks report it
    Record(RecordPayment),
    /// Refund part of an online payment
    Refund(gateway::RefundPayment),
    /// List online charges and their outcome, newest first
    Charges {
        /// The account's id
        #[arg(long, value_parser = id::<AccountEntity>)]
        account: AccountId,
    },
}

/// The arguments of `payment record`.
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
    /// The reference that the payer or the bank gave
    #[arg(long, value_parser = |text: &str| SingleLine::<255>::parse(text))]
    pub reference: Option<SingleLine<255>>,
    /// When it was received, such as 2026-11-20T02:09:06Z; default: now
    #[arg(long, value_parser = instant)]
    pub received_at: Option<OffsetDateTime>,
    /// Within a day, a repetition with this key and the same content prints the first result and records
    /// nothing
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
    fn arguments_that_do_not_fit_together_show_the_usage_of_their_command() {
        for wrong in ["--channel sms", "--channel email --from +61412345678"] {
            let words = format!("countinghouse message receive {wrong}");
            let error = CommandLine::try_parse_from(words.split(' ')).unwrap_err().to_string();
            assert!(error.contains("\n\nUsage: countinghouse message receive [OPTIONS]\n"), "{error}");
            assert!(!error.contains("\n\n\n"), "{error}");
        }
    }

    #[test]
    fn invalid_channel_or_number_of_a_message_is_told_what_is_accepted() {
        for (wrong, told) in [
            ("--channel voice", "[possible values: email, sms]"),
            ("--channel sms --from x@example.com", "must be a telephone number that begins with +"),
        ] {
            let words = format!("countinghouse message receive {wrong}");
            let error = CommandLine::try_parse_from(words.split(' ')).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn invalid_arguments_exit_with_the_usage_status() {
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
