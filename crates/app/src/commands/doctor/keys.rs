//! The master key: whether there is one, whether it fits, and whether it is kept to ourselves.

use store_diesel::Kind;

use super::database::{Opened, chain};
use super::files::others_may_read;
use super::finding::Finding;
use crate::master_key::MasterKey;
use crate::settings::Settings;

pub(super) const MASTER_KEY: &str = "master key";

/// Whether the master key fits the database.
pub(super) async fn master_key(settings: &Settings, opened: &Opened) -> Finding {
    let upkeep = &opened.store.upkeep;
    let key = match MasterKey::present(settings, upkeep.kind()) {
        Ok(key) => key,
        Err(error) => return Finding::wrong(MASTER_KEY, format!("{error:#}")),
    };
    if upkeep.kind() == Kind::Postgres && key.is_none() {
        let said = "none is set: set COUNTINGHOUSE_MASTER_KEY, to the one that this database was first used with";
        return Finding::wrong(MASTER_KEY, said);
    }
    let file = MasterKey::file(settings);
    if settings.master_key.is_none() && others_may_read(&file) {
        let file = file.display();
        let said = format!("{file} can be read by others on this machine: chmod 600 {file}");
        return Finding::wrong(MASTER_KEY, said);
    }
    if !opened.has_schema {
        let said = "not held against the database, whose schema is not there yet";
        return Finding::skipped(MASTER_KEY, said);
    }
    match upkeep.master_key_check().await {
        Ok(kept) => Finding::of(MASTER_KEY, fits(key.as_ref(), kept.as_deref(), settings)),
        Err(error) => Finding::wrong(MASTER_KEY, chain(error)),
    }
}

fn fits(
    key: Option<&MasterKey>,
    kept: Option<&[u8]>,
    settings: &Settings,
) -> Result<String, String> {
    match (key, kept) {
        (Some(key), Some(kept)) if key.is_of_previous(kept) => Err(
            "secrets are still sealed under COUNTINGHOUSE_MASTER_KEY_PREVIOUS: run `countinghouse rekey`".to_owned(),
        ),
        (Some(key), Some(kept)) if key.fits(kept) && settings.master_key_previous.is_some() => {
            Ok("it fits the database; COUNTINGHOUSE_MASTER_KEY_PREVIOUS can go".to_owned())
        }
        (Some(key), Some(kept)) if key.fits(kept) => Ok("it fits the database".to_owned()),
        (Some(_), Some(_)) => Err(
            "it does not fit this database: set COUNTINGHOUSE_MASTER_KEY (or restore master.key) to the key that the database was \
             first used with"
                .to_owned(),
        ),
        (None, Some(_)) => Err(format!(
            "{} is not there, and the database was used with one: put it back, or set COUNTINGHOUSE_MASTER_KEY",
            MasterKey::file(settings).display()
        )),
        (_, None) => Ok("this database has not been served with one yet; the first start notes it".to_owned()),
    }
}
