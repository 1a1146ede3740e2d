//! `rekey`: reseals every secret after the master key has changed. The number it prints counts signing
//! secrets, second factors and gateway secrets.

use std::sync::Arc;

use serde::Serialize;

use super::open;
use super::sealed_kind::SealedKind;
use crate::output::Output;
use crate::settings::Settings;

#[derive(Serialize)]
struct Rewritten {
    rewritten: u64,
}

/// Reseals under the present master key every secret that is sealed under the previous one, and records in
/// the database that the present key is in force.
///
/// # Errors
/// The failure, described for the operator. The command can be run again and continues where it stopped.
pub async fn run(settings: Settings, output: Output) -> anyhow::Result<()> {
    if settings.master_key_previous.is_none() {
        anyhow::bail!(
            "COUNTINGHOUSE_MASTER_KEY_PREVIOUS is not set, so there is no other key that secrets could be sealed under: put the old key \
             there and the new one into COUNTINGHOUSE_MASTER_KEY, restart every process, and run this again"
        );
    }
    let deps = open(settings).await?;
    let upkeep = &*deps.store.upkeep;
    let key = deps.master_key().await?;
    let keys = Arc::new(key.sealing_keys());
    let mut rewritten = 0_u64;
    for kind in SealedKind::ALL {
        rewritten = rewritten.saturating_add(kind.rekey(&deps, &keys).await?);
    }
    key.record_as_present(upkeep).await?;
    output.show(&Rewritten { rewritten }, |_shown| {
        format!(
            "{rewritten} sealed anew. Once every process runs with the new key, COUNTINGHOUSE_MASTER_KEY_PREVIOUS can go; \
             mail that waits with a link in it (of an invitation, of a password reset, or to undo a change) needs it for up to \
             a day"
        )
    })
}
