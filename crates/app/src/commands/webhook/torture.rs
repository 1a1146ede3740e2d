//! `webhook torture`: sends a receiver every kind of request that it may meet, and prints a report.
//!
//! Requests are written directly to a connection, since an HTTP client cannot send half a body or a wrong
//! length. The addresses are checked as for deliveries.

mod cases;
mod request;
mod sender;

use std::io::Write as _;
use std::time::Duration;

use anyhow::{Context as _, bail};
use kernel::{HttpsUrl, SystemRandom};
use serde::Serialize;
use tokio::time::Instant;
use webhooks::{SigningSecret, TargetGuard as _};

use self::cases::{Case, Expected, cases};
use self::request::{SampleEvents, SendMode, TestRequest};
use self::sender::{ReceiverReply, RequestSender};
use crate::output::{Output, columns};
use crate::settings::Settings;
use crate::wiring::webhook_client;

/// How long the whole run may take. A case that is not sent by then has failed.
const RUN: Duration = Duration::from_secs(55);

/// Sends every case to a receiver and prints the results.
///
/// # Errors
/// When the URL is not an allowed delivery target, or the receiver failed a case.
pub(super) async fn run(
    settings: &Settings,
    url: &HttpsUrl,
    secret: SigningSecret,
    output: Output,
) -> anyhow::Result<()> {
    let client = webhook_client(settings)?;
    client.check(url).await.context("--url")?;
    let other_secret = SigningSecret::generate(&SystemRandom::default());
    let urls = settings.public_urls(settings.listen);
    let events = SampleEvents::new(urls, settings.clock()?.now());
    let cases = cases(&events, &secret, &other_secret)?;
    let attempt_limit = settings.webhook_timeout;
    let sender = RequestSender::new(client, url.clone(), attempt_limit, Instant::now() + RUN);
    let mut report = Vec::new();
    for case in &cases {
        show_progress(output, report.len() + 1, cases.len(), case.title);
        let genuine = TestRequest::signed(&secret, events.next());
        report.push(run_case(&sender, case, &genuine).await);
    }
    output.of_reading().show(&report, |report| report_text(report))?;
    let failed = report.iter().filter(|result| !result.passed).count();
    if failed > 0 {
        bail!("the receiver failed {failed} of {} cases", report.len());
    }
    Ok(())
}

/// Sends a case; if the case asks for it, checks afterwards that the receiver still accepts a genuine
/// delivery.
async fn run_case(sender: &RequestSender, case: &Case, genuine: &TestRequest) -> CaseResult {
    let came = sender.send(case).await;
    let afterwards = if case.expected.asks_afterwards() {
        Some(sender.post(genuine, SendMode::Whole).await)
    } else {
        None
    };
    CaseResult::new(case, &came, afterwards.as_ref())
}

/// The run takes up to a minute: standard error shows its progress.
fn show_progress(output: Output, number: usize, of: usize, what: &str) {
    if !output.json {
        let _ignored = writeln!(std::io::stderr(), "{number}/{of} {what}");
    }
}

/// The result of one case.
#[derive(Debug, Serialize)]
struct CaseResult {
    played: &'static str,
    expected: &'static str,
    came: String,
    passed: bool,
}

impl CaseResult {
    /// `afterwards` is the reply to the genuine delivery after the case, if one was sent.
    fn new(case: &Case, came: &[ReceiverReply], afterwards: Option<&ReceiverReply>) -> Self {
        let is_there = afterwards.is_none_or(ReceiverReply::is_2xx);
        let passed = match case.expected {
            Expected::Accepted => came.iter().all(ReceiverReply::is_2xx),
            Expected::Refused | Expected::RefusedThenSuccess => came.iter().all(ReceiverReply::is_refusal),
            Expected::AnyThenSuccess => came.iter().all(ReceiverReply::was_sent),
        };
        Self {
            played: case.title,
            expected: case.expected.as_str(),
            came: words(came, afterwards),
            passed: passed && is_there,
        }
    }
}

impl ReceiverReply {
    fn is_2xx(&self) -> bool {
        matches!(self, Self::Status(200..=299))
    }

    fn was_sent(&self) -> bool {
        !matches!(self, Self::NoConnection(_) | Self::NotSent)
    }

    /// Whether the receiver refused the request. A receiver that cannot be reached has not refused.
    fn is_refusal(&self) -> bool {
        self.was_sent() && !self.is_2xx()
    }

    fn words(&self) -> String {
        match self {
            Self::Status(status) => status.to_string(),
            Self::Closed => "the connection was closed".to_owned(),
            Self::Nothing => "nothing in time".to_owned(),
            Self::NotHttp => "something that is not HTTP".to_owned(),
            Self::NoConnection(fault) => fault.to_string(),
            Self::NotSent => "not sent: the time was up".to_owned(),
        }
    }
}

/// The replies in words; equal neighbours are listed once.
fn words(came: &[ReceiverReply], afterwards: Option<&ReceiverReply>) -> String {
    let mut words: Vec<String> = came.iter().map(ReceiverReply::words).collect();
    words.dedup();
    let came = words.join(", ");
    match afterwards {
        Some(afterwards) => format!("{came}; then {}", afterwards.words()),
        None => came,
    }
}

/// The report as text.
fn report_text(report: &[CaseResult]) -> String {
    let row = |result: &CaseResult| {
        let passed = if result.passed { "pass" } else { "FAIL" };
        let cells = [passed, result.played, result.expected, &result.came];
        cells.map(str::to_owned).to_vec()
    };
    let rows: Vec<_> = report.iter().map(row).collect();
    let passed = report.iter().filter(|result| result.passed).count();
    let table = columns(&["", "case", "expected", "replies"], &rows);
    format!("{table}\n{passed} of {} passed", report.len())
}
