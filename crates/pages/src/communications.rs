//! The pages on communications with customers.

mod answer_page;
pub(crate) mod contact_preferences;
mod inbox;
pub(crate) mod invoice_reminders;
mod message_page;
pub(crate) mod message_rows;
pub(crate) mod plan_rows;
mod sandbox_messages;
mod segments;
mod settings;

pub use answer_page::AnswerPage;
pub use contact_preferences::ShownCommunications;
pub use inbox::{InboxPage, ShownInbox};
pub use invoice_reminders::ShownReminders;
pub use message_page::{MessagePage, OneMessage};
pub use message_rows::ShownMessage;
pub use sandbox_messages::{SandboxMessage, SandboxMessages, SandboxMessagesPage};
pub use settings::{CommunicationsSettings, CommunicationsSettingsPage, PlannedAhead};
