//! `webhook torture`: everything that happens to receivers, played at one, with a scorecard.
//!
//! Requests are written letter by letter over connections of their own, since a client that speaks good HTTP cannot send half a body or
//! a wrong length. The connections go past the address guard, as deliveries do.

mod card;
mod letter;
mod plays;
mod wire;

use std::io::Write as _;
use std::time::Duration;

use anyhow::bail;
use kernel::{Clock as _, HttpsUrl, SystemClock, SystemRandom};
use tokio::time::Instant;
use webhooks::{SigningSecret, TargetGuard as _};

use self::card::Score;
use self::letter::{Events, Letter};
use self::plays::{Play, plays};
use self::wire::Wire;
use crate::output::Output;
use crate::settings::Settings;
use crate::wiring::webhook_client;

/// How long the whole run may take. What is not played by then has failed.
const RUN: Duration = Duration::from_secs(55);

/// Plays at a receiver and prints how it did.
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
    let plays = plays(&events, &secret, &other_secret)?;
    let patience = settings.webhook_timeout.try_into()?;
    let wire = Wire::new(client, url.clone(), patience, Instant::now() + RUN);
    let mut card = Vec::new();
    for play in &plays {
        tell(output, card.len() + 1, plays.len(), play.played);
        let genuine = Letter::signed(&secret, events.next());
        card.push(score(&wire, play, &genuine).await);
    }
    output.show(&card, |card| card::text(card))?;
    let failed = card.iter().filter(|score| !score.passed).count();
    if failed > 0 {
        bail!("the receiver failed {failed} of {} plays", card.len());
    }
    Ok(())
}

/// Plays, and looks afterwards whether the receiver is still there where that is the question.
async fn score(wire: &Wire, play: &Play, genuine: &Letter) -> Score {
    let came = wire.play(play).await;
    let afterwards = if play.expected.asks_afterwards() {
        Some(wire.post(genuine, letter::Manner::Whole).await)
    } else {
        None
    };
    Score::new(play, &came, afterwards.as_ref())
}

/// The run takes a while: people see on standard error how far it is.
fn tell(output: Output, number: usize, of: usize, what: &str) {
    if !output.json {
        // With standard error closed there is nobody to tell.
        let _unheard = writeln!(std::io::stderr(), "{number}/{of} {what}");
    }
}
