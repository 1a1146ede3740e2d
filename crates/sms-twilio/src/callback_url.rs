//! The URL for delivery receipts, which names the message: `…?message={account}.{message}`. Twilio signs it
//! with the form.

use communications::{MessageId, OutgoingSms};
use kernel::{AccountId, Id};
use reqwest::Url;

pub(crate) fn of_message(base: &Url, sms: &OutgoingSms) -> Url {
    let mut url = base.clone();
    url.set_query(Some(&format!("message={}.{}", sms.account, sms.message)));
    url
}

/// Parses the value of the parameter `message` of a callback's URL; `None` if it is malformed.
///
/// ```
/// let text = "01a1f6b6-ee63-7000-8000-000000000001.01a1f6b6-ee63-7000-8000-000000000002";
/// let (account, message) = sms_twilio::callback_subject(text).unwrap();
/// assert_eq!(format!("{account}.{message}"), text);
/// assert!(sms_twilio::callback_subject("01a1f6b6-ee63-7000-8000-000000000001").is_none());
/// ```
#[must_use]
pub fn callback_subject(text: &str) -> Option<(AccountId, MessageId)> {
    let (account, message) = text.split_once('.')?;
    Some((Id::parse(account)?, Id::parse(message)?))
}
