//! Payloads: JSON that a template writes in the transaction and reads in the mail worker.

use kernel::EmailAddress;
use outbox::{Leased, NewJob, Task};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::queued::{Audience, NewMail, QueuedMail};
use crate::template::RenderError;

/// The JSON of a payload. A struct of texts, numbers and lists always has a JSON form.
#[must_use]
pub fn payload(of: &impl Serialize) -> Value {
    serde_json::to_value(of).unwrap_or_default()
}

/// The payload of a mail job, as JSON.
#[derive(Clone, Serialize, Deserialize)]
pub struct MailTask {
    template: String,
    to: String,
    payload: Value,
}

impl Task for MailTask {
    const KIND: &'static str = "mail";
}

impl NewMail {
    /// The job that renders and sends it.
    #[must_use]
    pub fn into_job(self) -> NewJob {
        let content = MailTask {
            template: self.template.to_owned(),
            to: self.to.as_str().to_owned(),
            payload: self.payload,
        };
        NewJob {
            resource_id: self.resource_id,
            to_customer: self.audience == Audience::Customer,
            ..NewJob::of(&content, self.id, self.account, self.queued_at)
        }
    }
}

impl QueuedMail {
    /// The payload as the type that its template needs.
    ///
    /// # Errors
    /// [`RenderError::Payload`] with this fault when it has another form.
    pub fn content<T: DeserializeOwned>(&self, fault: &'static str) -> Result<T, RenderError> {
        T::deserialize(&self.payload).map_err(|_error| RenderError::Payload(fault))
    }
}

impl From<&Leased<MailTask>> for QueuedMail {
    fn from(job: &Leased<MailTask>) -> Self {
        let mail = job.payload.clone();
        Self {
            id: job.lease.id,
            account: job.lease.account,
            template: mail.template,
            to: EmailAddress::from_stored(mail.to),
            payload: mail.payload,
            letterhead: job.letterhead.clone(),
            queued_at: job.queued_at,
        }
    }
}
