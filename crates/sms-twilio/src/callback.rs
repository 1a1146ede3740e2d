//! Callbacks of Twilio: an inbound message, or a delivery receipt.

use communications::MessageState;

/// A callback of Twilio. Parse it only after its signature was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Callback {
    Inbound(InboundSms),
    Receipt(Receipt),
}

/// An inbound message.
#[derive(Clone, PartialEq, Eq)]
pub struct InboundSms {
    /// Twilio's id of the message; the same in each repetition of the callback.
    pub sid: String,
    /// The number that it came from, as Twilio writes it. Short numbers have no country code.
    pub from: String,
    pub text: String,
    /// How many pictures or other files it has. They are not fetched.
    pub media: u32,
    /// Whether Twilio took it for an opt-out (`OptOutType`), which it does by keywords that can be set there.
    pub opts_out: bool,
}

/// The delivery receipt of an outgoing message. Receipts arrive in any order, and more than once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// Twilio's id of the message.
    pub sid: String,
    pub status: ReceiptStatus,
    /// Twilio's error code, such as `30003`: the telephone is out of reach.
    pub error_code: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReceiptStatus {
    /// Twilio has it.
    Queued,
    /// The carrier has it.
    Sent,
    Delivered,
    /// The carrier did not deliver it.
    Undelivered,
    /// Twilio did not send it.
    Failed,
}

/// The form is neither a message nor a receipt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the form is neither a text message nor a receipt: {0}")]
pub struct NotACallback(&'static str);

impl Callback {
    /// Parses the fields of a form. Other fields are ignored; Twilio adds some now and then.
    pub fn parse(fields: &[(&str, &str)]) -> Result<Self, NotACallback> {
        let value = |name: &str| fields.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        let sid = value("MessageSid").or_else(|| value("SmsSid")).unwrap_or_default();
        if !(1..=64).contains(&sid.len()) || !sid.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Err(NotACallback("MessageSid"));
        }
        let sid = sid.to_owned();
        if let Some(status) = value("MessageStatus") {
            let status = ReceiptStatus::parse(status).ok_or(NotACallback("MessageStatus"))?;
            // Some receipts without an error have an empty code or 0.
            let error_code = value("ErrorCode").filter(|code| !matches!(*code, "" | "0"));
            let error_code = error_code.map(|code| kernel::text::one_line(code, 20));
            return Ok(Self::Receipt(Receipt { sid, status, error_code }));
        }
        let from = value("From").filter(|from| !from.trim().is_empty()).ok_or(NotACallback("From"))?;
        let text = value("Body").ok_or(NotACallback("Body"))?;
        Ok(Self::Inbound(InboundSms {
            sid,
            from: from.trim().to_owned(),
            text: text.to_owned(),
            media: value("NumMedia").and_then(|count| count.trim().parse().ok()).unwrap_or(0),
            opts_out: value("OptOutType").is_some_and(|kind| kind.trim().eq_ignore_ascii_case("STOP")),
        }))
    }
}

impl ReceiptStatus {
    /// Parses the status of an outgoing message. Intermediate statuses count as the status before or after
    /// them.
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "accepted" | "scheduled" | "queued" | "sending" => Self::Queued,
            "sent" => Self::Sent,
            "delivered" | "read" => Self::Delivered,
            "undelivered" => Self::Undelivered,
            "failed" | "canceled" => Self::Failed,
            _ => return None,
        })
    }

    /// The new state of the message; `None` if there is none, since Twilio had it before.
    #[must_use]
    pub const fn state(self) -> Option<MessageState> {
        match self {
            Self::Queued => None,
            Self::Sent => Some(MessageState::Sent),
            Self::Delivered => Some(MessageState::Delivered),
            Self::Undelivered | Self::Failed => Some(MessageState::Failed),
        }
    }
}

impl std::fmt::Debug for InboundSms {
    /// Leaves out the text of the message, which must not be logged.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InboundSms").field("sid", &self.sid).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_of_a_receipt_decides_the_state() {
        for (status, read, state) in [
            ("accepted", ReceiptStatus::Queued, None),
            ("queued", ReceiptStatus::Queued, None),
            ("sending", ReceiptStatus::Queued, None),
            ("sent", ReceiptStatus::Sent, Some(MessageState::Sent)),
            ("delivered", ReceiptStatus::Delivered, Some(MessageState::Delivered)),
            ("undelivered", ReceiptStatus::Undelivered, Some(MessageState::Failed)),
            ("failed", ReceiptStatus::Failed, Some(MessageState::Failed)),
        ] {
            let fields = [("MessageStatus", status), ("SmsSid", "SM1"), ("ErrorCode", "30003"), ("New", "x")];
            let error_code = Some("30003".to_owned());
            let receipt = Receipt { sid: "SM1".to_owned(), status: read, error_code };
            assert_eq!(Callback::parse(&fields), Ok(Callback::Receipt(receipt)));
            assert_eq!(read.state(), state);
        }
        for none in ["", "0"] {
            let fields = [("MessageStatus", "sent"), ("MessageSid", "SM1"), ("ErrorCode", none)];
            let Ok(Callback::Receipt(receipt)) = Callback::parse(&fields) else { panic!() };
            assert_eq!(receipt.error_code, None);
        }
    }

    #[test]
    fn message_that_came_in_may_be_empty_and_have_media() {
        let fields = [("MessageSid", "MM1"), ("From", " +61412345678 "), ("Body", ""), ("NumMedia", "2")];
        let Ok(Callback::Inbound(inbound)) = Callback::parse(&fields) else { panic!() };
        assert_eq!((inbound.from.as_str(), inbound.text.as_str(), inbound.media), ("+61412345678", "", 2));
        let fields = [("SmsSid", "SM1"), ("From", "12345"), ("Body", "secret\n"), ("NumMedia", "many")];
        let Ok(Callback::Inbound(inbound)) = Callback::parse(&fields) else { panic!() };
        assert_eq!((inbound.from.as_str(), inbound.text.as_str(), inbound.media), ("12345", "secret\n", 0));
        assert!(!format!("{inbound:?}").contains("secret"));
    }

    #[test]
    fn form_that_is_neither_names_the_field() {
        let refused = |fields: &[(&str, &str)]| Callback::parse(fields).unwrap_err().0;
        assert_eq!(refused(&[]), "MessageSid");
        assert_eq!(refused(&[("MessageSid", "SM 1"), ("From", "+1"), ("Body", "x")]), "MessageSid");
        assert_eq!(refused(&[("MessageSid", "SM1"), ("MessageStatus", "received")]), "MessageStatus");
        assert_eq!(refused(&[("MessageSid", "SM1"), ("From", " "), ("Body", "x")]), "From");
        assert_eq!(refused(&[("MessageSid", "SM1"), ("From", "+1")]), "Body");
    }
}
