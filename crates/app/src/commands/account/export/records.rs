//! The records of an account, each kind a page at a time.

use std::io::Write;

use anyhow::Context as _;
use contacts::Contact;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use http_api::{ContactView, EscalationView, InvoiceView};
use invoices::{Invoice, InvoiceFilter};
use kernel::{AccountId, Named as _, PageSize, PublicUrls, StoreError, instant_text};
use mail::OwnerNotice;
use payments::{BankDetailsEntry, GatewayAccount, stored_details};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::lines::JsonLines;
use crate::commands::audit::EntryView;
use crate::commands::contact::ConsentView;
use crate::commands::reminder::{PauseView, PolicyView};
use crate::commands::stored_records::{History, decision, message, opt_outs, promise};
use crate::commands::webhook::EndpointView;
use crate::wiring::Dependencies;

/// How many messages, escalations or audit entries are read at once.
const PAGE: usize = 500;

/// Of how many contacts or invoices the further records are read at once.
const AT_ONCE: usize = 8;

/// A record that belongs to an invoice.
#[derive(Serialize)]
struct OfInvoice<T> {
    invoice_id: String,
    #[serde(flatten)]
    record: T,
}

pub(super) async fn write(
    deps: &Dependencies,
    id: AccountId,
    urls: &PublicUrls,
    lines: &mut JsonLines<impl Write>,
) -> anyhow::Result<()> {
    settings(deps, id, lines).await?;
    contacts(deps, id, lines).await?;
    invoices(deps, id, urls, lines).await?;
    escalations(deps, id, lines).await?;
    messages(deps, id, lines).await?;
    let endpoints = deps.store.endpoints.list(id).await?.unwrap_or_default();
    lines.add_all("webhook_endpoint", endpoints.iter().map(EndpointView::new))?;
    audit(deps, id, lines).await
}

async fn settings(
    deps: &Dependencies,
    id: AccountId,
    lines: &mut JsonLines<impl Write>,
) -> anyhow::Result<()> {
    let store = &deps.store;
    let payments = store.online_reads.settings(id).await?;
    let promise_days = store.promise_limits.promise_days(id).await?;
    let shown = json!({
        "minimum_percent": payments.minimum_percent,
        "unapplied": payments.unapplied.as_str(),
        "promise_days": promise_days,
    });
    lines.add("payment_settings", &shown)?;
    let silenced = store.own_accounts.silenced(id).await?.context("there is no such account")?;
    let silenced = OwnerNotice::ALL.iter().copied().filter(|kind| silenced.contain(*kind));
    let silenced: Vec<&str> = silenced.map(OwnerNotice::as_str).collect();
    lines.add("notices", &json!({ "switched_off": silenced }))?;
    let facts = store.reminder_reads.account(id, deps.clock.now()).await?;
    let facts = facts.context("there is no such account")?;
    lines.add("reminder_policy", &PolicyView::new(id, &facts.policy, &facts.zone, promise_days))?;
    for entry in store.bank_details_reads.not_withdrawn(id).await? {
        lines.add("bank_details", &bank_details(&entry)?)?;
    }
    let gateways = store.online_reads.gateways(id).await?;
    Ok(lines.add_all("gateway", gateways.iter().map(gateway))?)
}

fn bank_details(entry: &BankDetailsEntry) -> serde_json::Result<impl Serialize> {
    #[derive(Serialize)]
    struct ExportedBankDetails {
        currency: &'static str,
        details: Box<RawValue>,
        entered_at: String,
        in_force_at: String,
    }
    Ok(ExportedBankDetails {
        currency: entry.currency.code(),
        details: RawValue::from_string(stored_details(entry.details.as_ref()))?,
        entered_at: instant_text(entry.entered_at),
        in_force_at: instant_text(entry.in_force_at),
    })
}

fn gateway(gateway: &GatewayAccount) -> Value {
    json!({
        "gateway_account_id": gateway.id.to_string(),
        "kind": gateway.kind.as_str(),
        "connected_at": instant_text(gateway.connected_at),
        "disconnected_at": gateway.disconnected_at.map(instant_text),
    })
}

async fn contacts(
    deps: &Dependencies,
    id: AccountId,
    lines: &mut JsonLines<impl Write>,
) -> anyhow::Result<()> {
    let reads = &deps.store.communications_reads;
    let mut after = None;
    loop {
        let page = deps.store.contact_reads.list(id, None, PageSize::MAX, after).await?;
        lines.add_all("contact", page.items.iter().map(ContactView::from))?;
        let more = stream::iter(&page.items).map(async |contact: &Contact| {
            let consents = reads.consents(id, contact.id).await?;
            Ok::<_, StoreError>((contact, consents, opt_outs(deps, contact).await?))
        });
        let more: Vec<_> = more.buffered(AT_ONCE).try_collect().await?;
        for (contact, consents, opt_outs) in more {
            lines.add_all("consent", consents.iter().map(ConsentView::from))?;
            let contact_id = contact.id.to_string();
            let of_contact = |held| json!({ "contact_id": contact_id, "held": held });
            lines.add_all("opt_out", opt_outs.into_iter().map(of_contact))?;
        }
        let Some(next) = page.next else { return Ok(()) };
        after = Some(next);
    }
}

async fn invoices(
    deps: &Dependencies,
    id: AccountId,
    urls: &PublicUrls,
    lines: &mut JsonLines<impl Write>,
) -> anyhow::Result<()> {
    let (filter, mut after) = (InvoiceFilter::default(), None);
    loop {
        let page = deps.store.invoice_reads.list(id, &filter, PageSize::MAX, after).await?;
        let histories = stream::iter(&page.items)
            .map(async |invoice: &Invoice| {
                Ok::<_, StoreError>((invoice, History::of(deps, id, invoice.id).await?))
            })
            .buffered(AT_ONCE)
            .try_collect::<Vec<_>>();
        for (invoice, history) in histories.await? {
            lines.add("invoice", &InvoiceView::new(invoice, urls))?;
            history_of(invoice, &history, lines)?;
        }
        let Some(next) = page.next else { return Ok(()) };
        after = Some(next);
    }
}

fn history_of(invoice: &Invoice, history: &History, lines: &mut JsonLines<impl Write>) -> anyhow::Result<()> {
    let of_invoice = |record: Value| OfInvoice { invoice_id: invoice.id.to_string(), record };
    lines.add_all("charge", history.charges()?)?;
    let views = history.views.iter().map(|view| json!({ "at": instant_text(view.first_at) }));
    lines.add_all("page_view", views.map(of_invoice))?;
    lines.add_all("promise", history.promises.iter().map(promise).map(of_invoice))?;
    lines.add_all("reminder_decision", history.decided.iter().map(decision).map(of_invoice))?;
    lines.add_all("reminder_pause", history.paused.map(|until| PauseView::new(invoice.id, Some(until))))?;
    Ok(())
}

async fn escalations(
    deps: &Dependencies,
    id: AccountId,
    lines: &mut JsonLines<impl Write>,
) -> anyhow::Result<()> {
    let mut after = None;
    loop {
        let page = deps.store.escalation_reads.list_by_age(id, None, after, PAGE).await?;
        lines.add_all("escalation", page.iter().map(EscalationView::from))?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.id);
    }
}

async fn messages(
    deps: &Dependencies,
    id: AccountId,
    lines: &mut JsonLines<impl Write>,
) -> anyhow::Result<()> {
    let mut after = None;
    loop {
        let page = deps.store.communications_reads.messages(id, None, after, PAGE).await?;
        lines.add_all("message", page.iter().map(message))?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.id);
    }
}

async fn audit(deps: &Dependencies, id: AccountId, lines: &mut JsonLines<impl Write>) -> anyhow::Result<()> {
    let mut before = None;
    loop {
        let page = deps.store.audit.list(id, before, PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        before = Some(last.id);
        lines.add_all("audit_entry", page.into_iter().map(EntryView::from))?;
    }
}
