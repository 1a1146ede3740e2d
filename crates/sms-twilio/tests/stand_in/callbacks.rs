//! Callbacks of Twilio: forms, signed as its documentation says.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;

use super::{ACCOUNT_SID, AUTH_TOKEN, FROM, Taken};

/// A form, the URL that it is sent to, and its `X-Twilio-Signature`.
pub(crate) struct SignedForm {
    pub(crate) url: String,
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) signature: String,
}

impl SignedForm {
    pub(crate) fn receipt(message: &Taken, status: &str, error_code: Option<&str>) -> Self {
        let mut fields = vec![
            ("SmsSid", message.sid.as_str()),
            ("SmsStatus", status),
            ("MessageStatus", status),
            ("To", &message.to),
            ("MessageSid", &message.sid),
            ("AccountSid", ACCOUNT_SID),
            ("From", &message.from),
            ("ApiVersion", "2010-04-01"),
        ];
        fields.extend(error_code.map(|code| ("ErrorCode", code)));
        Self::signed(&message.status_callback, &fields)
    }

    pub(crate) fn inbound(url: &str, sid: &str, from: &str, body: &str) -> Self {
        let fields = [
            ("ToCountry", "US"),
            ("ToState", "CA"),
            ("SmsMessageSid", sid),
            ("NumMedia", "0"),
            ("ToCity", "SAN FRANCISCO"),
            ("FromZip", ""),
            ("SmsSid", sid),
            ("FromState", ""),
            ("SmsStatus", "received"),
            ("FromCity", ""),
            ("Body", body),
            ("FromCountry", "AU"),
            ("To", FROM),
            ("ToZip", "94105"),
            ("NumSegments", "1"),
            ("MessageSid", sid),
            ("AccountSid", ACCOUNT_SID),
            ("From", from),
            ("ApiVersion", "2010-04-01"),
        ];
        Self::signed(url, &fields)
    }

    fn signed(url: &str, fields: &[(&str, &str)]) -> Self {
        let mut sorted = fields.to_vec();
        sorted.sort_unstable();
        let text: String =
            std::iter::once(url).chain(sorted.iter().flat_map(|(name, value)| [*name, *value])).collect();
        let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, AUTH_TOKEN.as_bytes());
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Self {
            url: url.to_owned(),
            fields: fields.collect(),
            signature: STANDARD.encode(hmac::sign(&key, text.as_bytes())),
        }
    }

    /// The fields as a receiver has them.
    pub(crate) fn pairs(&self) -> Vec<(&str, &str)> {
        self.fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }
}
