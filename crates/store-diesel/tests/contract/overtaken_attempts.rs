//! Attempts to send a reminder that end after another attempt has begun.

use std::sync::Arc;

use async_trait::async_trait;
use communications::{
    Channel, ContactMailer, Message, MessageState, ReminderPolicy, ReminderService, ReminderWorker, Step,
    StepDecision,
};
use mail::{MailId, MailTransport, MailTransportError, RenderedMail};
use outbox::{JobHandler as _, Lease, Leased};
use store_diesel::Store;
use testkit::FixedClock;
use time::{Duration, OffsetDateTime};

use crate::database::on_both;
use crate::fixtures::{NOW, reminders, tenant};
use crate::reminder_attempts::{leased, owing, reminder, store_reminder, stored, to_send, worker};

/// A mail server that refuses a mail after another process has begun a further attempt at it.
struct Overtaken {
    store: Store,
    message: Message,
    begins_at: OffsetDateTime,
    refusal: MailTransportError,
}

#[async_trait]
impl MailTransport for Overtaken {
    fn message_id(&self, id: MailId) -> String {
        format!("{id}@example.com")
    }

    fn from_address(&self) -> String {
        "billing@example.com".to_owned()
    }

    async fn send(&self, _: &RenderedMail) -> Result<(), MailTransportError> {
        let mut tx = self.store.communications.begin(self.message.account).await.unwrap();
        let mut message = tx.messages().lock(self.message.id).await.unwrap().unwrap();
        let (address, internet_id) = (message.address.clone(), message.internet_id.clone());
        message.begin(address, internet_id, self.begins_at).unwrap();
        tx.messages().update(&message).await.unwrap();
        tx.commit().await.unwrap();
        Err(self.refusal.clone())
    }
}

#[test]
fn refusal_of_an_attempt_says_nothing_about_the_one_that_has_begun_since() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let refusals = [MailTransportError::Temporary, MailTransportError::Permanent];
        for refusal in refusals.map(|kind| kind("4.5.1".to_owned())) {
            let (contact, unpaid) = owing(store, &scope).await;
            let due = unpaid.due_date.midnight().assume_utc();
            let step = StepDecision { due_at: due + Duration::hours(33), ..to_send(&unpaid, Channel::Email) };
            let message = reminder(scope.id, &contact, MessageState::Queued, None);
            let policy = ReminderPolicy {
                steps: vec![Step::new(1, Channel::Email)],
                started_at: Some(NOW),
                started_on: Some(NOW.date()),
                ..ReminderPolicy::initial()
            };
            store_reminder(store, &message, step, Some(policy)).await;
            let now = due + Duration::hours(36);
            let begins_at = now + Duration::minutes(6);
            let (store_of, of) = (store.clone(), message.clone());
            let transport = Overtaken { store: store_of, message: of, begins_at, refusal };
            let mail = ContactMailer { transport: Arc::new(transport), copies: None, inbound_domain: None };
            let service = ReminderService { clock: Arc::new(FixedClock::at(now)), ..reminders(store) };
            let leased = leased(&message);
            let lease = Lease { ends_at: begins_at, ..leased.lease };
            let worker = ReminderWorker { service, mail, ..worker(store) };
            worker.handle(&Leased { lease, ..leased }).await.unwrap_err();
            let kept = stored(store, &message).await;
            assert_eq!((kept.state, kept.began_at), (MessageState::Queued, Some(begins_at)));
        }
    });
}
