//! One thing that goes wrong while clients go on, and how soon all is well again.

use std::time::{Duration, Instant};

use super::ground::Ground;
use super::ledger::Counts;
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
    let told = load.ledger.open();
    let counts = told.counts.since(&before);
    let last = told.trouble.clone().filter(|(at, _)| *at > over);
    let wrong = told.wrong.get(wrong_before..).unwrap_or_default().to_vec();
    let figure = match &last {
        Some((at, _)) => {
            let took = at.duration_since(over);
            format!(
                "{} x 5xx, the last one {took:.1?} after its end",
                counts.failed
            )
        }
        None => format!("{} x 5xx, none after its end", counts.failed),
    };
    let well = last.map(|(at, why)| (at.duration_since(over), why));
    Ok(Row {
        database: ground.kind,
        play,
        what: what.to_owned(),
        requests: Some((counts.answered, counts.again())),
        figure,
        checks: checks(&counts, well, wrong),
    })
}

/// What has to hold of the requests since it began, of which the last one failed so long after its end, and why.
fn checks(counts: &Counts, last: Option<(Duration, String)>, wrong: Vec<String>) -> Vec<Check> {
    let (took, why) = last.unwrap_or_default();
    let without_answer = counts
        .torn
        .saturating_add(counts.cut_off)
        .saturating_add(counts.refused);
    let (torn, cut_off, refused) = (counts.torn, counts.cut_off, counts.refused);
    vec![
        Check::that(
            "all is well within 5 seconds, with no restart",
            took <= RECOVERED_WITHIN,
            format!("after {took:?}: {why}"),
        ),
        Check::that(
            "no request went without an answer meanwhile",
            without_answer == 0,
            format!("{torn} broke off, {cut_off} were cut off, {refused} refused"),
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
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_seconds_are_enough_and_silence_is_no_answer() {
        let counts = Counts {
            answered: 1,
            failed: 9,
            ..Counts::default()
        };
        let broken = |counts: &Counts, seconds: u64| {
            let last = Some((Duration::from_secs(seconds), "503".to_owned()));
            let checks = checks(counts, last, Vec::new());
            checks
                .iter()
                .filter(|check| !check.broken.is_empty())
                .count()
        };
        assert_eq!(broken(&counts, 5), 0);
        assert_eq!(broken(&counts, 6), 1);
        let silent = Counts { torn: 1, ..counts };
        assert_eq!(broken(&silent, 0), 1);
        assert_eq!(broken(&Counts::default(), 0), 1);
    }
}
