//! Headers that lettre does not have.

use lettre::message::header::{Header, HeaderName, HeaderValue};
use url::Url;

type ParseError = Box<dyn std::error::Error + Send + Sync>;

/// Says that no person wrote the mail, so that no automatic reply is sent (RFC 3834, section 5).
#[derive(Debug, Clone, Copy)]
pub(crate) struct AutoSubmitted;

/// Where the reader unsubscribes (RFC 2369, section 3.2).
#[derive(Debug, Clone)]
pub(crate) struct ListUnsubscribe(String);

/// Says that a POST to the address in `List-Unsubscribe` is enough (RFC 8058, section 3.1).
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListUnsubscribePost;

impl ListUnsubscribe {
    /// The longest URL: it cannot be folded, and a line has at most 998 characters (RFC 5322, section 2.1.1).
    const MAX_LENGTH: usize = 900;

    /// `None` for a URL that is not https or http, is too long, or has characters that must be encoded.
    pub(crate) fn at(url: &str) -> Option<Self> {
        let is_plain = url.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'<' | b'>'));
        let is_web = Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "https" | "http"));
        (is_plain && is_web && url.len() <= Self::MAX_LENGTH).then(|| Self(format!("<{url}>")))
    }
}

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_text: &str) -> Result<Self, ParseError> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

/// Marks mail that this service sent: an inbound mail with it is in a loop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LoopMark;

impl Header for LoopMark {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("X-Countinghouse-Loop")
    }

    fn parse(_text: &str) -> Result<Self, ParseError> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "1".to_owned())
    }
}

impl Header for ListUnsubscribe {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("List-Unsubscribe")
    }

    fn parse(text: &str) -> Result<Self, ParseError> {
        Ok(Self(text.to_owned()))
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), self.0.clone())
    }
}

impl Header for ListUnsubscribePost {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("List-Unsubscribe-Post")
    }

    fn parse(_text: &str) -> Result<Self, ParseError> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "List-Unsubscribe=One-Click".to_owned())
    }
}
