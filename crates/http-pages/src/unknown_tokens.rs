//! Tokens that lead to nothing, counted by the address that they came from.

use std::net::IpAddr;

use access::RollingWindows;
use http_server::{ApiError, ErrorCode};
use time::{Duration, OffsetDateTime};

/// How many unknown tokens an address may send within [`WINDOW`].
const MOST: u32 = 30;
const WINDOW: Duration = Duration::minutes(10);

/// How many addresses are remembered: about 20 MiB at the most. Unknown tokens of any more are refused as too
/// many, which harms no payer.
const MOST_ADDRESSES: usize = 32_768;

/// Counts the unknown tokens of each address, in the memory of this process.
///
/// A token that leads to an invoice is never refused: an address can be that of many payers, and a token has
/// 256 random bits.
#[derive(Debug)]
pub struct UnknownTokens(RollingWindows<IpAddr>);

impl Default for UnknownTokens {
    fn default() -> Self {
        Self(RollingWindows::of(WINDOW, MOST_ADDRESSES))
    }
}

impl UnknownTokens {
    /// The error of one more unknown token: not found, or too many attempts.
    pub(crate) fn error(&self, address: IpAddr, now: OffsetDateTime) -> ApiError {
        let decision = self.0.count(address, MOST, now);
        if decision.allowed {
            ApiError::new(ErrorCode::NotFound, "there is no invoice at this address")
        } else {
            ApiError::too_many_attempts(decision.retry_after(now))
        }
    }
}

#[cfg(test)]
mod tests {
    use actix_web::ResponseError as _;
    use time::macros::datetime;

    use super::*;

    #[test]
    fn thirty_unknown_tokens_of_an_address_are_not_found_and_the_next_waits() {
        let (tokens, now) = (UnknownTokens::default(), datetime!(2026-11-20 02:00 UTC));
        let [one, other] = ["192.0.2.1", "192.0.2.2"].map(|text| text.parse::<IpAddr>().unwrap());
        let status = |address, now| tokens.error(address, now).status_code().as_u16();
        for second in 0..30 {
            assert_eq!(status(one, now + Duration::seconds(second)), 404);
        }
        let refused = tokens.error(one, now + Duration::minutes(9)).error_response();
        let retry_after = refused.headers().get("retry-after").unwrap();
        assert_eq!((refused.status().as_u16(), retry_after.to_str().unwrap()), (429, "60"));
        assert_eq!(status(other, now + Duration::minutes(9)), 404);
        assert_eq!(status(one, now + Duration::minutes(10)), 404);
        assert_eq!(status(one, now + Duration::minutes(10)), 429);
    }
}
