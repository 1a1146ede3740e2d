//! Communications with customers: what the service sends them, what they reply, and how it understands the
//! replies.
//!
//! A [`Message`] is one inbound or outgoing e-mail, text message or call. What a contact allows is stored in
//! two places. [`ContactPreferences`] has the consents of one contact; every transaction that decides or
//! changes whether the contact may be written to locks its row. An [`AddressHold`] closes one address or
//! number, after an opt-out or because mail to it bounced.
//!
//! Reminders are functions of facts and an instant: [`plan`] decides what happens now, [`forecast`] what will
//! happen, and [`permit`] whether one reminder may be sent. Every function that sends a reminder requires a
//! [`Permit`].
//!
//! ```
//! use communications::{Address, Channel, ReplyToken};
//! use kernel::{AccountId, Id, SystemIds, SystemRandom};
//!
//! let account: AccountId = Id::new(&SystemIds::default(), time::OffsetDateTime::UNIX_EPOCH);
//! let token = ReplyToken::generate(account, &SystemRandom::default());
//! let address = format!("reply+{token}@in.example.com");
//! assert_eq!(ReplyToken::in_address(&address.to_uppercase()), Some(token));
//!
//! let phone = Address::parse(Channel::Sms, "+61 (0)412 345-678").unwrap();
//! assert_eq!(phone.as_str(), "+61412345678");
//! ```
//!
//! What a customer writes is classified by rules. Where they are unsure, a [`LanguageModel`] may be asked;
//! its answer counts only if it quotes the message.
//!
//! ```
//! use communications::{MessageType, classify};
//! use time::macros::date;
//!
//! let understood = classify("I will pay on Friday", date!(2026 - 12 - 01));
//! assert_eq!(understood.message_type, MessageType::Promise);
//! assert_eq!(understood.date, Some(date!(2026 - 12 - 04)));
//! ```

#![warn(missing_docs)]

pub mod address;
pub mod address_hold;
mod answers;
mod attempted;
mod change_message;
mod classify;
pub mod contact_clock;
pub mod contact_mailer;
pub mod conversations;
pub mod country;
mod erase;
mod erased_response;
pub mod inbound;
pub mod language_model;
pub mod mail_recorder;
pub mod message;
mod opt_out;
pub mod ports;
pub mod preferences;
mod promised_invoice;
pub mod reminders;
pub mod reply_token;
pub mod sms_callbacks;
pub mod sms_sender;
pub mod sms_text;
pub mod understood;
pub mod unread;
mod waiting_mail;

pub use address::{Address, NotAnAddress};
pub use address_hold::{AddressHold, AddressHoldId, CloseReason};
pub use answers::payload::AnswerTask;
pub use answers::service::{AnswerError, AnswerService, AnswerText};
pub use answers::worker::AnswerWorker;
pub use classification::{Classification, MessageType};
pub use classify::classify;
pub use contact_clock::ContactClock;
pub use contact_mailer::{ContactMail, ContactMailer, MailCopies, MailCopy};
pub use conversations::{ConversationError, ConversationService, Corrected, NewConsent};
pub use country::Country;
pub use escalations::Channel;
pub use inbound::handle::HandleError;
pub use inbound::inbox::{
    InboundMonitor, Inbox, InboxItem, InboxLease, ModelOutcome, QuarantineCandidate, Quarantined, StateChange,
};
pub use inbound::model_classifier::ModelClassifier;
pub use inbound::quarantine::QuarantineError;
pub use inbound::receive::{InboundService, Incoming};
pub use inbound::worker::InboundWorker;
pub use inbound::{Automatic, Bounce, InboundMail, MailReader};
pub use language_model::{LanguageModel, ModelAnswer, ModelError};
pub use mail_recorder::{INVOICE_CANCELLED, MailRecorder};
pub use message::{
    Direction, InvalidTransition, Message, MessageData, MessageId, MessagePurpose, MessageState,
};
pub use ports::{
    CommunicationsReads, CommunicationsStore, CommunicationsTx, MailSubject, MessagePosition,
    MessageRetention, Messages, Preferences, Reminders, UnreadNotices, UnreadReads,
};
pub use preferences::{Consent, ConsentId, ContactPreferences};
pub use reminders::account_forecast::{AccountForecast, ForecastMessage, NextReminder};
pub use reminders::attempt::ReminderWorker;
pub use reminders::change_policy::{
    ChangeReminderSettingsError, ModelConsent, PauseError, PolicyChange, ReminderSettingsChange,
};
pub use reminders::decision::{Decision, HoldReason, SkipReason, StepDecision};
pub use reminders::facts::{
    AccountFacts, ContactFacts, ContactReminders, Facts, InvoiceFacts, MonthlyTexts, PausedUntil, StepRecord,
};
pub use reminders::forecast::{ForecastStep, forecast};
pub use reminders::payload::ReminderTask;
pub use reminders::permit::{Permit, join, permit};
pub use reminders::plan::{Plan, plan};
pub use reminders::policy::{HolidayFault, ReminderPolicy, Step, StepFault, StepKey, Tone};
pub use reminders::ports::{DecidedStep, DecidedStepId, NewDecision, ReminderReads};
pub use reminders::preview::{ReminderPreview, ReminderTestEmail, UNSUBSCRIBE_PREVIEW};
pub use reminders::service::ReminderService;
pub use reminders::settings::ReminderSettings;
pub use reply_token::ReplyToken;
pub use sms_callbacks::{CallbackRefused, SmsCallback, SmsCallbacks, SmsReceipt};
pub use sms_sender::{OutgoingSms, SmsError, SmsSender};
pub use sms_text::{SmsText, TooLong};
pub use understood::{ClassifiedBy, Understood};
pub use unread::UnreadService;
pub use waiting_mail::{CONTACT_ERASED, RemovedMessage, WaitingMail};
