//! Stored records as `contact export` and `account export` write them. None has a secret.

use communications::{Address, AddressHold, Channel, DecidedStep, Message, PausedUntil};
use contacts::Contact;
use invoices::{InvoiceId, PageView, Promise};
use kernel::clock::date_text;
use kernel::{AccountId, Named as _, StoreResult, instant_text};
use payments::{Charge, ChargeState, PaymentsOfInvoice, Reversal};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::charges::{ShownCharge, number};
use super::message::MessageView;
use super::reminder::StepView;
use crate::wiring::Dependencies;

/// What happened to an invoice besides its payments.
pub(super) struct History {
    pub(super) online: PaymentsOfInvoice,
    pub(super) views: Vec<PageView>,
    pub(super) promises: Vec<Promise>,
    pub(super) decided: Vec<DecidedStep>,
    pub(super) paused: Option<PausedUntil>,
}

/// A charge with what was returned of it.
#[derive(Serialize)]
pub(super) struct ChargeRecord {
    #[serde(flatten)]
    charge: ShownCharge,
    method: &'static str,
    /// The captured amount, or the one to capture.
    amount: Box<RawValue>,
    /// Null unless the money was captured.
    captured_at: Option<String>,
    payment_id: Option<String>,
    refunds: Vec<RefundRecord>,
}

#[derive(Serialize)]
struct RefundRecord {
    at: String,
    amount: Box<RawValue>,
    currency: &'static str,
    reason: &'static str,
    status: &'static str,
}

impl History {
    pub(super) async fn of(deps: &Dependencies, account: AccountId, invoice: InvoiceId) -> StoreResult<Self> {
        let (store, pages) = (&deps.store, &deps.store.payment_page_history);
        Ok(Self {
            online: store.online_reads.of_invoice(account, invoice).await?,
            views: pages.views(account, invoice).await?,
            promises: pages.promises(account, invoice).await?,
            decided: store.reminder_reads.decided(account, invoice).await?,
            paused: store.reminder_reads.paused(account, invoice).await?,
        })
    }

    pub(super) fn charges(&self) -> anyhow::Result<Vec<ChargeRecord>> {
        self.online.charges.iter().map(|charge| ChargeRecord::new(charge, &self.online.reversals)).collect()
    }
}

impl ChargeRecord {
    fn new(charge: &Charge, reversals: &[Reversal]) -> anyhow::Result<Self> {
        let own = reversals.iter().filter(|reversal| reversal.charge == charge.id);
        Ok(Self {
            charge: ShownCharge::new(charge, reversals)?,
            method: charge.method.as_str(),
            amount: number(charge.amount)?,
            captured_at: (charge.state == ChargeState::Succeeded).then(|| instant_text(charge.captured_at)),
            payment_id: charge.payment.map(|payment| payment.to_string()),
            refunds: own.map(RefundRecord::new).collect::<anyhow::Result<_>>()?,
        })
    }
}

impl RefundRecord {
    fn new(reversal: &Reversal) -> anyhow::Result<Self> {
        Ok(Self {
            at: instant_text(reversal.at()),
            amount: number(reversal.amount)?,
            currency: reversal.amount.currency().code(),
            reason: reversal.reason.as_str(),
            status: reversal.state.as_str(),
        })
    }
}

pub(super) fn promise(promise: &Promise) -> Value {
    json!({
        "date": date_text(promise.promised_on),
        "made_by": promise.made_by.as_str(),
        "message_id": promise.message.map(|id| id.to_string()),
        "made_at": instant_text(promise.made_at),
        "superseded_at": promise.superseded_at.map(instant_text),
        "withdrawn_at": promise.withdrawn_at.map(instant_text),
    })
}

pub(super) fn decision(decided: &DecidedStep) -> Value {
    json!({ "at": instant_text(decided.decided_at), "decided": StepView::new(decided.contact, &decided.step) })
}

pub(super) fn message(message: &Message) -> Value {
    json!({
        "message": MessageView::of_message(message),
        "address": message.address.as_str(),
        "at": instant_text(message.written_at),
        "subject": message.subject,
        "text": message.text,
        "text_removed_at": message.text_removed_at.map(instant_text),
    })
}

/// The opt-outs and bounces of the contact's present addresses and of those that its messages went to or came
/// from.
pub(super) async fn opt_outs(deps: &Dependencies, contact: &Contact) -> StoreResult<Vec<Value>> {
    let reads = &deps.store.communications_reads;
    let mut addresses = reads.addresses(contact.account, contact.id).await?;
    let (email, phone) = (contact.email.as_ref(), contact.phone.as_ref());
    addresses.extend(email.map(|email| (Channel::Email, Address::from(email))));
    for channel in [Channel::Sms, Channel::Voice] {
        let number = phone.and_then(|phone| Address::parse(channel, phone.as_str()).ok());
        addresses.extend(number.map(|number| (channel, number)));
    }
    addresses.sort_by(|a, b| (a.0.as_str(), a.1.as_str()).cmp(&(b.0.as_str(), b.1.as_str())));
    addresses.dedup();
    let mut shown = Vec::new();
    for (channel, address) in addresses {
        let found = reads.address_holds(contact.account, channel, &address).await?;
        shown.extend(found.iter().map(opt_out));
    }
    Ok(shown)
}

fn opt_out(hold: &AddressHold) -> Value {
    json!({
        "channel": hold.channel.as_str(),
        "address": hold.address.as_str(),
        "closed": hold.reason.as_str(),
        "at": instant_text(hold.closed_at),
        "how": hold.evidence.as_str(),
        "lifted_at": hold.reopened_at.map(instant_text),
        "lifted_how": hold.reopened_because.as_ref().map(|because| because.as_str()),
    })
}
