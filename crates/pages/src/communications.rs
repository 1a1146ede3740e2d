//! The pages on communications with customers.

mod mailroom;
pub(crate) mod plan_rows;
mod segments;
mod settings;

pub use mailroom::{Mailroom, MailroomPage};
pub use settings::{CommunicationsSettings, CommunicationsSettingsPage};
