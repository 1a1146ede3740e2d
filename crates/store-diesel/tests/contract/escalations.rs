//! Escalations: raised, resolved and published in one transaction, also concurrently.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use escalations::{
    Channel, Escalation, EscalationService, EscalationStatus, EscalationType, Escalations, EscalationsStore,
    EscalationsTx, NewEscalation, Notes, RaiseError, ResolutionOutcome, ResolveError, Statement,
};
use futures_util::future::join_all;
use kernel::{AccountId, Commit, PageSize, StoreError, StoreResult, is_contended};
use mail::{OwnerNotice, SilencedNotices};
use outbox::Jobs;
use store_diesel::Store;
use testkit::FixedClock;
use time::Duration;
use webhooks::Events;

use crate::database::{TestDatabase, on_both};
use crate::fixtures::{id, input, stored_contact, stored_invoice, tenant};
use crate::own_account::own_accounts;

pub(crate) fn service(store: &Store, clock: FixedClock) -> EscalationService {
    EscalationService {
        store: store.escalations.clone(),
        invoices: store.invoice_reads.clone(),
        contacts: store.contact_reads.clone(),
        clock: Arc::new(clock),
        ids: Arc::new(kernel::SystemIds::default()),
        urls: kernel::PublicUrls::new("https://books.example"),
    }
}

fn new(escalation_type: EscalationType, channel: Channel) -> NewEscalation {
    NewEscalation {
        escalation_type,
        channel,
        statement: Statement::parse("It's \"not\" mine;\n\tnot — a cent 🫖").unwrap(),
        invoice: None,
        contact: None,
    }
}

/// A stored escalation without a contact or an invoice.
pub(crate) async fn raised(store: &Store, account: AccountId) -> Escalation {
    let about = new(EscalationType::Dispute, Channel::Email);
    let service = service(store, FixedClock::default());
    service.raise(account, about).await.unwrap()
}

async fn read(store: &Store, of: &Escalation) -> Escalation {
    let read = store.escalation_reads.get(of.account, of.id).await.unwrap();
    read.unwrap()
}

/// How many events of this kind were published about the account's escalations.
async fn told(db: &TestDatabase, kind: &str) -> i64 {
    let sql = format!("SELECT count(*) AS count FROM events WHERE kind = '{kind}'");
    db.count(&sql).await
}

#[test]
fn every_type_channel_and_outcome_is_read_back() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        let one = stored_invoice(store, &scope, "N", Some(contact.clone()), input(1)).await;
        let clock = FixedClock::default();
        let service = service(store, clock.clone());
        let mut outcomes = ResolutionOutcome::ALL.iter().copied().cycle();
        for escalation_type in EscalationType::ALL {
            for channel in Channel::ALL {
                let about = NewEscalation { invoice: Some(one.id), ..new(escalation_type, channel) };
                let raised = service.raise(scope.id, about).await.unwrap();
                assert_eq!(raised.contact, Some(contact.id));
                assert_eq!(read(store, &raised).await, raised);
                clock.advance(Duration::minutes(1));
                let outcome = outcomes.next().unwrap();
                let notes = (channel != Channel::Sms).then(|| Notes::parse("Called.").unwrap());
                let resolved = service.resolve(scope.id, raised.id, outcome, notes);
                let resolved = resolved.await.unwrap();
                assert_eq!(resolved.status(), EscalationStatus::Resolved);
                assert_eq!(read(store, &resolved).await, resolved);
            }
        }
        assert_eq!(told(db, "escalation.created").await, 12);
        assert_eq!(told(db, "escalation.resolved").await, 12);
    });
}

#[test]
fn longest_statement_and_notes_are_read_back() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let service = service(store, FixedClock::default());
        let longest = "ü".repeat(10_000);
        let long = NewEscalation {
            statement: Statement::parse(&longest).unwrap(),
            ..new(EscalationType::Refused, Channel::Voice)
        };
        let raised = service.raise(scope.id, long).await.unwrap();
        let (other, notes) = (ResolutionOutcome::Other, Notes::parse(&longest).unwrap());
        let resolved = service.resolve(scope.id, raised.id, other, Some(notes)).await;
        assert_eq!(read(store, &raised).await, resolved.unwrap());
    });
}

#[test]
fn another_account_neither_reads_nor_resolves_nor_names_what_is_not_its_own() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, other) = (tenant(store).await, tenant(store).await);
        let contact = stored_contact(store, scope.id).await;
        let one = stored_invoice(store, &scope, "N", Some(contact.clone()), input(1)).await;
        let service = service(store, FixedClock::default());
        let bare = new(EscalationType::Dispute, Channel::Email);
        let raised = service.raise(scope.id, bare.clone()).await.unwrap();
        let stranger = store.escalation_reads.get(other.id, raised.id).await;
        assert_eq!(stranger.unwrap(), None);
        let paid = ResolutionOutcome::Paid;
        let refused = service.resolve(other.id, raised.id, paid, None).await;
        assert!(matches!(refused, Err(ResolveError::NotFound)));
        let of_invoice = NewEscalation { invoice: Some(one.id), ..bare.clone() };
        let refused = service.raise(other.id, of_invoice).await;
        assert!(matches!(refused, Err(RaiseError::InvoiceNotFound)));
        let of_contact = NewEscalation { contact: Some(contact.id), ..bare.clone() };
        let refused = service.raise(other.id, of_contact).await;
        assert!(matches!(refused, Err(RaiseError::ContactNotFound)));
        let nobody: AccountId = id();
        let refused = service.raise(nobody, bare).await;
        assert!(matches!(refused, Err(RaiseError::AccountNotFound)));
        assert_eq!(read(store, &raised).await, raised);
        assert_eq!(told(db, "escalation.created").await, 1);
        assert_eq!(told(db, "escalation.resolved").await, 0);
    });
}

/// The database enforces tenancy even where the domain's checks are bypassed.
#[test]
fn escalation_about_a_foreign_contact_is_refused() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, other) = (tenant(store).await, tenant(store).await);
        let contact = stored_contact(store, other.id).await;
        let foreign =
            NewEscalation { contact: Some(contact.id), ..new(EscalationType::Hardship, Channel::Sms) };
        let now = FixedClock::START;
        let escalation = Escalation::raise(id(), scope.id, foreign, now);
        let mut tx = store.escalations.begin(scope.id).await.unwrap();
        let refused = tx.escalations().insert(&escalation).await;
        assert!(matches!(refused, Err(StoreError::Failed(_))), "{refused:?}");
        let mut tx = store.escalations.begin(other.id).await.unwrap();
        let refused = tx.escalations().insert(&escalation).await;
        assert!(matches!(refused, Err(StoreError::Failed(_))), "{refused:?}");
    });
}

#[test]
fn concurrent_resolutions_have_one_success() {
    on_both(async |db| {
        let store = &db.store;
        let another = db.another_process().await;
        let scope = tenant(store).await;
        let rounds: u32 = 5;
        for _ in 0..rounds {
            let bare = new(EscalationType::Dispute, Channel::Email);
            let raised = service(store, FixedClock::default()).raise(scope.id, bare).await.unwrap();
            let tries = ResolutionOutcome::ALL.iter().copied().enumerate();
            let tries = tries.map(async |(n, outcome)| {
                let store = if n.is_multiple_of(2) { store } else { &another };
                let service = service(store, FixedClock::default());
                service.resolve(scope.id, raised.id, outcome, None).await
            });
            let mut winners = Vec::new();
            let mut learned = Vec::new();
            for resolved in join_all(tries).await {
                match resolved {
                    Ok(escalation) => winners.push(escalation),
                    Err(ResolveError::AlreadyResolved(before)) => learned.push(before.outcome),
                    Err(error) => panic!("{error:?}"),
                }
            }
            assert_eq!((winners.len(), learned.len()), (1, 5));
            let kept = read(store, &raised).await;
            assert_eq!(kept, winners[0]);
            let outcome = kept.resolution.as_ref().unwrap().outcome;
            assert!(learned.iter().all(|learned| *learned == outcome));
        }
        assert_eq!(told(db, "escalation.resolved").await, i64::from(rounds), "one event each");
    });
}

#[test]
fn dropped_transaction_stores_neither_escalation_nor_event() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let bare = new(EscalationType::Dispute, Channel::Email);
        let escalation = Escalation::raise(id(), scope.id, bare, FixedClock::START);
        let event = escalation.event(webhooks::Occurrence {
            id: id(),
            account: scope.id,
            at: FixedClock::START,
            urls: kernel::PublicUrls::new("https://books.example"),
        });
        let mut tx = store.escalations.begin(scope.id).await.unwrap();
        tx.escalations().insert(&escalation).await.unwrap();
        let ids = kernel::SystemIds::default();
        webhooks::publish(tx.events(), &ids, &event).await.unwrap();
        drop(tx);
        let read = store.escalation_reads.get(scope.id, escalation.id).await;
        assert_eq!(read.unwrap(), None);
        assert_eq!(told(db, "escalation.created").await, 0);
    });
}

#[test]
fn open_escalations_come_first_page_by_page_and_none_of_another_account() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, other) = (tenant(store).await, tenant(store).await);
        let (clock, mut all) = (FixedClock::default(), Vec::new());
        let service = service(store, clock.clone());
        raised(store, other.id).await;
        for n in 0..9 {
            clock.advance(Duration::MINUTE);
            let mut one = service.raise(scope.id, new(EscalationType::Dispute, Channel::Sms)).await.unwrap();
            if n % 3 == 0 {
                one = service.resolve(scope.id, one.id, ResolutionOutcome::Paid, None).await.unwrap();
            }
            all.push(one);
        }
        all.sort_by_key(|one| (one.status() == EscalationStatus::Resolved, std::cmp::Reverse(one.id)));
        let reader = escalations::EscalationReader { reads: store.escalation_reads.clone() };
        for size in [1, 3, 6, 9, 10] {
            let (mut seen, mut after) = (Vec::new(), None);
            loop {
                let page = reader.list(&scope, PageSize::of(size).unwrap(), after).await.unwrap();
                assert!(page.items.len() <= usize::try_from(size).unwrap());
                seen.extend(page.items);
                after = page.next;
                assert_eq!(
                    after.is_some(),
                    seen.len() < all.len(),
                    "a page with all the rest is the last one"
                );
                if after.is_none() {
                    break;
                }
            }
            assert_eq!(seen, all);
        }
    });
}

#[test]
fn escalation_that_is_resolved_between_two_pages_by_age_is_listed_once() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, clock) = (tenant(store).await, FixedClock::default());
        let (service, contact) = (service(store, clock.clone()), stored_contact(store, scope.id).await.id);
        let mut all = Vec::new();
        for contact in [None, Some(contact), None, Some(contact)] {
            clock.advance(Duration::MINUTE);
            let about = NewEscalation { contact, ..new(EscalationType::Dispute, Channel::Sms) };
            all.insert(0, service.raise(scope.id, about).await.unwrap().id);
        }
        let page = async |contact, after| {
            let page = store.escalation_reads.list_by_age(scope.id, contact, after, 2).await.unwrap();
            page.into_iter().map(|one| one.id).collect::<Vec<_>>()
        };
        let first = page(None, None).await;
        service.resolve(scope.id, first[0], ResolutionOutcome::Paid, None).await.unwrap();
        let second = page(None, first.last().copied()).await;
        assert_eq!([first, second.clone()].concat(), all);
        assert!(page(None, second.last().copied()).await.is_empty());
        assert_eq!(page(Some(contact), None).await, [all[0], all[2]]);
    });
}

#[test]
fn mail_to_the_owner_is_queued_with_the_escalation_unless_that_is_switched_off() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        let one = stored_invoice(store, &scope, "N", Some(contact.clone()), input(1)).await;
        let about = NewEscalation { invoice: Some(one.id), ..new(EscalationType::Dispute, Channel::Email) };
        let service = service(store, FixedClock::default());
        let raised = service.raise(scope.id, about.clone()).await.unwrap();
        let mails = crate::jobs::lease(store, FixedClock::START, 10).await;
        assert_eq!((mails.len(), mails[0].lease.account, &mails[0].letterhead), (1, scope.id, &None));
        let payload = &mails[0].payload;
        let disputes = format!("{} disputes an invoice", contact.name);
        let page = format!("/dashboard/escalations/{}", raised.id);
        let owner = own_accounts(store, FixedClock::default()).get(scope.id).await.unwrap().email;
        for part in [owner.as_str(), &*disputes, one.number.as_str(), "not — a cent", &page] {
            assert!(payload.contains(part), "{part} in {payload}");
        }
        let sql = format!("SELECT count(*) AS count FROM jobs WHERE resource_id = {}", db.literal(raised.id));
        assert_eq!(db.count(&sql).await, 1);
        let silenced = SilencedNotices::of([OwnerNotice::Escalations]);
        assert!(store.own_accounts.silence(scope.id, SilencedNotices::NONE, silenced).await.unwrap());
        service.raise(scope.id, about).await.unwrap();
        service.resolve(scope.id, raised.id, ResolutionOutcome::Paid, None).await.unwrap();
        assert!(crate::jobs::lease(store, FixedClock::START, 10).await.is_empty());
    });
}

#[test]
fn escalation_about_a_draft_without_a_contact_has_none() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let draft = stored_invoice(store, &scope, "N", None, input(1)).await;
        let about = NewEscalation { invoice: Some(draft.id), ..new(EscalationType::Dispute, Channel::Sms) };
        let raised = service(store, FixedClock::default()).raise(scope.id, about).await.unwrap();
        assert_eq!((raised.invoice, raised.contact), (Some(draft.id), None));
    });
}

/// A store whose next transactions lose against others when they are committed.
struct Contended {
    store: Arc<dyn EscalationsStore>,
    times: AtomicU32,
}

/// A transaction that is rolled back instead of being committed.
struct Lost(Box<dyn EscalationsTx>);

#[async_trait]
impl EscalationsStore for Contended {
    async fn begin(&self, account: AccountId) -> StoreResult<Box<dyn EscalationsTx>> {
        let tx = self.store.begin(account).await?;
        let one_less = |times: u32| times.checked_sub(1);
        match self.times.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less) {
            Ok(_) => Ok(Box::new(Lost(tx))),
            Err(_) => Ok(tx),
        }
    }
}

#[async_trait]
impl Commit for Lost {
    async fn commit(self: Box<Self>) -> StoreResult<()> {
        Err(StoreError::contended("another transaction"))
    }
}

impl EscalationsTx for Lost {
    fn escalations(&mut self) -> &mut dyn Escalations {
        self.0.escalations()
    }

    fn events(&mut self) -> &mut dyn Events {
        self.0.events()
    }

    fn jobs(&mut self) -> &mut dyn Jobs {
        self.0.jobs()
    }
}

#[test]
fn contended_transactions_are_repeated_and_leave_one_event_each() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contended = Arc::new(Contended { store: store.escalations.clone(), times: AtomicU32::default() });
        let service = EscalationService { store: contended.clone(), ..service(store, FixedClock::default()) };
        let bare = || new(EscalationType::Dispute, Channel::Email);
        contended.times.store(StoreError::TRIES - 1, Ordering::SeqCst);
        let raised = service.raise(scope.id, bare()).await.unwrap();
        contended.times.store(StoreError::TRIES - 1, Ordering::SeqCst);
        service.resolve(scope.id, raised.id, ResolutionOutcome::Paid, None).await.unwrap();
        contended.times.store(StoreError::TRIES, Ordering::SeqCst);
        let refused = service.raise(scope.id, bare()).await;
        assert!(matches!(refused, Err(RaiseError::Store(error)) if is_contended(&error)));
        for (table, wanted) in [("escalations", 1), ("events", 2), ("jobs", 1)] {
            let kept = db.count(&format!("SELECT count(*) AS count FROM {table}")).await;
            assert_eq!(kept, wanted, "{table}");
        }
        assert_eq!(told(db, "escalation.created").await, 1);
        assert_eq!(told(db, "escalation.resolved").await, 1);
    });
}
