//! Twilio's response, and whether the message is sent.

use communications::SmsError;
use https_client::{CallError, Response};
use kernel::error_chain;
use reqwest::StatusCode;
use serde::Deserialize;

/// Twilio's code for a number that opted out: it sends no message there.
pub(crate) const OPTED_OUT: u32 = 21610;
/// Twilio's codes for a sender that it does not know, or that cannot send text messages: the general ones,
/// and those that it returns in their place since 2024.
const NO_SENDER: [u32; 6] = [21212, 21603, 21606, 21659, 21660, 21661];
/// How much of Twilio's error message is passed on, in characters.
const MAX_MESSAGE_LENGTH: usize = 400;

/// Any response; each has some of the fields.
#[derive(Deserialize, Default)]
#[serde(default)]
struct TwilioResponseBody {
    sid: Option<String>,
    code: Option<u32>,
    message: Option<String>,
}

/// The outcome of a call. `token` is removed from Twilio's error message.
pub(crate) fn outcome(called: Result<Response, CallError>, token: &str) -> Result<Option<String>, SmsError> {
    match called {
        Ok(response) => read(response.status, &response.body, token),
        Err(error) => match error.status() {
            // The status tells what became of the message, even if the rest of the response failed.
            Some(status) => read(status, &[], token),
            None => Err(unanswered(&error)),
        },
    }
}

fn unanswered(error: &CallError) -> SmsError {
    let text = format!("no answer from Twilio: {}", error_chain(error));
    match error {
        CallError::NotSent(_) => SmsError::NotAccepted(text),
        _ => SmsError::Unknown(text),
    }
}

fn read(status: StatusCode, body: &[u8], token: &str) -> Result<Option<String>, SmsError> {
    let reply: TwilioResponseBody = serde_json::from_slice(body).unwrap_or_default();
    if status.is_success() {
        let sid = reply.sid.filter(|sid| is_sid(sid));
        if status == StatusCode::CREATED || sid.is_some() {
            return Ok(sid);
        }
        // Twilio documents no such response: a system in between may have sent it.
        return Err(SmsError::Unknown(format!("Twilio answered {} without a message", status.as_u16())));
    }
    let text = said(status, &reply, token);
    Err(match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => SmsError::NotAccepted(format!(
            "{text}; check COUNTINGHOUSE_TWILIO_ACCOUNT_SID, COUNTINGHOUSE_TWILIO_AUTH_TOKEN and \
             COUNTINGHOUSE_TWILIO_FROM"
        )),
        StatusCode::NOT_FOUND => SmsError::NotAccepted(format!(
            "{text}; check COUNTINGHOUSE_TWILIO_ACCOUNT_SID and COUNTINGHOUSE_TWILIO_URL"
        )),
        StatusCode::TOO_MANY_REQUESTS => SmsError::NotAccepted(text),
        status if status.is_client_error() && reply.code == Some(OPTED_OUT) => SmsError::OptedOut(text),
        // Every message is refused until the operator corrects the setting.
        status if status.is_client_error() && reply.code.is_some_and(|code| NO_SENDER.contains(&code)) => {
            SmsError::NotAccepted(format!("{text}; check COUNTINGHOUSE_TWILIO_FROM"))
        }
        // Without a code the refusal is not Twilio's.
        status if status.is_client_error() && reply.code.is_some() => SmsError::Refused(text),
        _ => SmsError::NotAccepted(text),
    })
}

fn said(status: StatusCode, reply: &TwilioResponseBody, token: &str) -> String {
    let mut text = format!("Twilio answered {}", status.as_u16());
    if let Some(message) = &reply.message {
        let message = message.replace(token, "[token]");
        text.push_str(&format!(": {}", kernel::text::one_line(&message, MAX_MESSAGE_LENGTH)));
    }
    if let Some(code) = reply.code {
        text.push_str(&format!(" (code {code})"));
    }
    text
}

fn is_sid(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
