//! What an owner sets for reminders.

use kernel::{AuditDetails, TimeZone, Version};

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

    /// What an audit entry says of the change to these settings: the policy, the time zone and the days of
    /// promises, as far as they changed.
    pub(crate) fn audited(&self, before: &Self) -> AuditDetails {
        AuditDetails {
            before: Some(before.other_than(self).into()),
            after: Some(self.other_than(before).into()),
        }
    }

    /// The settings that are not as in `other`, in one line.
    fn other_than(&self, other: &Self) -> String {
        let mut texts = Vec::new();
        if self.policy != other.policy {
            texts.push(self.policy.to_string());
        }
        if self.time_zone != other.time_zone {
            texts.push(format!("time zone {}", self.time_zone.name()));
        }
        if self.promise_days != other.promise_days {
            texts.push(format!("promises to pay within {} days", self.promise_days));
        }
        texts.join(", ")
    }
}
