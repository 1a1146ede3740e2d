//! `rekey`: seal every secret anew, after the master key has changed.

use std::sync::Arc;

use kernel::Operator;
use serde::Serialize;

use super::open;
use crate::master_key::MasterKey;
use crate::output::Output;
use crate::settings::Settings;

#[derive(Serialize)]
struct Rewritten {
    rewritten: u64,
}

/// Seals under the present master key what is sealed under the previous one, and notes that the database has moved to it.
///
/// # Errors
/// What went wrong, in words for the operator. It can be run again and goes on where it stopped.
pub async fn run(settings: &Settings, output: Output) -> anyhow::Result<()> {
    let house = open(settings).await?;
    let upkeep = &*house.store.upkeep;
    let key = MasterKey::find(settings, upkeep.kind(), &*house.chance)?;
    key.must_fit(upkeep).await?;
    let desk = house.webhook_desk(settings, Arc::new(key.sealing_keys()))?;
    let rewritten = desk.rekey(Operator::at_the_command_line()).await?;
    key.has_taken_over(upkeep).await?;
    output.show(&Rewritten { rewritten }, |_shown| {
        format!(
            "{rewritten} secrets are sealed anew. Once every process runs with the new key, COUNTINGHOUSE_MASTER_KEY_PREVIOUS can go; \
             mail that waits with an invitation's link in it needs it for up to a day"
        )
    })
}
