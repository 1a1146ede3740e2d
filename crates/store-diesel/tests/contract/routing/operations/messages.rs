//! Messages of contacts, and what owners do with them.

use std::sync::Arc;

use communications::{AnswerService, AnswerText, Channel, MessageType, NewConsent, ReplyToken};
use kernel::{SystemIds, SystemRandom};
use store_diesel::Store;
use testkit::FixedClock;

use super::{Operations, Rows};
use crate::communications::inbox_item;
use crate::fixtures::{RANDOM, conversations, line};
use crate::routing::logs::Sent;

impl<F: Fn(&str, Rows, &Sent)> Operations<'_, F> {
    pub(super) async fn messages(&mut self) {
        let (store, account) = (&self.requests.store, self.prepared.scope.id);
        let (contact, message) = (self.prepared.contact.id, self.prepared.message.id);
        let (read, changed) = (Rows::OfAccount, Rows::OfAccountByCoordinator);
        let reads = &store.communications_reads;
        self.during("a message", read, reads.message(account, message)).await.unwrap().unwrap();
        let token = ReplyToken::generate(account, &*RANDOM);
        self.during("the message of a link", read, reads.message_by_token(&token)).await.unwrap();
        let channel = reads.channel_of_link(account, self.prepared.invoice.id);
        self.during("how a link was sent last", read, channel).await.unwrap();
        let address = &self.prepared.message.address;
        let earlier = reads.mails_about(account, self.prepared.invoice.id, address, 30);
        self.during("earlier mails about an invoice", read, earlier).await.unwrap();
        let text = AnswerText::parse("Thank you.").unwrap();
        let answers = answers(store);
        self.during("answering", changed, answers.answer(account, message, &text)).await.unwrap();
        let conversations = conversations(store);
        let marked = conversations.mark_read(account, message);
        self.during("marking a message as read", changed, marked).await.unwrap();
        let correct = conversations.correct(&self.prepared.scope, message, MessageType::Dispute, None);
        self.during("correcting what a message means", changed, correct).await.unwrap();
        let consent = NewConsent {
            channel: Channel::Sms,
            is_given: true,
            how: line("by telephone"),
            recorded_by: line("owner"),
        };
        let consent = conversations.record_consent(account, contact, &consent);
        self.during("recording a consent", changed, consent).await.unwrap();
        self.during("consents", read, reads.consents(account, contact)).await.unwrap();
        let erase = conversations.erase(account, contact);
        self.during("erasing a contact", Rows::EverywhereChanged, erase).await.unwrap();
    }

    pub(super) async fn inbound(&mut self) {
        let item = inbox_item();
        let stored = self.requests.store.inbox.store(&item);
        self.during("storing what came in", Rows::EverywhereChanged, stored).await.unwrap();
    }
}

fn answers(store: &Store) -> AnswerService {
    AnswerService {
        store: store.communications.clone(),
        reads: store.communications_reads.clone(),
        reminder_reads: store.reminder_reads.clone(),
        contacts: store.contact_reads.clone(),
        invoices: store.invoice_reads.clone(),
        sends_texts: false,
        clock: Arc::new(FixedClock::default()),
        ids: Arc::new(SystemIds::default()),
        random: Arc::new(SystemRandom::default()),
    }
}
