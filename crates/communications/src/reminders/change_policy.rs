//! Changing what an owner sets for reminders, and pausing the reminders of an invoice.

use invoices::InvoiceId;
use kernel::clock::date_text;
use kernel::{AccountId, AuditDetails, StoreError, TimeZone, Version, retry_contended};
use serde_json::{Value, json};
use time::{Date, OffsetDateTime};

use super::facts::PausedUntil;
use super::policy::{ReminderPolicy, Step};
use super::service::ReminderService;
use super::settings::ReminderSettings;

/// Changes of a policy; `None` leaves a field as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PolicyChange {
    /// The steps, as [`ReminderPolicy::ordered`] gives them.
    pub steps: Option<Vec<Step>>,
    /// Whether reminders are sent. Starting them again changes nothing.
    pub started: Option<bool>,
    /// Whether reminders are also sent for invoices that are over 30 days late when reminders start.
    pub backlog: Option<bool>,
    /// The public holidays.
    pub holidays: Option<Vec<Date>>,
    /// Whether a language model may read messages that the rules are unsure of.
    pub model_consent: Option<ModelConsent>,
}

/// The owner's consent to a language model, or its withdrawal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelConsent {
    /// The language model at this host may read such messages.
    Given {
        /// The host that the form showed to the owner: that of the operator's setting at the time.
        host: String,
    },
    /// No language model may read messages.
    Withdrawn,
}

/// Changes of the settings; `None` leaves a field as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReminderSettingsChange {
    /// The changes of the policy.
    pub policy: PolicyChange,
    /// The time zone of the account.
    pub time_zone: Option<TimeZone>,
    /// How many days from today payers may promise to pay within.
    pub promise_days: Option<u16>,
}

impl From<PolicyChange> for ReminderSettingsChange {
    fn from(policy: PolicyChange) -> Self {
        Self { policy, ..Self::default() }
    }
}

/// Why the settings were not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeReminderSettingsError {
    /// There is no such account.
    #[error("there is no such account")]
    NotFound,
    /// The settings were changed since the version that the owner saw.
    #[error("the settings were changed in the meantime")]
    Changed,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why reminders of an invoice are not paused.
#[derive(Debug, thiserror::Error)]
pub enum PauseError {
    /// The account has no such invoice.
    #[error("the account has no such invoice")]
    NotFound,
    /// The day on which they would resume has begun, in the account's time zone.
    #[error("the day on which reminders go on must be after today")]
    NotAfterToday,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl PolicyChange {
    /// The policy as it is after the change. A step that it did not have before counts as added now, unless
    /// reminders are, or were, stopped. `zone` is that of the account after the change.
    #[must_use]
    pub fn applied_to(
        &self,
        before: &ReminderPolicy,
        now: OffsetDateTime,
        zone: &TimeZone,
    ) -> ReminderPolicy {
        let mut policy = before.clone();
        if let Some(steps) = &self.steps {
            policy.steps.clone_from(steps);
        }
        if let Some(holidays) = &self.holidays {
            policy.holidays.clone_from(holidays);
        }
        match &self.model_consent {
            Some(ModelConsent::Given { host }) => policy.language_model_host = Some(host.clone()),
            Some(ModelConsent::Withdrawn) => policy.language_model_host = None,
            None => {}
        }
        policy.backlog = self.backlog.unwrap_or(policy.backlog);
        match self.started {
            Some(true) => policy.start(now, zone),
            Some(false) => (policy.started_at, policy.started_on) = (None, None),
            None => {}
        }
        let runs_on = before.started_at.is_some() && policy.started_at.is_some();
        for step in &mut policy.steps {
            step.added_at = match before.step(step.key) {
                _ if !runs_on => None,
                Some(kept) => kept.added_at,
                None => Some(now),
            };
        }
        policy
    }
}

impl ReminderSettingsChange {
    fn applied_to(&self, before: &ReminderSettings, now: OffsetDateTime) -> ReminderSettings {
        let time_zone = self.time_zone.clone().unwrap_or_else(|| before.time_zone.clone());
        ReminderSettings {
            policy: self.policy.applied_to(&before.policy, now, &time_zone),
            time_zone,
            promise_days: self.promise_days.unwrap_or(before.promise_days),
        }
    }
}

impl ReminderService {
    /// Changes the settings of an account, if they still have this version. Returns the changed settings.
    ///
    /// # Errors
    /// A [`ChangeReminderSettingsError`]; then nothing was changed.
    pub async fn change_settings(
        &self,
        account: AccountId,
        change: &ReminderSettingsChange,
        version: Option<&Version>,
    ) -> Result<ReminderSettings, ChangeReminderSettingsError> {
        retry_contended(|| self.try_to_change_settings(account, change, version)).await
    }

    async fn try_to_change_settings(
        &self,
        account: AccountId,
        change: &ReminderSettingsChange,
        version: Option<&Version>,
    ) -> Result<ReminderSettings, ChangeReminderSettingsError> {
        let now = self.clock.now();
        let mut tx = self.store.begin(account).await?;
        let before = tx.reminders().lock_settings().await?;
        let before = before.ok_or(ChangeReminderSettingsError::NotFound)?;
        if version.is_some_and(|version| *version != before.version()) {
            return Err(ChangeReminderSettingsError::Changed);
        }
        let settings = change.applied_to(&before, now);
        if settings.policy != before.policy {
            tx.reminders().put_policy(&settings.policy).await?;
        }
        if settings.time_zone != before.time_zone {
            tx.reminders().set_time_zone(&settings.time_zone, now).await?;
        }
        if settings.promise_days != before.promise_days {
            tx.reminders().set_promise_days(settings.promise_days).await?;
        }
        if settings != before {
            tx.complete_audit(settings.audited(&before));
            tx.commit().await?;
        }
        Ok(settings)
    }

    /// Pauses the reminders of an invoice, or resumes them if `until` is `None`. Nothing is changed if they
    /// are paused until then, or not paused, already.
    ///
    /// # Errors
    /// A [`PauseError`]; then nothing was changed.
    pub async fn pause(
        &self,
        account: AccountId,
        invoice: InvoiceId,
        until: Option<PausedUntil>,
    ) -> Result<(), PauseError> {
        if let Some(PausedUntil::Date(day)) = until {
            let now = self.clock.now();
            let facts = self.facts(account, now).await?.ok_or(PauseError::NotFound)?;
            if day <= facts.zone.date_at(now) {
                return Err(PauseError::NotAfterToday);
            }
        }
        retry_contended(async || {
            let mut tx = self.store.begin(account).await?;
            let locked = tx.invoicing().invoices().lock(invoice).await?;
            locked.ok_or(PauseError::NotFound)?;
            let before = tx.reminders().pause(invoice, until).await?;
            if before == until {
                return Ok(());
            }
            let before = before.map(|before| audited_pause(invoice, Some(before)));
            tx.complete_audit(AuditDetails { before, after: Some(audited_pause(invoice, until)) });
            Ok(tx.commit().await?)
        })
        .await
    }
}

/// What an audit entry says of the reminders of an invoice that are paused, or not paused.
fn audited_pause(invoice: InvoiceId, until: Option<PausedUntil>) -> Value {
    let until = match until {
        None => return json!({"invoice": invoice.to_string()}),
        Some(PausedUntil::Date(day)) => date_text(day),
        Some(PausedUntil::Never) => "never".to_owned(),
    };
    json!({"invoice": invoice.to_string(), "until": until})
}
