//! `webhook torture`: sends a receiver everything that can happen to it, and prints a scorecard.
//!
//! Requests are written to connections of their own, since an HTTP client cannot send half a body or a wrong
//! length. The connections pass the address guard, as deliveries do.

mod cases;
mod report;
mod request;
mod sender;

use std::io::Write as _;
use std::time::Duration;

use anyhow::bail;
use kernel::{Clock as _, HttpsUrl, SystemClock, SystemRandom};
use tokio::time::Instant;
use webhooks::{SigningSecret, TargetGuard as _};

use self::cases::{Case, cases};
use self::report::CaseResult;
use self::request::{Events, SendMode, TestRequest};
use self::sender::Sender;
use crate::output::Output;
use crate::settings::Settings;
use crate::wiring::webhook_client;

/// How long the whole run may take. What is not sent by then has failed.
const RUN: Duration = Duration::from_secs(55);

/// Cases at a receiver and prints how it did.
///
/// # Errors
/// When the address is not to be called, or the receiver did not do as it should.
pub(super) async fn run(
    settings: &Settings,
    url: &HttpsUrl,
    secret: SigningSecret,
    output: Output,
) -> anyhow::Result<()> {
    let client = webhook_client(settings)?;
    client.check(url).await?;
    let other_secret = SigningSecret::generate(&SystemRandom::default())?;
    let urls = settings.public_urls(settings.listen);
    let events = Events::new(urls, SystemClock.now());
    let cases = cases(&events, &secret, &other_secret)?;
    let attempt_limit = settings.webhook_timeout;
    let sender = Sender::new(client, url.clone(), attempt_limit, Instant::now() + RUN);
    let mut report = Vec::new();
    for case in &cases {
        show_progress(output, report.len() + 1, cases.len(), case.title);
        let genuine = TestRequest::signed(&secret, events.next());
        report.push(run_case(&sender, case, &genuine).await);
    }
    output.show(&report, |report| report::text(report))?;
    let failed = report.iter().filter(|result| !result.passed).count();
    if failed > 0 {
        bail!("the receiver failed {failed} of {} cases", report.len());
    }
    Ok(())
}

/// Cases, and looks afterwards whether the receiver is still there where that is the question.
async fn run_case(sender: &Sender, case: &Case, genuine: &TestRequest) -> CaseResult {
    let came = sender.send(case).await;
    let afterwards = if case.expected.asks_afterwards() {
        Some(sender.post(genuine, SendMode::Whole).await)
    } else {
        None
    };
    CaseResult::new(case, &came, afterwards.as_ref())
}

/// The run takes a while: standard error shows how far it is.
fn show_progress(output: Output, number: usize, of: usize, what: &str) {
    if !output.json {
        let _ignored = writeln!(std::io::stderr(), "{number}/{of} {what}");
    }
}
