//! Commands on communications with customers.

use clap::builder::RangedU64ValueParser;
use clap::{Args, Subcommand};
use communications::message::MessageEntity;
use communications::{Channel, HolidayFault, MessageId, PausedUntil, ReminderPolicy, Step, StepFault};
use contacts::ContactId;
use contacts::contact::ContactEntity;
use invoices::invoice::InvoiceEntity;
use invoices::{InvoiceId, PromisePeriod};
use kernel::scope::AccountEntity;
use kernel::{AccountId, Named as _, SingleLine};
use time::Date;

use super::arguments::id;
use super::receive::ReceiveAs;

/// Commands on messages.
#[derive(Debug, Subcommand)]
pub enum MessageCommand {
    /// List the messages of an account, newest first
    List {
        /// The account's id
        #[arg(long, value_parser = id::<AccountEntity>)]
        account: AccountId,
        /// Only messages of this contact
        #[arg(long, value_parser = id::<ContactEntity>)]
        contact: Option<ContactId>,
        /// Maximum number of messages
        #[arg(long, default_value_t = 100)]
        limit: u32,
    },
    /// Show one message with its text
    Show {
        /// The message's id
        #[arg(value_parser = id::<MessageEntity>)]
        id: MessageId,
    },
    /// Receive a message from standard input, process and show it: a raw e-mail, or a text with --channel sms
    Receive(ReceiveAs),
    /// Decide about messages that match several accounts, or whose processing began ten times without
    /// finishing
    #[command(subcommand)]
    Quarantine(QuarantineCommand),
}

/// Commands on messages in quarantine.
#[derive(Debug, Subcommand)]
pub enum QuarantineCommand {
    /// List messages in quarantine, oldest first, with the accounts that they may be for
    List,
    /// Assign a message to one of the accounts that it may be for
    Assign {
        /// The message's id
        #[arg(value_parser = id::<MessageEntity>)]
        id: MessageId,
        /// The account's id
        #[arg(long, value_parser = id::<AccountEntity>)]
        account: AccountId,
    },
    /// Drop a message
    Drop {
        /// The message's id
        #[arg(value_parser = id::<MessageEntity>)]
        id: MessageId,
    },
}

/// Commands on reminders.
#[derive(Debug, Subcommand)]
pub enum ReminderCommand {
    /// Show which reminders of an account will be sent if nothing else happens
    Plan {
        /// The account's id
        #[arg(long, value_parser = id::<AccountEntity>)]
        account: AccountId,
        /// Number of days ahead
        #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u16).range(..=366))]
        days: u16,
    },
    /// Decide about every step that is due and send permitted reminders, as the running service does
    Run,
    /// Show why reminders of an invoice were sent or not sent, newest first
    Why(OneInvoice),
    /// Show or change the reminder policy of an account
    Policy(ChangePolicy),
    /// Pause the reminders of an invoice
    Pause {
        /// The invoice
        #[command(flatten)]
        invoice: OneInvoice,
        /// The day on which reminders resume, such as 2026-12-24; `never`; or `none` to end the pause
        #[arg(long, value_name = "DATE|never|none", value_parser = until)]
        until: Until,
    },
}

/// The invoice that a command applies to.
#[derive(Debug, Args)]
pub struct OneInvoice {
    /// The account's id
    #[arg(long, value_parser = id::<AccountEntity>)]
    pub account: AccountId,
    /// The invoice's id
    #[arg(long, value_parser = id::<InvoiceEntity>)]
    pub invoice: InvoiceId,
}

/// The changes of a policy.
#[derive(Debug, Args)]
pub struct ChangePolicy {
    /// The account's id
    #[arg(long, value_parser = id::<AccountEntity>)]
    pub account: AccountId,
    /// The steps as days after the due date and a channel, such as --steps=-3:email,1:email,7:sms; a third
    /// part is the tone: friendly, firm or final. A step that is added while reminders run is skipped for
    /// invoices that are past it
    #[arg(long, value_name = "STEPS", allow_hyphen_values = true, value_parser = steps)]
    pub steps: Option<Steps>,
    /// Start reminders
    #[arg(long, conflicts_with = "stop")]
    pub start: bool,
    /// Stop reminders
    #[arg(long)]
    pub stop: bool,
    /// Include invoices that are over 30 days late when reminders start
    #[arg(long, conflicts_with = "no_backlog")]
    pub backlog: bool,
    /// Exclude such invoices
    #[arg(long)]
    pub no_backlog: bool,
    /// Replace the public holidays, such as --holidays 2026-12-25,2026-12-26; or none
    #[arg(long, value_name = "DATES|none", value_parser = holidays)]
    pub holidays: Option<Holidays>,
    /// How many days ahead customers may promise to pay
    #[arg(long, value_name = "N", value_parser = promise_days())]
    pub promise_days: Option<u16>,
    /// Whether the configured language model may read customers' messages that the rules are unsure of
    #[arg(long, value_name = "on|off", value_parser = on_or_off)]
    pub ask_language_model: Option<bool>,
}

/// Public holidays, in the order given.
#[derive(Debug, Clone)]
pub struct Holidays(pub Vec<Date>);

/// Steps of a policy, in the order given.
#[derive(Debug, Clone)]
pub struct Steps(pub Vec<Step>);

/// Until when reminders are paused; `None` ends the pause.
#[derive(Debug, Clone, Copy)]
pub struct Until(pub Option<PausedUntil>);

/// Commands on contacts.
#[derive(Debug, Subcommand)]
pub enum ContactCommand {
    /// Record a contact's consent to text messages or calls, or its withdrawal
    Consent(RecordConsent),
    /// Print everything stored about a contact (always JSON)
    Export(OneContact),
    /// Erase what is stored about a contact; issued invoices stay, as the law requires
    Erase(OneContact),
}

/// The contact that a command applies to.
#[derive(Debug, Args)]
pub struct OneContact {
    /// The account's id
    #[arg(long, value_parser = id::<AccountEntity>)]
    pub account: AccountId,
    /// The contact's id
    #[arg(long, value_parser = id::<ContactEntity>)]
    pub contact: ContactId,
}

/// The arguments of `contact consent`.
#[derive(Debug, Args)]
pub struct RecordConsent {
    /// The contact
    #[command(flatten)]
    pub contact: OneContact,
    /// sms or voice
    #[arg(long, value_parser = needs_consent)]
    pub channel: Channel,
    /// How the contact gave the consent, at most 500 characters
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = |text: &str| SingleLine::<500>::parse(text))]
    pub how: SingleLine<500>,
    /// Record that the consent was withdrawn
    #[arg(long)]
    pub withdraw: bool,
}

fn needs_consent(text: &str) -> Result<Channel, &'static str> {
    match Channel::parse(text) {
        Ok(channel @ (Channel::Sms | Channel::Voice)) => Ok(channel),
        _ => Err("must be sms or voice"),
    }
}

fn steps(text: &str) -> Result<Steps, StepFault> {
    ReminderPolicy::parse_steps(text).map(Steps)
}

fn holidays(text: &str) -> Result<Holidays, HolidayFault> {
    let text = if text == "none" { "" } else { text };
    ReminderPolicy::parse_holidays(text).map(Holidays)
}

fn promise_days() -> RangedU64ValueParser<u16> {
    RangedU64ValueParser::new().range(0..=PromisePeriod::MAX_DAYS.into())
}

fn on_or_off(text: &str) -> Result<bool, &'static str> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("must be on or off"),
    }
}

fn until(text: &str) -> Result<Until, String> {
    match text {
        "none" => Ok(Until(None)),
        "never" => Ok(Until(Some(PausedUntil::Never))),
        date => match kernel::clock::parse_date(date) {
            Some(date) => Ok(Until(Some(PausedUntil::Date(date)))),
            None => Err("must be a day such as 2026-12-24, never or none".to_owned()),
        },
    }
}
