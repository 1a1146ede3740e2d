//! Mail: whether the mail server authenticates the service, and whether mail was given up in the last day.

use std::path::PathBuf;

use kernel::Operator;
use mail::MailTask;
use mail_lettre::SmtpTransport;
use outbox::Task as _;
use time::Duration;

use super::database::Opened;
use super::files::may_write;
use super::finding::{CheckOutcome, CheckProblem, run_blocking};
use crate::settings::Settings;

/// Whether mail can be sent. A mail that was given up is reported but does not fail the check: the address
/// may have been wrong.
pub(super) async fn mail(settings: &Settings, opened: Option<&Opened>) -> CheckOutcome {
    let given_up = given_up(opened).await;
    match check_transport(settings).await {
        Ok(said) => Ok(said + &given_up),
        Err(CheckProblem::Wrong(said)) => Err(CheckProblem::Wrong(said + &given_up)),
        Err(skipped) => Err(skipped),
    }
}

async fn check_transport(settings: &Settings) -> CheckOutcome {
    let from = &settings.mail_from;
    let Some(url) = &settings.smtp_url else {
        return into_files(settings.data_dir.join("mail")).await;
    };
    let transport = SmtpTransport::new(url.clone(), from.clone(), settings.extra_ca_file.as_deref());
    let transport =
        transport.map_err(|error| format!("COUNTINGHOUSE_SMTP_URL: {:#}", anyhow::Error::new(error)))?;
    match transport.probe().await {
        // Some servers refuse a sender only once a recipient was named.
        Ok(()) => Ok(format!("the mail server lets us in, and mail goes from {from}")),
        Err(error) => Err(format!(
            "the mail server does not let us send: {error}; see whether COUNTINGHOUSE_SMTP_URL has the right host, port, user and \
             password, and whether the server sends mail from {from} (COUNTINGHOUSE_MAIL_FROM)"
        )
        .into()),
    }
}

/// Whether mail can be written into files, when no mail server is set.
async fn into_files(folder: PathBuf) -> CheckOutcome {
    run_blocking(move || {
        let name = folder.display();
        if folder.is_dir() {
            may_write(&folder).map_err(|error| {
                format!("{name} cannot be written to ({error}): see to its owner and mode")
            })?;
        }
        Ok(format!("no mail server is set: mail is written to {name} and not sent"))
    })
    .await
}

/// A note on how many mails were given up in the last day; empty when none were, or when that is unknown.
async fn given_up(opened: Option<&Opened>) -> String {
    let Some(opened) = opened.filter(|opened| opened.has_schema) else {
        return String::new();
    };
    let yesterday = opened.clock.now() - Duration::DAY;
    let checkup = &opened.store.checkup;
    let counted = checkup.jobs_given_up_since(Operator::at_the_command_line(), MailTask::KIND, yesterday);
    match counted.await {
        Ok(0) | Err(_) => String::new(),
        Ok(count) => {
            format!(
                "; given up in the last day: {count} (the log says why, at `job given up` of the job `mail`)"
            )
        }
    }
}
