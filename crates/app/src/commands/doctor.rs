//! `doctor`: a look at everything that the service stands on, a line each, with what to do.
//!
//! It changes nothing, makes nothing that is missing, and never hangs: each check has its time. When the
//! settings cannot be read, what hangs on them is not looked at, and said so.

mod database;
mod files;
mod finding;
mod keys;
mod listening;
mod mail;
mod queues;
mod redis;
mod surroundings;

use std::time::Duration;

use anyhow::bail;

use self::database::Opened;
use self::finding::{Finding, Verdict, within};
use crate::output::Output;
use crate::settings::{Settings, SettingsError};

/// How long one check may take: longer than a mail server, which is the slowest of all, is given to let us
/// in.
const PATIENCE: Duration = Duration::from_secs(20);

/// The checks that hang on the settings.
const OF_THE_SETTINGS: [&str; 9] = [
    files::DATA_DIRECTORY,
    database::DATABASE,
    database::MIGRATIONS,
    keys::MASTER_KEY,
    queues::QUEUES,
    mail::MAIL,
    files::DISK,
    redis::REDIS,
    listening::LISTEN,
];

/// Runs `doctor`. With `serving` it only asks the service that runs on this machine whether it is ready.
///
/// # Errors
/// When something is wrong; all has been printed then.
pub async fn run(serving: bool, output: Output) -> anyhow::Result<()> {
    let findings = match Settings::read() {
        Ok(settings) if serving => {
            vec![within(PATIENCE, listening::SERVING, listening::serving(&settings)).await]
        }
        Ok(settings) => examine(&settings).await,
        Err(error) => without_settings(&error).await,
    };
    output.show(&findings, |findings| {
        let lines = findings.iter().map(Finding::line);
        lines.collect::<Vec<_>>().join("\n")
    })?;
    let wrong = findings.iter().filter(|finding| finding.verdict == Verdict::Wrong).count();
    match wrong {
        0 => Ok(()),
        1 => bail!("1 check failed"),
        _ => bail!("{wrong} checks failed"),
    }
}

async fn examine(settings: &Settings) -> Vec<Finding> {
    let mut findings = vec![Finding::fine(
        "settings",
        "read from the environment and countinghouse.toml, and every one is known",
    )];
    findings.push(within(PATIENCE, files::DATA_DIRECTORY, files::data_directory(settings)).await);
    let opened = tokio::time::timeout(PATIENCE, Opened::open(settings)).await;
    let (opened, finding) = opened.unwrap_or_else(|_elapsed| {
        let said = "no answer: see whether the database server is up and can be reached from here";
        (None, Finding::wrong(database::DATABASE, said))
    });
    findings.push(finding);
    match &opened {
        Some(opened) => {
            findings.push(within(PATIENCE, database::MIGRATIONS, opened.migrations()).await);
            findings.push(within(PATIENCE, keys::MASTER_KEY, keys::master_key(settings, opened)).await);
            let found = within(PATIENCE, queues::QUEUES, queues::queues(settings, opened));
            findings.push(found.await);
        }
        None => {
            let why = "not looked at, since there is no database to look into";
            findings.extend(
                [database::MIGRATIONS, keys::MASTER_KEY, queues::QUEUES]
                    .map(|name| Finding::skipped(name, why)),
            );
        }
    }
    findings.push(within(PATIENCE, mail::MAIL, mail::mail(settings, opened.as_ref())).await);
    let extra = settings.extra_ca_file.clone();
    findings.push(within(PATIENCE, surroundings::TRUST, surroundings::trust(extra)).await);
    findings.push(within(PATIENCE, surroundings::CLOCK, surroundings::clock(opened.as_ref())).await);
    findings.push(within(PATIENCE, files::DISK, files::disk(settings)).await);
    findings.push(within(PATIENCE, redis::REDIS, redis::redis(settings)).await);
    findings.push(within(PATIENCE, listening::LISTEN, listening::listen(settings)).await);
    findings
}

async fn without_settings(error: &SettingsError) -> Vec<Finding> {
    let faults = error.faults.iter();
    let mut findings: Vec<_> = faults.map(|fault| Finding::wrong("settings", fault)).collect();
    let why = "not looked at, since the settings cannot be read";
    findings.extend(OF_THE_SETTINGS.map(|name| Finding::skipped(name, why)));
    findings.push(within(PATIENCE, surroundings::TRUST, surroundings::trust(None)).await);
    findings.push(within(PATIENCE, surroundings::CLOCK, surroundings::clock(None)).await);
    findings
}
