//! `doctor`: checks everything that the service depends on, and prints a line for each check with how to fix
//! it.
//!
//! It changes nothing, creates nothing that is missing, and never hangs: each check has a time limit. When
//! the settings cannot be read, the checks that depend on them are reported as skipped.

mod database;
mod environment;
mod files;
mod finding;
mod gateways;
mod keys;
mod language_model;
mod listening;
mod logos;
mod mail;
mod payments;
mod queues;

use std::time::Duration;

use anyhow::bail;

use self::database::Opened;
use self::finding::{CheckProblem, Finding, within};
use crate::output::Output;
use crate::settings::{Settings, SettingsError};

/// How long one check may take: longer than the time limit for authentication at a mail server, the slowest
/// of all checks.
const LIMIT: Duration = Duration::from_secs(20);

/// The checks that need the database.
const OF_THE_DATABASE: [&str; 7] = [
    "migrations", "distribution", "master key", "queues", "payments_conservation", "gateway_keys",
    "gateway_charges",
];

/// Runs `doctor`. With `serving` it only asks the service that runs on this machine whether it is ready.
///
/// # Errors
/// When a check has failed; all findings have been printed by then.
pub async fn run(serving: bool, output: Output) -> anyhow::Result<()> {
    let findings = match Settings::read() {
        Ok(settings) if serving => vec![within(LIMIT, "serving", listening::serving(&settings)).await],
        Ok(settings) => examine(&settings).await,
        Err(error) => without_settings(error).await,
    };
    output.of_reading().show(&findings, |findings| {
        let lines = findings.iter().map(Finding::line);
        lines.collect::<Vec<_>>().join("\n")
    })?;
    match findings.iter().filter(|finding| finding.is_wrong).count() {
        0 => Ok(()),
        1 => bail!("1 check failed"),
        wrong => bail!("{wrong} checks failed"),
    }
}

async fn examine(settings: &Settings) -> Vec<Finding> {
    let said = "read from the environment and countinghouse.toml, and every one is known";
    let mut findings = vec![Finding::new("settings", Ok(said.to_owned()))];
    findings.push(within(LIMIT, "data directory", files::data_directory(settings)).await);
    let opened = tokio::time::timeout(LIMIT, Opened::open(settings)).await;
    let (opened, outcome) = opened.unwrap_or_else(|_elapsed| {
        let said = "no answer: see whether the database server is up and can be reached from here";
        (None, Err(said.to_owned().into()))
    });
    findings.push(Finding::new("database", outcome));
    match &opened {
        Some(opened) => {
            findings.push(within(LIMIT, "migrations", opened.migrations()).await);
            findings.push(within(LIMIT, "distribution", opened.distribution(settings)).await);
            findings.push(within(LIMIT, "master key", keys::master_key(settings, opened)).await);
            findings.push(within(LIMIT, "queues", queues::queues(settings, opened)).await);
            findings.push(within(LIMIT, "payments_conservation", payments::conservation(opened)).await);
            findings.push(within(LIMIT, "gateway_keys", gateways::keys(settings, opened)).await);
            findings.push(within(LIMIT, "gateway_charges", gateways::charges(settings, opened)).await);
        }
        None => {
            let why = "not looked at, since there is no database to look into";
            findings.extend(skipped(OF_THE_DATABASE, why));
        }
    }
    findings.push(within(LIMIT, "mail", mail::mail(settings, opened.as_ref())).await);
    findings.push(within(LIMIT, "logos", logos::logos(settings)).await);
    let extra = settings.extra_ca_file.clone();
    findings.push(within(LIMIT, "trust", environment::trust(extra)).await);
    findings.push(within(LIMIT, "clock", environment::clock(opened.as_ref())).await);
    findings.push(within(LIMIT, "disk", files::disk(settings)).await);
    findings.push(within(LIMIT, "redis", environment::redis(settings)).await);
    findings.push(within(LIMIT, "language model", language_model::answers(settings)).await);
    findings.push(within(LIMIT, "listen", listening::listen(settings)).await);
    findings
}

async fn without_settings(error: SettingsError) -> Vec<Finding> {
    let faults = error.faults.into_iter();
    let mut findings: Vec<_> = faults.map(|fault| Finding::new("settings", Err(fault.into()))).collect();
    let checks = ["data directory", "database"].into_iter().chain(OF_THE_DATABASE);
    let checks = checks.chain(["mail", "logos", "disk", "redis", "language model", "listen"]);
    findings.extend(skipped(checks, "not looked at, since the settings cannot be read"));
    findings.push(within(LIMIT, "trust", environment::trust(None)).await);
    findings.push(within(LIMIT, "clock", environment::clock(None)).await);
    findings
}

fn skipped(
    checks: impl IntoIterator<Item = &'static str>,
    why: &'static str,
) -> impl Iterator<Item = Finding> {
    checks.into_iter().map(move |check| Finding::new(check, Err(CheckProblem::Skipped(why))))
}
