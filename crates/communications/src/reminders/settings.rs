//! What an owner sets for reminders.

use kernel::{TimeZone, Version};

use super::policy::ReminderPolicy;

/// What an owner sets for reminders: the policy, and two fields of the account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReminderSettings {
    /// When and how reminders are sent.
    pub policy: ReminderPolicy,
    /// The time zone of the account.
    pub time_zone: TimeZone,
    /// How many days from today payers may promise to pay within.
    pub promise_days: u16,
}

impl ReminderSettings {
    /// Identifies these values: a form sends it back, so that a change in between is noticed.
    #[must_use]
    pub fn version(&self) -> Version {
        Version::of(self)
    }
}
