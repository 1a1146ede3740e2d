//! Text messages through Twilio.
//!
//! Twilio signs what it calls back: [`is_signed`] says whether a request is from the owner of the token.
//!
//! ```
//! use sms_twilio::{is_signed, signature};
//!
//! let url = "https://books.example.com/inbound/twilio/sms";
//! let fields = [("From", "+14155550100"), ("Body", "STOP")];
//! let header = signature("token", url, &fields);
//! assert!(is_signed("token", url, &fields, &header));
//! assert!(!is_signed("token", url, &[("From", "+14155550100"), ("Body", "START")], &header));
//! ```

mod callback_signature;

pub use callback_signature::{is_signed, signature};
