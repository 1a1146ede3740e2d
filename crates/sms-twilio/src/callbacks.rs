//! The port for callbacks of Twilio.

use std::fmt;

use communications::{CallbackRefused, SmsCallback, SmsCallbacks, SmsReceipt};
use reqwest::Url;

use crate::callback::Callback;
use crate::callback_signature::is_signed;
use crate::callback_url::callback_subject;
use crate::response::OPTED_OUT;

/// Checks and parses callbacks of Twilio.
pub struct TwilioCallbacks {
    auth_token: String,
}

impl TwilioCallbacks {
    /// `auth_token` is the token of the account at Twilio, with which callbacks are signed.
    #[must_use]
    pub const fn new(auth_token: String) -> Self {
        Self { auth_token }
    }
}

impl SmsCallbacks for TwilioCallbacks {
    fn read(
        &self,
        url: &str,
        fields: &[(&str, &str)],
        signature: &str,
    ) -> Result<SmsCallback, CallbackRefused> {
        if !is_signed(&self.auth_token, url, fields, signature) {
            return Err(CallbackRefused::NotSigned);
        }
        let receipt = match Callback::parse(fields).map_err(|_neither| CallbackRefused::Unreadable)? {
            Callback::Inbound(inbound) => {
                return Ok(SmsCallback::Inbound {
                    from: inbound.from,
                    text: inbound.text,
                    attachments: inbound.media,
                    opts_out: inbound.opts_out,
                    provider_id: inbound.sid,
                });
            }
            Callback::Receipt(receipt) => receipt,
        };
        let url = Url::parse(url).map_err(|_malformed| CallbackRefused::Unreadable)?;
        let subject = url.query_pairs().find(|(name, _)| name == "message");
        let subject = subject.and_then(|(_, value)| callback_subject(&value));
        let (Some((account, message)), Some(state)) = (subject, receipt.status.state()) else {
            return Ok(SmsCallback::Nothing);
        };
        let opted_out = receipt.error_code.as_deref() == Some(&*OPTED_OUT.to_string());
        let detail = receipt.error_code.map(|code| format!("Twilio's error {code}"));
        let provider_id = receipt.sid;
        Ok(SmsCallback::Receipt(SmsReceipt { account, message, provider_id, state, detail, opted_out }))
    }
}

impl fmt::Debug for TwilioCallbacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TwilioCallbacks").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use communications::MessageState;

    use super::*;
    use crate::callback_signature::signature;

    const URL: &str = "https://books.example.com/inbound/twilio/sms";

    fn read(url: &str, fields: &[(&str, &str)]) -> Result<SmsCallback, CallbackRefused> {
        TwilioCallbacks::new("s3cret".to_owned()).read(url, fields, &signature("s3cret", url, fields))
    }

    #[test]
    fn unsigned_call_is_refused_before_it_is_read() {
        let callbacks = TwilioCallbacks::new("s3cret".to_owned());
        assert_eq!(callbacks.read(URL, &[], ""), Err(CallbackRefused::NotSigned));
        assert_eq!(read(URL, &[]), Err(CallbackRefused::Unreadable));
    }

    #[test]
    fn pictures_of_an_inbound_message_are_counted() {
        let fields = [("MessageSid", "MM1"), ("From", "+61412345678"), ("Body", ""), ("NumMedia", "2")];
        let expected = SmsCallback::Inbound {
            from: "+61412345678".to_owned(),
            text: String::new(),
            attachments: 2,
            opts_out: false,
            provider_id: "MM1".to_owned(),
        };
        assert_eq!(read(URL, &fields), Ok(expected));
    }

    #[test]
    fn opt_out_that_twilio_recognizes_is_passed_on() {
        for (kind, expected) in [("STOP", true), ("START", false), ("HELP", false), ("", false)] {
            let from = ("From", "+61412345678");
            let fields = [("MessageSid", "SM1"), from, ("Body", "Stopp"), ("OptOutType", kind)];
            let Ok(SmsCallback::Inbound { opts_out, .. }) = read(URL, &fields) else { panic!() };
            assert_eq!(opts_out, expected, "{kind}");
        }
        let ids = "01a1f6b6-ee63-7000-8000-000000000001.01a1f6b6-ee63-7000-8000-000000000002";
        for (code, expected) in [("21610", true), ("30003", false)] {
            let fields = [("MessageSid", "SM1"), ("MessageStatus", "failed"), ("ErrorCode", code)];
            let Ok(SmsCallback::Receipt(receipt)) = read(&format!("{URL}?message={ids}"), &fields) else {
                panic!()
            };
            assert_eq!(receipt.opted_out, expected, "{code}");
        }
    }

    #[test]
    fn receipt_names_its_message_and_one_without_news_says_nothing() {
        let ids = ["01a1f6b6-ee63-7000-8000-000000000001", "01a1f6b6-ee63-7000-8000-000000000002"];
        let url = format!("{URL}?message={}.{}", ids[0], ids[1]);
        let fields = [("MessageSid", "SM1"), ("MessageStatus", "undelivered"), ("ErrorCode", "30003")];
        let Ok(SmsCallback::Receipt(receipt)) = read(&url, &fields) else { panic!() };
        assert_eq!((receipt.state, receipt.provider_id.as_str()), (MessageState::Failed, "SM1"));
        assert_eq!(receipt.detail.as_deref(), Some("Twilio's error 30003"));
        assert_eq!([receipt.account.to_string(), receipt.message.to_string()], ids);
        assert_eq!(read(URL, &fields), Ok(SmsCallback::Nothing));
        let queued = [("MessageSid", "SM1"), ("MessageStatus", "queued")];
        assert_eq!(read(&url, &queued), Ok(SmsCallback::Nothing));
    }
}
