//! `contact export`: everything stored about a contact, as one JSON object.
//!
//! Records are read a page at a time and printed as they are read, each on a line of its own, so a contact
//! with any number of records is exported in little memory.

use std::io::{self, BufWriter, Stdout, Write as _};

use contacts::Contact;
use http_api::{ContactView, EscalationView, InvoiceView};
use invoices::{Invoice, InvoiceFilter};
use kernel::{PageSize, PublicUrls, instant_text};
use serde::Serialize;
use serde_json::Value;

use super::consent_view::ConsentView;
use crate::cli::communications::OneContact;
use crate::commands::reminder::PauseView;
use crate::commands::stored_records::{ChargeRecord, History, decision, message, opt_outs, promise};
use crate::output::escape_controls;
use crate::wiring::Dependencies;

/// How many messages, escalations and decisions are read at once.
const PAGE: usize = 500;

/// The list of decisions about reminders of invoices that have another contact by now.
const FORMER: &str = "reminder_decisions_of_former_invoices";

/// Prints everything stored about a contact.
pub(super) async fn run(deps: &Dependencies, one: &OneContact, urls: &PublicUrls) -> anyhow::Result<()> {
    let (account, id) = (one.account, one.contact);
    let Some(contact) = deps.store.contact_reads.get(account, id).await? else {
        anyhow::bail!("the account has no such contact");
    };
    let consents = deps.store.communications_reads.consents(account, id).await?;
    let opt_outs = opt_outs(deps, &contact).await?;
    let mut out = Printed::begin(&contact)?;
    out.list("consents", async |out| Ok(out.add(consents.iter().map(ConsentView::from))?)).await?;
    out.list("opt_outs", async |out| Ok(out.add(opt_outs)?)).await?;
    out.list("invoices", async |out| invoices(deps, one, urls, out).await).await?;
    out.list(FORMER, async |out| decisions_of_former_invoices(deps, one, out).await).await?;
    out.list("escalations", async |out| escalations(deps, one, out).await).await?;
    out.list("messages", async |out| messages(deps, one, out).await).await?;
    Ok(out.end()?)
}

async fn invoices(
    deps: &Dependencies,
    one: &OneContact,
    urls: &PublicUrls,
    out: &mut Printed,
) -> anyhow::Result<()> {
    let filter = InvoiceFilter { contact: Some(one.contact), ..InvoiceFilter::default() };
    let mut after = None;
    loop {
        let page = deps.store.invoice_reads.list(one.account, &filter, PageSize::MAX, after).await?;
        for invoice in &page.items {
            out.add([with_history(deps, one, invoice, urls).await?])?;
        }
        let Some(next) = page.next else { return Ok(()) };
        after = Some(next);
    }
}

/// An invoice with its payments, its charges and what went back of them, the days on which its payment page
/// was seen, the promises to pay it, the decisions about its reminders to this contact, and whether they are
/// paused.
async fn with_history(
    deps: &Dependencies,
    one: &OneContact,
    invoice: &Invoice,
    urls: &PublicUrls,
) -> anyhow::Result<impl Serialize> {
    #[derive(Serialize)]
    struct Held<'a> {
        invoice: InvoiceView<'a>,
        charges: Vec<ChargeRecord>,
        page_views: Vec<Value>,
        promises: Vec<Value>,
        reminder_decisions: Vec<Value>,
        reminder_pause: Option<PauseView>,
    }
    let history = History::of(deps, one.account, invoice.id).await?;
    let own = history.decided.iter().filter(|decided| decided.contact == one.contact);
    Ok(Held {
        invoice: InvoiceView::new(invoice, urls),
        charges: history.charges()?,
        page_views: history.views.iter().map(|view| instant_text(view.first_at).into()).collect(),
        promises: history.promises.iter().map(promise).collect(),
        reminder_decisions: own.map(decision).collect(),
        reminder_pause: history.paused.map(|until| PauseView::new(invoice.id, Some(until))),
    })
}

async fn decisions_of_former_invoices(
    deps: &Dependencies,
    one: &OneContact,
    out: &mut Printed,
) -> anyhow::Result<()> {
    let reads = &deps.store.reminder_reads;
    let mut after = None;
    loop {
        let page = reads.decided_of_former_invoices(one.account, one.contact, after, PAGE).await?;
        after = page.last().map(|(id, _)| *id);
        out.add(page.iter().map(|(_, decided)| decision(decided)))?;
        if page.len() < PAGE {
            return Ok(());
        }
    }
}

async fn escalations(deps: &Dependencies, one: &OneContact, out: &mut Printed) -> anyhow::Result<()> {
    let mut after = None;
    loop {
        let reads = &deps.store.escalation_reads;
        let page = reads.list_by_age(one.account, Some(one.contact), after, PAGE).await?;
        after = page.last().map(|escalation| escalation.id);
        out.add(page.iter().map(EscalationView::from))?;
        if page.len() < PAGE {
            return Ok(());
        }
    }
}

async fn messages(deps: &Dependencies, one: &OneContact, out: &mut Printed) -> anyhow::Result<()> {
    let reads = &deps.store.communications_reads;
    let mut after = None;
    loop {
        let page = reads.messages(one.account, Some(one.contact), after, PAGE).await?;
        after = page.last().map(|message| message.id);
        out.add(page.iter().map(message))?;
        if page.len() < PAGE {
            return Ok(());
        }
    }
}

fn text_of(record: &impl Serialize) -> io::Result<String> {
    Ok(escape_controls(&serde_json::to_string(record)?))
}

/// Writes an object with the contact and lists to standard output, each record on a line of its own.
struct Printed {
    out: BufWriter<Stdout>,
    /// Whether the list begun last is still empty.
    is_empty: bool,
}

impl Printed {
    fn begin(contact: &Contact) -> io::Result<Self> {
        let mut out = BufWriter::new(io::stdout());
        write!(out, "{{\n\"contact\": {}", text_of(&ContactView::from(contact))?)?;
        Ok(Self { out, is_empty: true })
    }

    async fn list(
        &mut self,
        name: &str,
        fill: impl AsyncFnOnce(&mut Self) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        write!(self.out, ",\n\"{name}\": [")?;
        self.is_empty = true;
        fill(self).await?;
        self.out.write_all(if self.is_empty { b"]" } else { b"\n]" })?;
        Ok(())
    }

    fn add<T: Serialize>(&mut self, records: impl IntoIterator<Item = T>) -> io::Result<()> {
        for record in records {
            let before = if self.is_empty { "" } else { "," };
            write!(self.out, "{before}\n{}", text_of(&record)?)?;
            self.is_empty = false;
        }
        Ok(())
    }

    fn end(mut self) -> io::Result<()> {
        self.out.write_all(b"\n}\n")?;
        self.out.flush()
    }
}
