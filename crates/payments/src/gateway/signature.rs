//! Signatures of events that contain a time: `t=1795140546,v1=<hex of HMAC-SHA256 over "t.body">`.

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use ring::hmac;
use time::{Duration, OffsetDateTime};

use super::access::GatewaySecret;
use super::event::EventRefused;

/// The signature scheme of Stripe and the sandbox.
#[derive(Debug, Clone, Copy)]
pub struct TimedSignature;

impl TimedSignature {
    /// The largest difference between the time of a signature and now, before or after.
    pub const TOLERANCE: Duration = Duration::seconds(300);

    /// Signs a body.
    #[must_use]
    pub fn sign(secret: &GatewaySecret, body: &[u8], at: OffsetDateTime) -> String {
        let time = at.unix_timestamp().to_string();
        let tag = hmac::sign(&key(secret), &signed(&time, body));
        format!("t={time},v1={}", HEXLOWER.encode(tag.as_ref()))
    }

    /// Verifies a signature over the raw body, in constant time. There may be several `v1`; one that matches
    /// one of the secrets suffices. Other schemes are ignored.
    ///
    /// # Errors
    /// [`EventRefused::WrongSignature`].
    pub fn verify(
        header: &str,
        body: &[u8],
        secrets: &[GatewaySecret],
        now: OffsetDateTime,
    ) -> Result<(), EventRefused> {
        let parts = || header.split(',').filter_map(|part| part.trim().split_once('='));
        let time = parts().find_map(|(name, value)| (name == "t").then_some(value));
        let time = time.ok_or(EventRefused::WrongSignature)?;
        let seconds: i64 = time.parse().map_err(|_not_a_time| EventRefused::WrongSignature)?;
        let apart = now.unix_timestamp().saturating_sub(seconds).unsigned_abs();
        if apart > Self::TOLERANCE.whole_seconds().unsigned_abs() {
            return Err(EventRefused::WrongSignature);
        }
        let text = signed(time, body);
        let fits = parts()
            .filter(|(name, _)| *name == "v1")
            .filter_map(|(_, value)| HEXLOWER_PERMISSIVE.decode(value.as_bytes()).ok())
            .any(|tag| secrets.iter().any(|secret| hmac::verify(&key(secret), &text, &tag).is_ok()));
        if fits { Ok(()) } else { Err(EventRefused::WrongSignature) }
    }
}

fn key(secret: &GatewaySecret) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, secret.reveal().as_bytes())
}

fn signed(time: &str, body: &[u8]) -> Vec<u8> {
    [time.as_bytes(), b".", body].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use time::macros::datetime;

    const NOW: OffsetDateTime = datetime!(2026-11-20 02:09:06 UTC);

    fn secret(text: &str) -> GatewaySecret {
        GatewaySecret::parse(text).unwrap()
    }

    #[test]
    fn signature_of_body_time_and_secret_alone_is_taken() {
        let (ours, other) = ([secret("whsec_ours1")], secret("whsec_other"));
        let both = [other.clone(), secret("whsec_ours1")];
        let header = TimedSignature::sign(&ours[0], b"{}", NOW);
        let verify = |header: &str, body: &[u8], secrets: &[GatewaySecret], now| {
            TimedSignature::verify(header, body, secrets, now).is_ok()
        };
        assert!(verify(&header, b"{}", &ours, NOW));
        assert!(verify(&header, b"{}", &both, NOW + Duration::seconds(300)));
        assert!(verify(&format!("v0=00,v1=00,{header}"), b"{}", &ours, NOW));
        for (header, body, secrets, now) in [
            (header.as_str(), &b"{ }"[..], &ours[..], NOW),
            (&header, b"{}", &[other], NOW),
            (&header, b"{}", &[], NOW),
            (&header, b"{}", &ours, NOW + Duration::seconds(301)),
            (&header, b"{}", &ours, NOW - Duration::seconds(301)),
            (&header.replace("t=", "t=1"), b"{}", &ours, NOW),
            (header.split_once(',').unwrap().1, b"{}", &ours, NOW),
            ("", b"{}", &ours, NOW),
        ] {
            assert!(!verify(header, body, secrets, now), "{header}");
        }
    }

    proptest! {
        #[test]
        fn no_header_makes_it_panic(header in "\\PC{0,40}|(t=[0-9]{1,30},)?(v1=[0-9a-zé]{0,70},?){0,3}") {
            let _ = TimedSignature::verify(&header, b"body", &[secret("whsec_ours1")], NOW);
        }
    }
}
