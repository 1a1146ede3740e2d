//! Templates: each renders one kind of mail.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use askama::Template;
use async_trait::async_trait;
use kernel::errors::Source;
use kernel::{EmailAddress, StoreError, TextFault};

use crate::message::{MailMessage, Subject};
use crate::queued::{QueuedMail, RenderedMail};

/// A kind of mail. The domain that owns it implements this beside the type of its payload.
#[async_trait]
pub trait EmailTemplate: Send + Sync {
    /// The name that the store keeps with each mail of this kind. It never changes.
    fn name(&self) -> &'static str;

    /// Renders a mail of this kind, outside any transaction. Every attempt at one mail gives the same
    /// message.
    async fn render(&self, mail: &QueuedMail) -> Result<MailMessage, RenderError>;
}

impl MailMessage {
    /// A message from the templates of its text and its HTML.
    pub fn rendered(
        to: EmailAddress,
        subject: Subject,
        text: &impl Template,
        html: &impl Template,
    ) -> Result<Self, RenderError> {
        Ok(Self::new(to, subject, text.render()?, html.render()?))
    }
}

/// Why a mail cannot be rendered.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// No template has the mail's name: a later version of the service may have one.
    #[error("there is no template with the name {0}")]
    UnknownTemplate(String),
    /// This process does not have the master key under which the mail's secret was sealed, or the row was
    /// changed.
    #[error("its secret cannot be opened: the master key is another one, or the row was changed")]
    WrongKey,
    /// The stored payload is not what the template needs. The text holds nothing of the payload.
    #[error("the stored payload cannot be read: {0}")]
    Payload(&'static str),
    /// The link of the mail works no more.
    #[error("its link has expired")]
    Expired,
    /// The message could not be rendered.
    #[error("{0}")]
    Failed(#[from] Source),
    /// What the mail shows could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RenderError {
    /// Whether a later attempt may succeed, of this process or of one with another version or master key.
    #[must_use]
    pub const fn may_pass(&self) -> bool {
        matches!(self, Self::UnknownTemplate(_) | Self::WrongKey | Self::Store(_))
    }
}

impl From<askama::Error> for RenderError {
    fn from(error: askama::Error) -> Self {
        Self::Failed(error.into())
    }
}

/// A text that cannot be a header.
impl From<TextFault> for RenderError {
    fn from(fault: TextFault) -> Self {
        Self::Failed(fault.into())
    }
}

/// The templates that a [`MailWorker`](crate::MailWorker) knows, by name.
#[derive(Clone, Default)]
pub struct Templates(BTreeMap<&'static str, Arc<dyn EmailTemplate>>);

impl Templates {
    /// Renders a mail with the template that it names.
    ///
    /// # Errors
    /// A [`RenderError`]; then the mail is given up, unless the error [may pass](RenderError::may_pass).
    pub async fn render(&self, mail: &QueuedMail) -> Result<RenderedMail, RenderError> {
        let template = self.0.get(mail.template.as_str());
        let template = template.ok_or_else(|| RenderError::UnknownTemplate(mail.template.clone()))?;
        Ok(RenderedMail { id: mail.id, queued_at: mail.queued_at, message: template.render(mail).await? })
    }
}

impl FromIterator<Arc<dyn EmailTemplate>> for Templates {
    fn from_iter<I: IntoIterator<Item = Arc<dyn EmailTemplate>>>(templates: I) -> Self {
        let named = templates.into_iter().map(|template| (template.name(), template));
        Self(named.collect())
    }
}

impl fmt::Debug for Templates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
