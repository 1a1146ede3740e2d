//! What owners set, and reminders and messages.

use std::sync::Arc;

use communications::{
    Channel, ConversationService, InboxItem, MessageState, NewConsent, PausedUntil, PolicyChange,
    ReminderService,
};
use kernel::{SystemIds, SystemRandom};
use store_diesel::Store;
use testkit::StillClock;

use super::{Operations, Rows};
use crate::fixtures::{NOW, bank_details, fresh, id, line};
use crate::routing::logs::Sent;

impl<F: Fn(&str, Rows, &Sent)> Operations<'_, F> {
    pub(super) async fn owners(&mut self) {
        let (store, scope) = (&self.requests.store, &self.prepared.scope);
        let standing = store.bank_details_reads.standing(scope.id);
        self.during("the bank details of an owner", Rows::OfAccount, standing).await.unwrap();
        let details = bank_details(store, StillClock::default());
        let new = crate::bank_details::euros();
        let change = details.change(scope, &new);
        self.during("changing bank details", Rows::OfAccountAndLock, change).await.unwrap();
        let silenced = store.own_accounts.silenced(scope.id);
        let silenced = self.during("what is not mailed", Rows::EverywhereRead, silenced).await.unwrap();
        let silence = store.own_accounts.silence(scope.id, silenced.unwrap(), mail::SilencedNotices::NONE);
        self.during("changing what is mailed", Rows::EverywhereChanged, silence).await.unwrap();
        let endpoints = store.endpoints.list(scope.id);
        self.during("the endpoints of an owner", Rows::EverywhereRead, endpoints).await.unwrap();
    }

    pub(super) async fn reminders(&mut self) {
        let (store, account) = (&self.requests.store, self.prepared.scope.id);
        let (invoice, contact) = (self.prepared.invoice.id, self.prepared.contact.id);
        let (read, changed) = (Rows::OfAccount, Rows::OfAccountByCoordinator);
        let reads = &store.reminder_reads;
        self.during("reminders of an account", read, reads.account(account, NOW)).await.unwrap().unwrap();
        self.during("what was decided", read, reads.decided(account, invoice)).await.unwrap();
        self.during("a pause", read, reads.paused(account, invoice)).await.unwrap();
        self.during("the contact of an invoice", read, reads.contact_of(account, invoice)).await.unwrap();
        let reminders = reminders(store);
        self.during("a rehearsal", read, reminders.rehearse(account, 60)).await.unwrap();
        let start = PolicyChange { started: Some(true), ..PolicyChange::default() };
        let start = reminders.change_policy(account, &start);
        self.during("changing a policy", changed, start).await.unwrap();
        let pause = reminders.pause(account, invoice, Some(PausedUntil::Never));
        self.during("pausing reminders", changed, pause).await.unwrap();
        let consent = NewConsent {
            channel: Channel::Sms,
            given: true,
            how: line("by telephone"),
            recorded_by: line("owner"),
        };
        let conversations = conversations(store);
        let consent = conversations.record_consent(account, contact, &consent);
        self.during("recording a consent", changed, consent).await.unwrap();
        let consents = store.communications_reads.consents(account, contact);
        self.during("consents", read, consents).await.unwrap();
    }

    pub(super) async fn inbound(&mut self) {
        let item = InboxItem {
            id: id(),
            key: format!("sms:{}", fresh()),
            channel: Channel::Sms,
            sender: None,
            content: Some(b"I paid".to_vec()),
            received_at: NOW,
            state: MessageState::Stored,
            became: None,
            attempts: 0,
            detail: None,
        };
        let keep = self.requests.store.inbox.keep(&item);
        self.during("keeping what came in", Rows::EverywhereChanged, keep).await.unwrap();
    }
}

fn reminders(store: &Store) -> ReminderService {
    ReminderService {
        store: store.communications.clone(),
        reads: store.communications_reads.clone(),
        reminder_reads: store.reminder_reads.clone(),
        invoices: store.invoice_reads.clone(),
        clock: Arc::new(StillClock::at(NOW)),
        ids: Arc::new(SystemIds::default()),
        random: Arc::new(SystemRandom::default()),
        sends_texts: false,
    }
}

fn conversations(store: &Store) -> ConversationService {
    ConversationService {
        store: store.communications.clone(),
        reads: store.communications_reads.clone(),
        contacts: store.contact_reads.clone(),
        escalations: crate::escalations::service(store, StillClock::default()),
        clock: Arc::new(StillClock::at(NOW)),
        ids: Arc::new(SystemIds::default()),
    }
}
