//! `cargo xtask torture`: whether the service keeps its word when everything around it fails.
//!
//! Each play starts what it needs on loopback, presses the service with clients that note what they were told, has something go wrong
//! over and over, and at the end holds what was told against the database, the API and what receivers of webhooks got. SecureRandom is drawn from
//! a seed that is printed; with the same seed the same things happen at the same distances, as far as the machine allows.

mod answered;
mod books;
mod caller;
mod clients;
mod crash;
mod database;
mod found;
mod ground;
mod held;
mod hostile;
mod inspect;
mod ledger;
mod listed;
mod load;
mod money;
mod neighbours;
mod outage;
mod polite;
mod reading;
mod receiver;
mod replayed;
mod report;
mod rolling;
mod selling;
mod smtp;
mod sums;
mod telling;
mod wanted;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::bail;
use indicatif::ProgressBar;
use kernel::{SecureRandom as _, SystemRandom};

pub(crate) use wanted::Wanted;

use crate::stand::build;
use crate::stand::kind::Kind;
use crate::stand::progress::progress;
use ground::Ground;
use report::{Check, Row};
use wanted::Play;

/// Longer than any play takes when all is well, and how much more for each kill.
const PLAYED_WITHIN: Duration = Duration::from_secs(400);
const KILLED_WITHIN: Duration = Duration::from_secs(4);

/// Plays and prints, from an optimised build. The status says whether everything held.
pub(crate) fn run(root: &Path, wanted: &Wanted) -> anyhow::Result<ExitCode> {
    if cfg!(debug_assertions) && !wanted.debug_build {
        return build::rerun_optimised(root);
    }
    let mut holds = false;
    app::block_on(async {
        holds = play_all(wanted).await?;
        Ok(())
    })?;
    Ok(if holds {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

async fn play_all(wanted: &Wanted) -> anyhow::Result<bool> {
    let seed = match wanted.seed {
        Some(seed) => seed,
        None => drawn()?,
    };
    let progress = progress()?;
    progress.println(format!("seed {seed}"));
    let mut rows = Vec::new();
    for (kind, play) in wanted.plays() {
        rows.extend(one(kind, play, wanted, seed, &progress).await);
    }
    progress.finish_and_clear();
    let text = if wanted.json {
        report::json(&rows, seed)?
    } else {
        report::text(&rows, seed)
    };
    app::output::Output { json: false }.line(&text)?;
    Ok(report::all_holds(&rows))
}

fn drawn() -> anyhow::Result<u32> {
    let mut bytes = [0; 4];
    let drawn = SystemRandom::default().fill(&mut bytes);
    drawn.map_err(|_none| anyhow::anyhow!("the system gives no random: use --seed"))?;
    Ok(u32::from_le_bytes(bytes))
}

/// One play; that it came to no end is told as something that does not hold, so that the others are played all the same.
async fn one(
    kind: Kind,
    play: Play,
    wanted: &Wanted,
    seed: u32,
    progress: &ProgressBar,
) -> Vec<Row> {
    progress.set_message(format!(
        "{}: {}, setting the scene",
        kind.name(),
        play.name()
    ));
    let rows = match Ground::set(kind, play, wanted, seed).await {
        Ok(Some(ground)) => {
            let ground = Arc::new(ground);
            let played = on(&ground, play, wanted, progress);
            let within = PLAYED_WITHIN.saturating_add(KILLED_WITHIN.saturating_mul(wanted.kills));
            let played = tokio::time::timeout(within, played).await;
            played.unwrap_or_else(|_elapsed| bail!("not within {within:?}"))
        }
        Ok(None) => {
            progress
                .println("no PostgreSQL binaries (initdb, pg_ctl, psql): its plays are left out");
            return Vec::new();
        }
        Err(error) => Err(error),
    };
    rows.unwrap_or_else(|error| {
        vec![Row {
            database: kind,
            play,
            what: "the play broke off".to_owned(),
            requests: None,
            figure: String::new(),
            checks: vec![Check::that(
                "it came to its end",
                false,
                format!("{error:#}"),
            )],
        }]
    })
}

async fn on(
    ground: &ground::Shared,
    play: Play,
    wanted: &Wanted,
    progress: &ProgressBar,
) -> anyhow::Result<Vec<Row>> {
    match play {
        Play::Crash => crash::play(ground, wanted.kills, progress).await,
        Play::Database => database::play(ground, progress).await,
        Play::Neighbours => neighbours::play(ground, progress).await,
        Play::Rolling => rolling::play(ground, progress).await,
        Play::Clients => clients::play(ground, progress).await,
    }
}
