//! What is stored of an erased contact where a job or a message in quarantine repeats it.

use std::sync::Arc;

use async_trait::async_trait;
use communications::{
    Address, Channel, ContactMailer, ConversationService, Decision, InboxItem, MessageState, ReminderPolicy,
    ReminderService, ReminderWorker, SkipReason, StateChange, Tone,
};
use contacts::{Contact, ContactId};
use kernel::{AccountId, PublicUrls};
use mail::{MailId, MailTransport, MailTransportError, RenderedMail};
use outbox::{Failure, JobHandler as _, Leased, NewJob, Outcome, Recorded};
use serde_json::json;
use store_diesel::Store;
use testkit::FixedClock;
use time::Duration;

use crate::communications::inbox_item;
use crate::database::on_both;
use crate::erasure::{EMPTIED, erase, invoiced};
use crate::fixtures::{
    NOW, conversations, email, fresh, id, input, invoice_at, job_context, reminders, store_invoices,
    stored_contact, tenant,
};
use crate::jobs::{job_of, lease_kind, queue_job};
use crate::messages::{insert, outgoing};

const KINDS: [&str; 2] = ["reminder", "answer"];

fn address_of(contact: &Contact) -> &str {
    contact.email.as_ref().unwrap().as_str()
}

/// Leases a job that sends a message to a contact.
async fn leased(store: &Store, kind: &'static str, contact: &Contact) -> Leased {
    let message = outgoing(contact.account, contact.id, address_of(contact));
    insert(store, &message).await;
    let answered: ContactId = id();
    let payload = json!({ "message": message.id.uuid(), "answered": answered.uuid() }).to_string();
    let resource_id = Some(contact.id.uuid());
    let job = NewJob { kind, to_customer: false, resource_id, payload, ..job_of(contact.account) };
    queue_job(store, job).await;
    lease_kind(&*store.jobs, kind, NOW, 1).await.remove(0)
}

#[test]
fn reminders_and_answers_keep_no_address_of_an_erased_contact() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let [ada, grace] = [stored_contact(store, scope.id).await, stored_contact(store, scope.id).await];
        let mut on_their_way = Vec::new();
        for kind in KINDS {
            for contact in [&ada, &grace] {
                let reason = format!("550 5.1.1 <{}>: Recipient address rejected", address_of(contact));
                let retry =
                    Outcome::Retry { at: NOW, next_attempt_at: NOW + Duration::HOUR, reason: reason.clone() };
                let given_up = Outcome::GivenUp { at: NOW, reason };
                for outcome in [&retry, &given_up] {
                    let job = leased(store, kind, contact).await;
                    assert_eq!(store.jobs.record(job.lease, outcome).await.unwrap(), Recorded::Done);
                }
                on_their_way.push((leased(store, kind, contact).await.lease, given_up));
            }
        }
        erase(store, &scope, ada.id).await;
        assert_eq!(db.columns_with(address_of(&ada)).await, [""; 0]);
        for (lease, refused) in &on_their_way {
            store.jobs.record(*lease, refused).await.unwrap();
        }
        assert_eq!(db.columns_with(address_of(&ada)).await, [""; 0], "refused after the erasure");
        for kind in KINDS {
            let count = |condition: &str| {
                format!("SELECT count(*) AS count FROM jobs WHERE kind = '{kind}' AND {condition}")
            };
            assert_eq!(db.count(&count("state = 'waiting'")).await, 1, "that of the other contact");
            assert_eq!(db.count(&count("last_error LIKE '550%'")).await, 3, "those to the other contact");
            assert_eq!(db.count(&count("last_error = 'the contact was erased'")).await, 2);
        }
    });
}

#[test]
fn test_reminder_that_shows_an_erased_contact_is_dropped_with_its_text() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, contact, issued) = invoiced(store).await;
        let (service, urls) = (reminders(store), PublicUrls::new("https://books.example.com"));
        let preview = service.preview((&issued, Some(&contact)), Tone::Friendly, false, &urls).await.unwrap();
        service.send_test(scope.id, &email("owner@example.com"), &preview).await.unwrap();
        assert!(db.columns_with(contact.name.as_str()).await.contains(&"jobs.payload".to_owned()));
        erase(store, &scope, contact.id).await;
        assert_eq!(db.columns_with(contact.name.as_str()).await, ["invoices.contact"], "it is issued");
        assert_eq!(db.count(EMPTIED).await, 1);
    });
}

#[test]
fn message_in_quarantine_is_dropped_once_its_last_candidate_is_erased() {
    on_both(async |db| {
        let store = &db.store;
        let address = format!("ada{}@example.com", fresh());
        let sender = Address::parse(Channel::Email, &address).unwrap();
        let content = Some(format!("From: {address}\n\nI lost my job.").into_bytes());
        let item = InboxItem { channel: Channel::Email, content, ..inbox_item() };
        store.inbox.store(&item).await.unwrap();
        let mut candidates = Vec::new();
        for _ in 0..2 {
            let scope = tenant(store).await;
            let contact = stored_contact(store, scope.id).await;
            let mut tx = store.communications.begin(scope.id).await.unwrap();
            let (own, sender) = (Some(contact.id), Some(&sender));
            assert!(tx.preferences().hold_for_quarantine(item.id, own, sender).await.unwrap());
            tx.commit().await.unwrap();
            candidates.push((scope, contact));
        }
        let quarantined = StateChange { from: MessageState::Stored, to: MessageState::Quarantined };
        assert!(store.inbox.settle(item.id, quarantined, Some("2 accounts fit")).await.unwrap());
        let waiting = store.inbox.item(item.id).await.unwrap();
        let [(first, ada), (second, other)] = &candidates[..] else { unreachable!() };
        erase(store, first, ada.id).await;
        assert_eq!(store.inbox.item(item.id).await.unwrap(), waiting, "it may be for the other account");
        erase(store, second, other.id).await;
        let detail = Some("the contact was erased".to_owned());
        let state = MessageState::Dropped;
        let dropped = InboxItem { state, detail, content: None, sender: None, ..waiting.unwrap() };
        assert_eq!(store.inbox.item(item.id).await.unwrap(), Some(dropped));
        assert_eq!(db.columns_with(&address).await, [""; 0]);
    });
}

/// A mail server whose answer comes after the contact was erased.
struct AnswersLate {
    clock: FixedClock,
    conversations: ConversationService,
    account: AccountId,
    contact: ContactId,
    answer: Result<(), Failure>,
}

#[async_trait]
impl MailTransport for AnswersLate {
    fn message_id(&self, id: MailId) -> String {
        format!("{id}@localhost")
    }

    fn from_address(&self) -> String {
        "invoices@localhost".to_owned()
    }

    async fn send(&self, _: &RenderedMail) -> Result<(), MailTransportError> {
        self.clock.advance(Duration::SECOND);
        self.conversations.erase(self.account, self.contact).await.unwrap();
        self.clock.advance(Duration::SECOND);
        self.answer.clone()
    }
}

#[test]
fn step_of_a_reminder_is_decided_although_its_contact_is_erased_while_it_is_sent() {
    on_both(async |db| {
        let store = &db.store;
        let refused = || "550 no such user".to_owned();
        for (answer, decision) in [
            (Ok(()), Decision::Sent),
            (Err(Failure::Permanent(refused())), Decision::Skip(SkipReason::Failed)),
            (Err(Failure::Temporary(refused())), Decision::Skip(SkipReason::Failed)),
        ] {
            let scope = tenant(store).await;
            let contact = stored_contact(store, scope.id).await;
            let then = NOW - Duration::days(20);
            let overdue = invoice_at(then, &scope, "INV-0001", Some(contact.clone()), input(1));
            store_invoices(store, scope.id, std::slice::from_ref(&overdue)).await;
            let mut tx = store.communications.begin(scope.id).await.unwrap();
            let policy = ReminderPolicy {
                started_at: Some(then),
                started_on: Some(then.date()),
                ..ReminderPolicy::initial()
            };
            tx.reminders().put_policy(&policy).await.unwrap();
            tx.commit().await.unwrap();
            let noon = NOW + Duration::hours(10);
            let clock = FixedClock::at(noon);
            let service = ReminderService { clock: Arc::new(clock.clone()), ..reminders(store) };
            let decided = service.decide(scope.id).await.unwrap();
            let sent = decided.iter().find(|one| one.step.decision == Decision::Send);
            let step = sent.unwrap_or_else(|| panic!("{decided:?}")).step;
            let mut jobs = lease_kind(&*store.jobs, "reminder", noon, 10).await;
            jobs.retain(|job| job.lease.account == scope.id);
            let Leased { lease, queued_at, letterhead, payload } = jobs.remove(0);
            let payload = serde_json::from_str(&payload).unwrap();
            let conversations =
                ConversationService { clock: Arc::new(clock.clone()), ..conversations(store) };
            let (account, contact) = (scope.id, contact.id);
            let transport = Arc::new(AnswersLate { clock, conversations, account, contact, answer });
            let worker = ReminderWorker {
                jobs: job_context(store),
                service,
                mail: ContactMailer { transport, copies: None, inbound_domain: None },
                sms: None,
                urls: PublicUrls::new("https://books.example.com"),
            };
            let _outcome = worker.handle(&Leased { lease, queued_at, letterhead, payload }).await;
            let decided = store.reminder_reads.decided(scope.id, overdue.id).await.unwrap();
            let of_step = decided.iter().filter(|one| one.step.key == step.key);
            let of_step: Vec<Decision> = of_step.map(|one| one.step.decision).collect();
            let mut expected = vec![Decision::Skip(SkipReason::Failed), Decision::Send];
            if decision == Decision::Sent {
                expected.insert(0, decision);
            }
            assert_eq!(of_step, expected);
        }
        let given_up = "SELECT count(*) AS count FROM jobs WHERE kind = 'reminder' AND state = 'given_up'";
        assert_eq!(db.count(given_up).await, 3, "each was found by its contact");
    });
}
