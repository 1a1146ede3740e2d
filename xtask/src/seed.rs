//! `cargo xtask seed`: invented accounts, contacts and invoices, the same at every run.
//!
//! The records come from the domain's constructors, so that the service could have made them; they are stored
//! by bulk insert, not through the API. Seeded keys can be guessed from the seed: never seed a production
//! database.

pub(crate) mod options;
pub(crate) mod random;
pub(crate) mod records;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use app::new_file;
use app::settings::Settings;
use app::wiring::Dependencies;
use indicatif::{ProgressBar, ProgressStyle};
use kernel::Operator;
use store_diesel::{Announce, DatabaseKind};

pub(crate) use self::options::Options;
use self::records::Records;

/// How many records one insert has: enough to be fast, few enough to limit memory and update the progress bar
/// often.
const BATCH: u32 = 2_000;

/// Fills the database.
pub(crate) async fn run(options: Options) -> anyhow::Result<()> {
    options.check()?;
    // Before anything is inserted: keys that cannot be written would be lost.
    let cannot = |file: &Path| format!("cannot write {}", file.display());
    let begin = |file: &PathBuf| new_file::begin(file).with_context(|| cannot(file));
    let unfinished = options.keys.as_ref().map(begin).transpose()?;
    let settings = Arc::new(Settings::read()?);
    let deps = Dependencies::open(settings, Announce::Everywhere).await?.with_schema().await?;
    let into = match deps.store.upkeep.kind() {
        DatabaseKind::Sqlite => {
            let url = deps.settings.database_url();
            format!("the embedded database {}", url.reveal().trim_start_matches("sqlite://"))
        }
        DatabaseKind::Postgres => "the database in DATABASE_URL".to_owned(),
    };
    writeln!(io::stderr(), "Filling {into}. Anybody can guess the keys of the accounts made here.")?;
    let (_records, keys) = fill(&deps, &options).await?;
    match unfinished.zip(options.keys) {
        Some((mut unfinished, file)) => {
            let written = unfinished.write_all(keys.as_bytes());
            written.and_then(|()| new_file::replace(unfinished, &file)).with_context(|| cannot(&file))
        }
        None => app::output::Output::new(false).line(&keys),
    }
}

/// Inserts the records, and returns them with their keys in the clear as lines of text.
pub(crate) async fn fill(deps: &Dependencies, options: &Options) -> anyhow::Result<(Records, String)> {
    options.check()?;
    let (records, keys) = Records::begin(options)?;
    let already = "the records could not be inserted: if this database was seeded with the same seed before, even by a run that was \
         interrupted, use another --seed";
    deps.store
        .operator
        .insert_partner(Operator::at_the_command_line(), &records.partner, &records.partner_key)
        .await
        .context(already)?;
    deps.store.bulk.accounts(&records.accounts).await.context(already)?;
    insert_contacts(deps, &records, options).await.context(already)?;
    insert_invoices(deps, &records, options).await.context(already)?;
    Ok((records, keys))
}

async fn insert_contacts(deps: &Dependencies, records: &Records, options: &Options) -> anyhow::Result<()> {
    let bar = progress("contacts", options.contacts)?;
    for batch in batches(options.contacts) {
        let contacts = records.contacts(batch);
        deps.store.bulk.contacts(&contacts).await?;
        bar.inc(u64::try_from(contacts.len())?);
    }
    bar.finish();
    Ok(())
}

async fn insert_invoices(deps: &Dependencies, records: &Records, options: &Options) -> anyhow::Result<()> {
    let bar = progress("invoices", options.invoices)?;
    for batch in batches(options.invoices) {
        let invoices = records.invoices(batch)?;
        deps.store.bulk.invoices(&invoices).await?;
        bar.inc(u64::try_from(invoices.len())?);
    }
    for (account, next) in records.sequences() {
        deps.store.bulk.set_sequence(account, next).await?;
    }
    let rate = u128::from(options.invoices).saturating_mul(1_000) / bar.elapsed().as_millis().max(1);
    bar.finish();
    // The progress bar is shown on a terminal only, this line always.
    writeln!(io::stderr(), "{} invoices, {rate} a second", options.invoices)?;
    Ok(())
}

fn batches(count: u32) -> impl Iterator<Item = std::ops::Range<u32>> {
    (0..count.div_ceil(BATCH)).map(move |n| n * BATCH..(n * BATCH).saturating_add(BATCH).min(count))
}

fn progress(what: &'static str, count: u32) -> anyhow::Result<ProgressBar> {
    let form =
        ProgressStyle::with_template("{prefix:>9} [{bar:40}] {human_pos}/{human_len} {per_sec} {msg}")?;
    let bar = ProgressBar::new(count.into()).with_style(form).with_prefix(what);
    Ok(bar)
}
