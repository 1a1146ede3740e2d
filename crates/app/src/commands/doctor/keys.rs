//! The master key: whether there is one, whether it fits the database, and whether others can read it.

use store_diesel::{DatabaseKind, MetadataKey};

use super::database::Opened;
use super::files::others_may_read;
use super::finding::{CheckOutcome, CheckProblem};
use crate::commands::sealed_kind::SealedKind;
use crate::master_key::MasterKey;
use crate::settings::Settings;

/// Whether the master key fits the database.
pub(super) async fn master_key(settings: &Settings, opened: &Opened) -> CheckOutcome {
    let upkeep = &opened.store.upkeep;
    let key = MasterKey::present(settings, upkeep.kind()).map_err(|error| format!("{error:#}"))?;
    if upkeep.kind() == DatabaseKind::Postgres && key.is_none() {
        let said = "none is set: set COUNTINGHOUSE_MASTER_KEY, to the one that this database was first used with, or that `countinghouse rekey` moved it to";
        return Err(said.to_owned().into());
    }
    let file = MasterKey::file(settings);
    if settings.master_key.is_none() && others_may_read(&file) {
        let file = file.display();
        return Err(format!("{file} can be read by others on this machine: chmod 600 {file}").into());
    }
    if !opened.has_schema {
        return Err(CheckProblem::Skipped("not held against the database, whose schema is not there yet"));
    }
    let kept = upkeep.metadata(MetadataKey::MasterKeyCheck).await?;
    let left_behind = left_behind(opened, key.as_ref()).await?;
    let said = fits(key.as_ref(), kept.as_deref(), settings)?;
    if left_behind.is_empty() {
        return Ok(said);
    }
    let left_behind = left_behind.into_iter().map(SealedKind::label).collect::<Vec<_>>().join(", ");
    let said = format!(
        "it fits the database, but some secrets are sealed under another key ({left_behind}): put that key into \
         COUNTINGHOUSE_MASTER_KEY_PREVIOUS and run `countinghouse rekey`"
    );
    Err(said.into())
}

/// The kinds of secrets of which one is sealed under another key than the present one, for example by a
/// process that still used the old key.
async fn left_behind(opened: &Opened, key: Option<&MasterKey>) -> Result<Vec<SealedKind>, CheckProblem> {
    let Some(key) = key else { return Ok(Vec::new()) };
    let key_prefix = key.sealing_keys().present_key_prefix();
    let mut found = Vec::new();
    for kind in SealedKind::ALL {
        if kind.is_left_behind(&opened.store, &key_prefix).await? {
            found.push(kind);
        }
    }
    Ok(found)
}

fn fits(key: Option<&MasterKey>, kept: Option<&[u8]>, settings: &Settings) -> Result<String, String> {
    match (key, kept) {
        (Some(key), Some(kept)) if key.is_of_previous(kept) => Err(
            "secrets are still sealed under COUNTINGHOUSE_MASTER_KEY_PREVIOUS: run `countinghouse rekey`".to_owned(),
        ),
        (Some(key), Some(kept)) if key.fits(kept) && settings.master_key_previous.is_some() => {
            Ok("it fits the database; COUNTINGHOUSE_MASTER_KEY_PREVIOUS can go once no mail waits that was written before `rekey`".to_owned())
        }
        (Some(key), Some(kept)) if key.fits(kept) => Ok("it fits the database".to_owned()),
        (Some(_), Some(_)) => Err(
            "it does not fit this database: set COUNTINGHOUSE_MASTER_KEY (or restore master.key) to the key that the database was \
             first used with, or that `countinghouse rekey` moved it to"
                .to_owned(),
        ),
        (None, Some(_)) => Err(format!(
            "{} is not there, and the database was used with one: put it back, or set COUNTINGHOUSE_MASTER_KEY",
            MasterKey::file(settings).display()
        )),
        (_, None) => Ok("this database has not been served with one yet; the first start notes it".to_owned()),
    }
}
