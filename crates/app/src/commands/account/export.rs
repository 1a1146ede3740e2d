//! `account export`: the stored business data of an account, in a file of JSON lines.
//!
//! Each line is an object with one field: its name is the kind of record, its value the record as the API
//! shows it. Secrets are left out: nothing in the file can be used to sign in, call the API or sign webhooks.
//! Records are read a page at a time, so an account of any size is exported in little memory.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use escalations::EscalationPosition;
use http_api::{ContactView, EscalationView, InvoiceView};
use invoices::InvoiceFilter;
use kernel::{AccountId, PageSize, PublicUrls};
use serde::Serialize;
use serde_json::json;

use crate::new_file;
use crate::output::Output;
use crate::wiring::Dependencies;

#[derive(Serialize)]
struct Exported {
    file: PathBuf,
    bytes: u64,
}

/// Exports an account into a file that must not exist yet.
pub(super) async fn run(
    deps: &Dependencies,
    account: &impl Serialize,
    id: AccountId,
    urls: &PublicUrls,
    file: &Path,
    output: Output,
) -> anyhow::Result<()> {
    let taken = || format!("{} is there already: name a new file", file.display());
    let cannot = || format!("cannot write {}", file.display());
    if std::fs::symlink_metadata(file).is_ok() {
        bail!(taken());
    }
    let target = new_file::begin(file).with_context(cannot)?;
    let mut lines = Lines(BufWriter::new(target.as_file()));
    lines.add("account", account).with_context(cannot)?;
    export(deps, id, urls, &mut lines).await?;
    lines.0.flush().with_context(cannot)?;
    drop(lines);
    let bytes = target.as_file().metadata().with_context(cannot)?.len();
    new_file::publish(target, file).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => anyhow::anyhow!(taken()),
        _ => anyhow::Error::new(error).context(cannot()),
    })?;
    let exported = Exported { file: file.to_owned(), bytes };
    output.show(&exported, |exported| format!("{}: {} bytes", exported.file.display(), exported.bytes))
}

async fn export(
    deps: &Dependencies,
    id: AccountId,
    urls: &PublicUrls,
    lines: &mut Lines<impl Write>,
) -> anyhow::Result<()> {
    let store = &deps.store;
    let mut after = None;
    loop {
        let page = store.contact_reads.list(id, None, PageSize::MAX, after).await?;
        page.items.iter().try_for_each(|contact| lines.add("contact", &ContactView::from(contact)))?;
        let Some(next) = page.next else { break };
        after = Some(next);
    }
    let (filter, mut after) = (InvoiceFilter::default(), None);
    loop {
        let page = store.invoice_reads.list(id, &filter, PageSize::MAX, after).await?;
        page.items.iter().try_for_each(|invoice| lines.add("invoice", &InvoiceView::new(invoice, urls)))?;
        let Some(next) = page.next else { break };
        after = Some(next);
    }
    let mut after = None;
    loop {
        let page = store.escalation_reads.list(id, after, PageSize::MAX.get()).await?;
        let mut views = page.iter().map(EscalationView::from);
        views.try_for_each(|escalation| lines.add("escalation", &escalation))?;
        let Some(last) = page.last() else { break };
        after = Some(EscalationPosition { status: last.status(), after: last.id });
    }
    for endpoint in store.endpoints.list(id).await?.unwrap_or_default() {
        let events: Vec<_> = endpoint.events.iter().map(webhooks::EventName::as_str).collect();
        let shown =
            json!({"endpoint_id": endpoint.id.to_string(), "url": endpoint.url.as_str(), "events": events});
        lines.add("webhook_endpoint", &shown)?;
    }
    Ok(())
}

/// A file of JSON lines.
struct Lines<W>(W);

impl<W: Write> Lines<W> {
    fn add(&mut self, kind: &str, record: &impl Serialize) -> io::Result<()> {
        write!(self.0, r#"{{"{kind}":"#)?;
        serde_json::to_writer(&mut self.0, record)?;
        self.0.write_all(b"}\n")
    }
}
