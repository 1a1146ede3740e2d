//! The forms in which settings are written: lengths of time, secrets.

use std::fmt;
use std::time::Duration;

use serde::Deserialize;

/// A length of time: a whole number and `ms`, `s`, `m`, `h` or `d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Wait(pub Duration);

/// Several lengths of time, parted by commas.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Waits(pub Vec<Duration>);

/// Text that no log line shows.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

/// The text is no length of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("write a whole number above 0 and its unit, such as 500ms, 15s, 5m, 2h or 1d")]
pub struct NotAWait;

fn parse_wait(text: &str) -> Result<Duration, NotAWait> {
    let text = text.trim();
    let unit_at = text.find(|c: char| !c.is_ascii_digit()).ok_or(NotAWait)?;
    let (number, unit) = text.split_at_checked(unit_at).ok_or(NotAWait)?;
    let number: u64 = number.parse().map_err(|_not_a_number| NotAWait)?;
    let milliseconds = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err(NotAWait),
    };
    let wait = number.checked_mul(milliseconds).ok_or(NotAWait)?;
    if wait == 0 {
        Err(NotAWait)
    } else {
        Ok(Duration::from_millis(wait))
    }
}

impl TryFrom<String> for Wait {
    type Error = NotAWait;

    fn try_from(text: String) -> Result<Self, NotAWait> {
        parse_wait(&text).map(Self)
    }
}

impl TryFrom<String> for Waits {
    type Error = NotAWait;

    fn try_from(text: String) -> Result<Self, NotAWait> {
        text.split(',')
            .map(parse_wait)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl Secret {
    /// Takes text as a secret.
    #[must_use]
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// The text in the clear.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn waits_have_a_unit() {
        assert_eq!(parse_wait(" 15s "), Ok(Duration::from_secs(15)));
        assert_eq!(parse_wait("12h"), Ok(Duration::from_secs(43_200)));
        for bad in [
            "",
            "15",
            "s",
            "0s",
            "-1s",
            "1.5s",
            "1 s",
            "1w",
            "99999999999999999d",
        ] {
            assert_eq!(parse_wait(bad), Err(NotAWait), "{bad}");
        }
        let waits = Waits::try_from("5m,30m".to_owned()).unwrap();
        assert_eq!(
            waits.0,
            [Duration::from_secs(300), Duration::from_secs(1_800)]
        );
    }

    proptest! {
        #[test]
        fn whatever_is_read_as_a_wait_is_some_time(text in "[0-9]{0,22}(ms|s|m|h|d|w)?|\\PC{0,20}|[0-9smhd, .-]{0,30}") {
            if let Ok(wait) = parse_wait(&text) {
                prop_assert!(!wait.is_zero());
                let again = format!("{}ms", wait.as_millis());
                prop_assert_eq!(parse_wait(&again), Ok(wait));
            }
            if let Ok(waits) = Waits::try_from(text) {
                prop_assert!(!waits.0.is_empty());
            }
        }
    }
}
