//! Mail: seen with the commit, leased to one, settled once.

use futures_util::future::join_all;
use invoices::Letterhead;
use kernel::{AccountId, Field, FieldErrors, PartnerScope};
use mail::{Audience, NewMail, Outcome, QueuedMail, Recorded};
use partner_accounts::{AccountChange, AmendmentInput, ProfileInput};
use store_diesel::Store;
use time::Duration;

use crate::ground::on_both;
use crate::make::{NOW, OPERATOR, email, id, line, new_account, partner, partner_accounts, stored, tenant};

const LEASE: Duration = Duration::minutes(5);

pub(crate) fn mail_of(account: AccountId) -> NewMail {
    NewMail {
        id: id(),
        account,
        resource_id: Some(id::<kernel::scope::AccountEntity>().uuid()),
        template: "invoice",
        audience: Audience::Customer,
        to: email("Ada@Example.com"),
        payload: r#"{"text":"ünïcode","amount":"110.00"}"#.to_owned(),
        queued_at: NOW,
    }
}

pub(crate) async fn queue(store: &Store, account: AccountId) -> NewMail {
    let mail = mail_of(account);
    queue_mail(store, mail.clone()).await;
    mail
}

async fn queue_mail(store: &Store, mail: NewMail) {
    let mut tx = store.invoicing.begin(mail.account).await.unwrap();
    tx.outgoing().queue(mail).await.unwrap();
    tx.commit().await.unwrap();
}

#[test]
fn mail_is_leased_after_its_commit_with_the_letterhead() {
    on_both(async |ground| {
        let (store, queue_port) = (&ground.store, &ground.store.mail_queue);
        let account = tenant(store).await.id;
        let mut tx = store.invoicing.begin(account).await.unwrap();
        tx.outgoing().queue(mail_of(account)).await.unwrap();
        drop(tx);
        assert_eq!(queue_port.lease_due(NOW, LEASE, 10).await.unwrap(), []);
        let mail = queue(store, account).await;
        let early = NOW - Duration::SECOND;
        assert_eq!(queue_port.lease_due(early, LEASE, 10).await.unwrap(), []);
        let leased = queue_port.lease_due(NOW, LEASE, 10).await.unwrap();
        assert_eq!(leased.len(), 1);
        let letterhead = leased[0].work.letterhead.clone();
        let expected = QueuedMail { letterhead: letterhead.clone(), ..QueuedMail::from(mail) };
        assert_eq!((&leased[0].work, leased[0].attempt), (&expected, 1));
        let letterhead = Letterhead::from_stored(&letterhead.unwrap()).unwrap();
        let current = store.invoice_reads.letterhead(account).await.unwrap();
        assert_eq!(letterhead, current);
        assert_eq!(queue_port.lease_due(NOW, LEASE, 10).await.unwrap(), [], "it is leased");
        let later = queue_port.lease_due(NOW + LEASE, LEASE, 10).await.unwrap();
        assert_eq!(later[0].attempt, 2, "a lease that ends unrecorded makes it due again");
    });
}

#[test]
fn outcome_is_recorded_from_the_latest_lease_only() {
    on_both(async |ground| {
        let (store, port) = (&ground.store, &ground.store.mail_queue);
        let account = tenant(store).await.id;
        queue(store, account).await;
        let first = port.lease_due(NOW, LEASE, 1).await.unwrap()[0].lease();
        let second = port.lease_due(NOW + LEASE, LEASE, 1).await.unwrap()[0].lease();
        let next = NOW + Duration::HOUR;
        let retry = Outcome::Retry { at: NOW, next_attempt_at: next, reason: "451 later".to_owned() };
        assert_eq!(port.record(first, &retry).await.unwrap(), Recorded::LeaseLost);
        assert_eq!(port.record(second, &retry).await.unwrap(), Recorded::Done);
        assert_eq!(port.lease_due(next - Duration::SECOND, LEASE, 1).await.unwrap(), []);
        let third = port.lease_due(next, LEASE, 1).await.unwrap()[0].lease();
        // That it was sent is a fact, whoever tells it.
        assert_eq!(port.record(first, &Outcome::Done { at: next }).await.unwrap(), Recorded::Done);
        let given_up = Outcome::GivenUp { at: next, reason: "no".to_owned() };
        assert_eq!(port.record(third, &given_up).await.unwrap(), Recorded::LeaseLost);
        assert_eq!(port.lease_due(next + Duration::DAY, LEASE, 1).await.unwrap(), []);
        queue(store, account).await;
        let lease = port.lease_due(NOW, LEASE, 1).await.unwrap()[0].lease();
        assert_eq!(port.record(lease, &given_up).await.unwrap(), Recorded::Done);
        assert_eq!(port.lease_due(next + Duration::DAY, LEASE, 1).await.unwrap(), []);
    });
}

#[test]
fn lease_of_another_account_records_nothing() {
    on_both(async |ground| {
        let (store, port) = (&ground.store, &ground.store.mail_queue);
        let account = tenant(store).await.id;
        queue(store, account).await;
        let mut lease = port.lease_due(NOW, LEASE, 1).await.unwrap()[0].lease();
        lease.account = tenant(store).await.id;
        let sent = Outcome::Done { at: NOW };
        assert_eq!(port.record(lease, &sent).await.unwrap(), Recorded::LeaseLost);
        let again = port.lease_due(NOW + LEASE, LEASE, 1).await.unwrap();
        assert_eq!(again.len(), 1);
    });
}

#[test]
fn several_processes_lease_each_mail_once() {
    on_both(async |ground| {
        let store = &ground.store;
        let other = ground.another_process().await;
        let account = tenant(store).await.id;
        for _ in 0..30 {
            queue(store, account).await;
        }
        let leases = (0..10).map(async |n: u32| {
            let store = if n.is_multiple_of(2) { store } else { &other };
            store.mail_queue.lease_due(NOW, LEASE, 4).await.unwrap()
        });
        let mut leased: Vec<_> = join_all(leases).await.into_iter().flatten().collect();
        leased.extend(store.mail_queue.lease_due(NOW, LEASE, 30).await.unwrap());
        let ids: std::collections::BTreeSet<_> = leased.iter().map(|leased| leased.work.id).collect();
        assert_eq!((leased.len(), ids.len()), (30, 30));
    });
}

#[test]
fn customer_mail_of_a_disabled_account_is_held_and_given_up_after_a_day() {
    on_both(async |ground| {
        let (store, port) = (&ground.store, &ground.store.mail_queue);
        let partner = partner(store).await;
        let (first, second) = (new_account(partner), new_account(partner));
        for account in [&first, &second] {
            stored(store, partner, account).await;
            queue(store, account.id).await;
        }
        let switch = async |off, now| {
            let change = AccountChange::OffByOperator(off);
            let changed = store.operator.change_account(OPERATOR, first.id, change, now);
            changed.await.unwrap();
        };
        switch(true, NOW).await;
        let leased = port.lease_due(NOW, LEASE, 10).await.unwrap();
        assert_eq!(leased.len(), 1, "the other account's mail goes");
        assert_eq!(leased[0].work.account, second.id);
        let at = NOW;
        let done = Outcome::Done { at };
        port.record(leased[0].lease(), &done).await.unwrap();

        let later = NOW + Duration::hours(23);
        switch(false, later).await;
        let leased = port.lease_due(later, LEASE, 10).await.unwrap();
        assert_eq!((leased.len(), leased[0].work.account), (1, first.id));
        switch(true, later).await;
        let too_late = later + Duration::hours(2);
        assert_eq!(port.lease_due(too_late, LEASE, 10).await.unwrap(), []);
        switch(false, too_late).await;
        assert_eq!(port.lease_due(too_late, LEASE, 10).await.unwrap(), []);
    });
}

async fn amend(store: &Store, partner: PartnerScope, account: AccountId, profile: ProfileInput) {
    let input = AmendmentInput { profile, ..AmendmentInput::default() };
    let desk = partner_accounts(store);
    let amended = desk.amend(partner, account, input, FieldErrors::default());
    amended.await.unwrap();
}

#[test]
fn customer_mail_is_held_while_communications_are_off_and_owner_mail_is_not() {
    on_both(async |ground| {
        let (store, port) = (&ground.store, &ground.store.mail_queue);
        let partner = partner(store).await;
        let account = new_account(partner);
        stored(store, partner, &account).await;
        let communications = async |enabled| {
            let communications_enabled = Field::Value(enabled);
            let profile = ProfileInput { communications_enabled, ..ProfileInput::default() };
            amend(store, partner, account.id, profile).await;
        };
        communications(false).await;
        let change = AccountChange::OffByOperator(true);
        let changed = store.operator.change_account(OPERATOR, account.id, change, NOW);
        changed.await.unwrap();
        let to_customer = queue(store, account.id).await;
        let to_owner = NewMail { audience: Audience::Owner, ..mail_of(account.id) };
        queue_mail(store, to_owner.clone()).await;
        let leased = port.lease_due(NOW, LEASE, 10).await.unwrap();
        let ids: Vec<_> = leased.iter().map(|leased| leased.work.id).collect();
        assert_eq!(ids, [to_owner.id]);
        assert_eq!(leased[0].work.letterhead, None);

        let change = AccountChange::OffByOperator(false);
        let changed = store.operator.change_account(OPERATOR, account.id, change, NOW);
        changed.await.unwrap();
        assert_eq!(port.lease_due(NOW, LEASE, 10).await.unwrap(), []);
        communications(true).await;
        let leased = port.lease_due(NOW, LEASE, 10).await.unwrap();
        let ids: Vec<_> = leased.iter().map(|leased| leased.work.id).collect();
        assert_eq!(ids, [to_customer.id]);
    });
}

#[test]
fn letterhead_of_a_mail_is_the_one_of_its_commit() {
    on_both(async |ground| {
        let (store, port) = (&ground.store, &ground.store.mail_queue);
        let partner = partner(store).await;
        let account = new_account(partner);
        stored(store, partner, &account).await;
        let before = store.invoice_reads.letterhead(account.id).await.unwrap();
        queue(store, account.id).await;
        let profile = ProfileInput { company_name: Field::Value(line("Renamed")), ..ProfileInput::default() };
        amend(store, partner, account.id, profile).await;
        let leased = port.lease_due(NOW, LEASE, 10).await.unwrap();
        let letterhead = leased[0].work.letterhead.as_deref().unwrap();
        assert_eq!(Letterhead::from_stored(letterhead).unwrap(), before);
    });
}
