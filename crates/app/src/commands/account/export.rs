//! `account export`: the stored business data of an account, in a file of JSON lines.
//!
//! Each line is an object with one field: its name is the kind of record, its value the record as the API or
//! another command shows it. Secrets are left out: nothing in the file can be used to sign in, call the API,
//! call a gateway or sign webhooks. Records are read a page at a time, so an account of any size is exported
//! in little memory.

mod lines;
mod records;

use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use kernel::{AccountId, PublicUrls};
use serde::Serialize;

use self::lines::JsonLines;
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
    let mut lines = JsonLines::new(BufWriter::new(target.as_file()));
    lines.add("account", account).with_context(cannot)?;
    records::write(deps, id, urls, &mut lines).await?;
    lines.end().with_context(cannot)?;
    let bytes = target.as_file().metadata().with_context(cannot)?.len();
    new_file::publish(target, file).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => anyhow::anyhow!(taken()),
        _ => anyhow::Error::new(error).context(cannot()),
    })?;
    let exported = Exported { file: file.to_owned(), bytes };
    output.show(&exported, |exported| format!("{}: {} bytes", exported.file.display(), exported.bytes))
}
