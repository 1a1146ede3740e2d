//! Limits how many unknown tokens a client address may send.

use std::net::IpAddr;
use std::sync::Arc;

use access::{AttemptLimiter, AttemptWindow};
use http_server::{ApiError, ErrorCode};
use time::{Duration, OffsetDateTime};

/// How many unknown tokens an address may send within [`UnknownTokens::WINDOW`].
const MAX_TOKENS: u32 = 30;

/// What is said of an unknown token, which is of any kind of link: to an invoice, an invitation, a new
/// password, the undoing of a change, the end of reminders.
const UNKNOWN: &str =
    "there is no page at this address: check that the link is complete, or ask its sender for a new one";

/// Counts the unknown tokens of each address.
///
/// A token that leads to an invoice is never refused: many payers may share an address, and a token has 256
/// random bits.
#[derive(Clone)]
pub struct UnknownTokens(pub Arc<dyn AttemptLimiter>);

impl UnknownTokens {
    /// The window in which unknown tokens are counted. Its addresses take at most about 20 MiB; a further one
    /// takes the place of others.
    pub const WINDOW: AttemptWindow =
        AttemptWindow { name: "unknown-tokens", length: Duration::minutes(10), most_subjects: 32_768 };

    /// Counts an unknown token, and returns its error: not found, or too many attempts.
    pub(crate) async fn error(&self, address: IpAddr, now: OffsetDateTime) -> ApiError {
        let decision = self.0.attempt(&address.to_string(), MAX_TOKENS, now).await;
        if decision.allowed {
            ApiError::new(ErrorCode::NotFound, UNKNOWN)
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

    #[tokio::test]
    async fn unknown_token_is_not_said_to_be_of_an_invoice() {
        let tokens = UnknownTokens(Arc::new(UnknownTokens::WINDOW.in_memory()));
        let now = datetime!(2026-11-20 02:00:00 UTC);
        let response = tokens.error("192.0.2.1".parse().unwrap(), now).await.error_response();
        let body = actix_web::body::to_bytes(response.into_body()).await.unwrap();
        let body = String::from_utf8(body.to_vec()).unwrap();
        assert!(body.contains("the link is complete") && !body.contains("invoice"), "{body}");
    }

    #[tokio::test]
    async fn thirty_unknown_tokens_of_an_address_are_not_found_and_the_next_waits() {
        let tokens = UnknownTokens(Arc::new(UnknownTokens::WINDOW.in_memory()));
        let now = datetime!(2026-11-20 02:00:00 UTC);
        let [one, other] = ["192.0.2.1", "192.0.2.2"].map(|text| text.parse::<IpAddr>().unwrap());
        let status = async |address, now| tokens.error(address, now).await.status_code().as_u16();
        for second in 0..30 {
            assert_eq!(status(one, now + Duration::seconds(second)).await, 404);
        }
        let refused = tokens.error(one, now + Duration::minutes(9)).await.error_response();
        let retry_after = refused.headers().get("retry-after").unwrap();
        assert_eq!((refused.status().as_u16(), retry_after.to_str().unwrap()), (429, "60"));
        assert_eq!(status(other, now + Duration::minutes(9)).await, 404);
        assert_eq!(status(one, now + Duration::minutes(10)).await, 404);
        assert_eq!(status(one, now + Duration::minutes(10)).await, 429);
    }
}
