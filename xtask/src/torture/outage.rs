//! One thing that goes wrong while clients go on, and how soon all is well again.

use std::time::{Duration, Instant};

use super::ground::Ground;
use super::load::Load;
use super::report::{Check, Row};
use super::wanted::Play;

/// How soon after the end of an outage no request fails any more.
const RECOVERED_WITHIN: Duration = Duration::from_secs(5);

/// Has something go wrong, which ends when `goes_wrong` does, and watches the clients before and after.
pub(super) async fn outage(
    ground: &Ground,
    play: Play,
    load: &Load,
    what: &str,
    goes_wrong: impl Future<Output = anyhow::Result<()>>,
) -> anyhow::Result<Row> {
    let (before, wrong_before) = (load.counts(), load.ledger.open().wrong.len());
    goes_wrong.await?;
    let over = Instant::now();
    // Longer than the recovery may take, so that a later failure is seen as well.
    tokio::time::sleep(
        RECOVERED_WITHIN
            .max(ground.span)
            .saturating_add(Duration::from_secs(1)),
    )
    .await;
    let counts = load.counts().since(&before);
    let trouble = load.ledger.open().trouble.clone();
    let last = trouble.filter(|(at, _)| *at > over);
    let took = last
        .as_ref()
        .map_or(Duration::ZERO, |(at, _)| at.duration_since(over));
    let after = last.as_ref().map_or("", |(_, why)| why);
    let wrong = load
        .ledger
        .open()
        .wrong
        .get(wrong_before..)
        .unwrap_or_default()
        .to_vec();
    let silent = counts
        .torn
        .saturating_add(counts.cut_off)
        .saturating_add(counts.refused);
    Ok(Row {
        database: ground.kind,
        play,
        what: what.to_owned(),
        requests: Some((counts.answered, counts.again())),
        figure: match &last {
            Some(_) => format!(
                "{} x 5xx, the last one {took:.1?} after its end",
                counts.failed
            ),
            None => format!("{} x 5xx, none after its end", counts.failed),
        },
        checks: vec![
            Check::that(
                "all is well within 5 seconds, with no restart",
                took <= RECOVERED_WITHIN,
                format!("after {took:?}: {after}"),
            ),
            Check::that(
                "no request went without an answer meanwhile",
                silent == 0,
                format!(
                    "{} broke off, {} were cut off, {} refused",
                    counts.torn, counts.cut_off, counts.refused
                ),
            ),
            Check::new(
                "every 5xx has the standard body, and nothing else is wrong",
                1,
                wrong,
            ),
            Check::that(
                "requests are answered again",
                counts.answered > 0,
                "not one was".to_owned(),
            ),
        ],
    })
}
