//! Communications with customers: the use cases, and what sends and reads messages.

use std::sync::Arc;

use anyhow::Context as _;
use communications::{
    Address, AnswerService, ContactMailer, ConversationService, InboundMonitor, InboundService, MailCopies,
    MailRecorder, ModelClassifier, ReminderService, SmsSender, UnreadService,
};
use kernel::{EmailAddress, PublicUrls};
use mail_inbound::MimeReader;
use message_files::MessageFiles;
use sms_twilio::TwilioSms;

use super::Dependencies;
use super::adapters::{language_model, mail_transport};
use crate::metrics::inbound::InboundMetrics;

/// What sends messages to contacts. Clones share their connections.
#[derive(Clone)]
pub struct Senders {
    pub(super) mail: ContactMailer,
    /// `None` if no text messages are sent.
    pub(super) sms: Option<Arc<dyn SmsSender>>,
}

/// What reads received messages. Clones count together how often the language model is asked.
#[derive(Clone)]
pub(super) struct InboundReader {
    monitor: Arc<dyn InboundMonitor>,
    model_classifier: ModelClassifier,
}

impl Dependencies {
    /// The folder of messages as files, if the sandbox is on.
    fn message_files(&self) -> anyhow::Result<Option<MessageFiles>> {
        if !self.settings.has_sandbox() {
            return Ok(None);
        }
        let folder = self.settings.data_dir.join("messages");
        let files = MessageFiles::new(folder, self.clock.clone());
        files.map(Some).context("the folder of messages cannot be made")
    }

    /// Makes the senders, with connections of their own, once for all workers.
    ///
    /// # Errors
    /// One line that names the setting that cannot be used.
    pub fn senders(&self, urls: &PublicUrls) -> anyhow::Result<Senders> {
        let files = self.message_files()?;
        let mail = ContactMailer {
            transport: mail_transport(&self.settings, self.store.upkeep.kind())?,
            copies: files.map(|files| -> Arc<dyn MailCopies> { Arc::new(files) }),
            inbound_domain: self.settings.inbound_domain.clone(),
        };
        Ok(Senders { mail, sms: self.sms_sender(urls)? })
    }

    /// The sender of text messages: the provider that is set, else files if the sandbox is on.
    fn sms_sender(&self, urls: &PublicUrls) -> anyhow::Result<Option<Arc<dyn SmsSender>>> {
        if let Some(twilio) = self.settings.twilio(urls.page("/inbound/twilio/sms"))? {
            return Ok(Some(Arc::new(TwilioSms::new(twilio).context("COUNTINGHOUSE_TWILIO_*")?)));
        }
        let files = self.message_files()?;
        Ok(files.map(|files| -> Arc<dyn SmsSender> { Arc::new(files) }))
    }

    /// The use cases of reminders.
    #[must_use]
    pub fn reminder_service(&self) -> ReminderService {
        ReminderService {
            store: self.store.communications.clone(),
            reads: self.store.communications_reads.clone(),
            reminder_reads: self.store.reminder_reads.clone(),
            invoices: self.store.invoice_reads.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            random: self.random.clone(),
            sends_texts: self.settings.sends_texts(),
        }
    }

    /// The use cases of conversations.
    #[must_use]
    pub fn conversations(&self, urls: &PublicUrls) -> ConversationService {
        ConversationService {
            store: self.store.communications.clone(),
            reads: self.store.communications_reads.clone(),
            contacts: self.store.contact_reads.clone(),
            escalations: self.escalation_service(urls),
            invoicing: self.invoicing(urls),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
        }
    }

    /// The use case that mails owners about unread messages.
    #[must_use]
    pub fn unread(&self) -> UnreadService {
        UnreadService {
            store: self.store.communications.clone(),
            unread: self.store.unread.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
        }
    }

    /// What reads received messages.
    ///
    /// # Errors
    /// One line that names the setting that cannot be used.
    pub(super) fn inbound_reader(&self) -> anyhow::Result<InboundReader> {
        let monitor = Arc::new(InboundMetrics::begin());
        let model_classifier =
            ModelClassifier::new(language_model(&self.settings)?, monitor.clone(), self.clock.clone());
        Ok(InboundReader { monitor, model_classifier })
    }

    /// The use cases of received messages.
    ///
    /// # Errors
    /// One line that names the setting that cannot be used.
    pub fn inbound(&self, urls: &PublicUrls) -> anyhow::Result<InboundService> {
        Ok(self.inbound_with(urls, self.inbound_reader()?))
    }

    /// The same with a reader that others use too.
    pub(super) fn inbound_with(&self, urls: &PublicUrls, reader: InboundReader) -> InboundService {
        InboundService {
            store: self.store.communications.clone(),
            reads: self.store.communications_reads.clone(),
            reminder_reads: self.store.reminder_reads.clone(),
            inbox: self.store.inbox.clone(),
            mail: Arc::new(MimeReader),
            mail_from: Address::from(&EmailAddress::from_stored(self.settings.mail_from.address())),
            escalations: self.escalation_service(urls),
            invoicing: self.invoicing(urls),
            promise_limits: self.store.promise_limits.clone(),
            model_classifier: reader.model_classifier,
            monitor: reader.monitor,
            clock: self.clock.clone(),
            ids: self.ids.clone(),
        }
    }

    /// The use case of owners' answers to contacts.
    #[must_use]
    pub fn answer_service(&self) -> AnswerService {
        AnswerService {
            store: self.store.communications.clone(),
            reads: self.store.communications_reads.clone(),
            reminder_reads: self.store.reminder_reads.clone(),
            contacts: self.store.contact_reads.clone(),
            invoices: self.store.invoice_reads.clone(),
            sends_texts: self.settings.sends_texts(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            random: self.random.clone(),
        }
    }

    /// Stores mail to customers, so that replies can be matched to it.
    pub(super) fn mail_recorder(&self, mailer: ContactMailer) -> MailRecorder {
        MailRecorder {
            store: self.store.communications.clone(),
            reads: self.store.communications_reads.clone(),
            mailer,
            random: self.random.clone(),
            clock: self.clock.clone(),
        }
    }
}
