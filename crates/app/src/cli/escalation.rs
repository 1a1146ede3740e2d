//! The arguments of `escalation`.

use clap::Subcommand;
use contacts::ContactId;
use escalations::{
    Channel, EscalationId, EscalationType, Notes, ResolutionOutcome, Statement, escalation::EscalationEntity,
};
use invoices::InvoiceId;
use kernel::{AccountId, Named as _, scope::AccountEntity};

use super::arguments::id;

/// Commands on escalations.
#[derive(Debug, Subcommand)]
pub enum EscalationCommand {
    /// Raise an escalation for a customer who needs a person; the account's webhooks report it
    Raise(RaiseEscalation),
    /// Close an open escalation; the account's webhooks report it
    Resolve(ResolveEscalation),
}

/// The arguments of `escalation raise`.
#[derive(Debug, clap::Args)]
pub struct RaiseEscalation {
    /// The account's id
    #[arg(long, value_parser = id::<AccountEntity>)]
    pub account: AccountId,
    /// hardship, dispute, human_request or refused
    #[arg(long = "type", value_name = "TYPE", value_parser = |text: &str| EscalationType::parse(text))]
    pub escalation_type: EscalationType,
    /// The channel of the customer's message: email, sms or voice
    #[arg(long, value_parser = |text: &str| Channel::parse(text))]
    pub channel: Channel,
    /// What the customer said, at most 10,000 characters
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = |text: &str| Statement::parse(text))]
    pub statement: Statement,
    /// The id of the invoice concerned
    #[arg(long, value_parser = id::<invoices::invoice::InvoiceEntity>)]
    pub invoice: Option<InvoiceId>,
    /// The id of the contact concerned; default: the invoice's contact
    #[arg(long, value_parser = id::<contacts::contact::ContactEntity>)]
    pub contact: Option<ContactId>,
}

/// The arguments of `escalation resolve`.
#[derive(Debug, clap::Args)]
pub struct ResolveEscalation {
    /// The escalation's id
    #[arg(value_parser = id::<EscalationEntity>)]
    pub id: EscalationId,
    /// The account's id
    #[arg(long, value_parser = id::<AccountEntity>)]
    pub account: AccountId,
    /// payment_arranged, invoice_corrected, invoice_cancelled, paid, no_action or other
    #[arg(long, value_parser = |text: &str| ResolutionOutcome::parse(text))]
    pub outcome: ResolutionOutcome,
    /// Notes on the resolution, at most 10,000 characters
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = |text: &str| Notes::parse(text))]
    pub notes: Option<Notes>,
}
