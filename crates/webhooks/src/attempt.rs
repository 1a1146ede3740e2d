//! One attempt at a delivery: open the secret, sign, post, judge.

use std::sync::Arc;
use std::time::Duration;

use kernel::text::one_line;
use kernel::{Clock, HttpsUrl, SealingKeys};

use crate::delivery::{Attempt, LeasedDelivery, Settled, Verdict};
use crate::lanes::Pace;
use crate::ports::{Response, SendError, Sender};
use crate::schedule::Schedule;
use crate::secret::SigningSecret;
use crate::signature::sign;

/// How long a delivery rests whose secret cannot be opened here.
const WITHOUT_KEY: time::Duration = time::Duration::MINUTE;

/// What attempts are made with.
#[derive(Clone)]
pub struct Means {
    /// The way to the receivers.
    pub sender: Arc<dyn Sender>,
    /// What secrets are sealed under.
    pub keys: Arc<SealingKeys>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// When attempts are made, and how long one may take.
    pub schedule: Schedule,
}

impl Means {
    /// Makes the attempt that a lease is for. No transaction is open meanwhile. What comes of it is to be recorded, and its pace told to
    /// the lane.
    ///
    /// A secret that this process cannot open costs no attempt: its master key is not the database's any more, and another process, or this
    /// one after a restart, will deliver. Until then it is looked at once a minute.
    pub async fn attempt(&self, leased: &LeasedDelivery) -> (Settled, Pace) {
        let began_at = self.clock.now();
        let opened = leased
            .secret
            .open(&self.keys, leased.lease.account, leased.endpoint);
        let Ok(secret) = opened else {
            let untried = Settled {
                lease: leased.lease,
                attempt: None,
                verdict: Verdict::Untried(began_at.saturating_add(WITHOUT_KEY)),
            };
            return (untried, Pace::Failed);
        };
        let answered = self.send(leased, &secret).await;
        let ended_at = self.clock.now();
        let number = leased.lease.attempt;
        let failed = || match self.schedule.next_attempt(number, ended_at) {
            Some(next) => Verdict::Retry(next),
            None => Verdict::Abandoned(ended_at),
        };
        let pace = pace_of(&answered);
        let (response, error, verdict) = match answered {
            Ok(answer) if is_success(&answer) => (Some(answer), None, Verdict::Succeeded(ended_at)),
            Ok(answer) => (Some(answer), None, failed()),
            Err(error) => (
                None,
                Some(one_line(&error.to_string(), Attempt::LONGEST_ERROR)),
                failed(),
            ),
        };
        let attempt = Attempt {
            number,
            at: began_at,
            response_status: response.as_ref().map(|answer| answer.status),
            response_body: response.map(|answer| body_text(&answer.body)),
            error,
        };
        let settled = Settled {
            lease: leased.lease,
            attempt: Some(attempt),
            verdict,
        };
        (settled, pace)
    }

    async fn send(
        &self,
        leased: &LeasedDelivery,
        secret: &SigningSecret,
    ) -> Result<Response, SendError> {
        let failed = |what: &dyn std::fmt::Display| SendError::Failed(what.to_string());
        let url = HttpsUrl::parse(&leased.url)
            .map_err(|fault| failed(&format_args!("the endpoint's address {fault}")))?;
        let signature = sign(secret, leased.body.as_bytes());
        let limit = self.schedule.attempt_limit();
        let limit = Duration::try_from(limit).unwrap_or(Duration::ZERO);
        self.sender
            .send(&url, &leased.body, &signature, limit)
            .await
    }
}

/// Any 2xx answer is a success, and nothing else is (contract, "Success, retries and ordering", 1).
fn is_success(answer: &Response) -> bool {
    (200..300).contains(&answer.status)
}

fn pace_of(answered: &Result<Response, SendError>) -> Pace {
    match answered {
        Ok(answer) if is_success(answer) => Pace::Succeeded,
        Err(SendError::TimedOut(_)) => Pace::TimedOut,
        Ok(_) | Err(SendError::Failed(_)) => Pace::Failed,
    }
}

/// An answer's body as text that every database takes: no byte that is not UTF-8, no NUL, at most [`Attempt::LONGEST_BODY`] bytes.
fn body_text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace('\0', "\u{fffd}");
    let end = text.floor_char_boundary(Attempt::LONGEST_BODY);
    text.get(..end).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_cut_between_characters_and_holds_no_nul() {
        let text = body_text(&[b"a".as_slice(), "ä".repeat(2_000).as_bytes()].concat());
        assert_eq!(text.len(), 2_047);
        assert!(text.ends_with('ä'));
        assert_eq!(body_text(b"a\0b\xff"), "a\u{fffd}b\u{fffd}");
        let longer_when_mended = body_text(&[0xff; 2_048]);
        assert!(longer_when_mended.len() <= Attempt::LONGEST_BODY);
    }
}
