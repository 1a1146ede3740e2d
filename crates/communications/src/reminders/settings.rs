//! What an owner sets for reminders.

use kernel::{TimeZone, Version};

use super::policy::ReminderPolicy;

/// What an owner sets for reminders: the policy, and two fields of the account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReminderSettings {
    /// The policy.
    pub policy: ReminderPolicy,
    /// The time zone of the account.
    pub time_zone: TimeZone,
    /// How many days from today payers may promise to pay within.
    pub promise_days: u16,
}

impl ReminderSettings {
    /// The present version.
    #[must_use]
    pub fn version(&self) -> Version {
        Version::of(self)
    }
}
