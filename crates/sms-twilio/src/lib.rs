//! Text messages through Twilio's REST API.
//!
//! [`TwilioSms`] sends them: one call for each, with 15 seconds in total, without redirects and proxies, on a
//! connection of its own. Twilio has no idempotency keys, so a call that was sent but got no response ends
//! with [`SmsError::Unknown`](communications::SmsError::Unknown) and is not repeated.
//!
//! Twilio sends callbacks: delivery receipts, to a URL that names the message ([`callback_subject`]), and
//! inbound messages. It signs them: [`is_signed`] tells whether a request is from the owner of the token,
//! [`Callback`] parses it. The signature covers the URL that Twilio was given and every field of the form.
//!
//! ```
//! use communications::SmsSender;
//! use sms_twilio::{Callback, TwilioSettings, TwilioSms, is_signed, signature};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let url = "https://books.example.com/inbound/twilio/sms";
//! let settings = TwilioSettings::new("AC0123", "s3cret", "+14155550123", url);
//! assert!(!format!("{settings:?}").contains("s3cret"));
//! let sms: Box<dyn SmsSender> = Box::new(TwilioSms::new(settings)?);
//! assert_eq!(sms.from(), "+14155550123");
//!
//! let fields = [("MessageSid", "SM0123"), ("From", "+14155550100"), ("Body", "STOP")];
//! let header = signature("s3cret", url, &fields);
//! assert!(is_signed("s3cret", url, &fields, &header));
//! assert!(!is_signed("s3cret", url, &[("From", "+14155550100"), ("Body", "START")], &header));
//! let Callback::Inbound(inbound) = Callback::parse(&fields)? else { unreachable!() };
//! assert_eq!((inbound.from.as_str(), inbound.text.as_str()), ("+14155550100", "STOP"));
//! # Ok(())
//! # }
//! ```

mod callback;
mod callback_signature;
mod callback_url;
mod callbacks;
mod response;
pub mod settings;
mod sms;

pub use callback::{Callback, InboundSms, NotACallback, Receipt, ReceiptStatus};
pub use callback_signature::{is_signed, signature};
pub use callback_url::callback_subject;
pub use callbacks::TwilioCallbacks;
pub use https_client::UrlFault;
pub use settings::{SettingsFault, TwilioSettings};
pub use sms::TwilioSms;
