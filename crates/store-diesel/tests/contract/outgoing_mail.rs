//! Mail: seen with the commit, leased to one, settled once.

use futures_util::future::join_all;
use kernel::{AccountId, SingleLine};
use mail::{Attachment, MediaType, Message, Outcome, QueuedMail, Recorded};
use partner_accounts::AccountChange;
use store_diesel::Store;
use time::Duration;

use crate::ground::on_both;
use crate::make::{NOW, OPERATOR, email, id, new_account, partner, stored, tenant};

const LEASE: Duration = Duration::minutes(5);

pub(crate) fn mail_of(account: AccountId) -> QueuedMail {
    let mut message = Message::new(
        email("Ada@Example.com"),
        SingleLine::parse("Rechnung für Ada").unwrap(),
        "Text\nünïcode".to_owned(),
        "<p>HTML</p>".to_owned(),
    );
    message.from_name = Some(SingleLine::parse("Acme").unwrap());
    message.reply_to = Some(email("owner@example.com"));
    message.attachments.push(Attachment {
        file_name: SingleLine::parse("invoice.pdf").unwrap(),
        media_type: MediaType::pdf(),
        bytes: (0..=255).collect(),
    });
    QueuedMail {
        id: id(),
        account,
        about: Some(id::<kernel::scope::AccountEntity>().uuid()),
        message,
        queued_at: NOW,
    }
}

pub(crate) async fn queue(store: &Store, account: AccountId) -> QueuedMail {
    let mail = mail_of(account);
    let mut tx = store.invoicing.begin(account).await.unwrap();
    tx.outgoing().queue(&mail).await.unwrap();
    tx.commit().await.unwrap();
    mail
}

#[test]
fn a_mail_is_seen_with_the_commit_and_comes_back_as_it_went_in() {
    on_both(async |ground| {
        let (store, queue_port) = (&ground.store, &ground.store.mail_queue);
        let account = tenant(store).await.id;
        let mut tx = store.invoicing.begin(account).await.unwrap();
        tx.outgoing().queue(&mail_of(account)).await.unwrap();
        drop(tx);
        assert_eq!(queue_port.lease_due(NOW, LEASE, 10).await.unwrap(), []);
        let mail = queue(store, account).await;
        let early = NOW - Duration::SECOND;
        assert_eq!(queue_port.lease_due(early, LEASE, 10).await.unwrap(), []);
        let leased = queue_port.lease_due(NOW, LEASE, 10).await.unwrap();
        assert_eq!(leased.len(), 1);
        assert_eq!((&leased[0].work, leased[0].attempt), (&mail, 1));
        assert_eq!(
            queue_port.lease_due(NOW, LEASE, 10).await.unwrap(),
            [],
            "it is leased"
        );
        let later = queue_port.lease_due(NOW + LEASE, LEASE, 10).await.unwrap();
        assert_eq!(
            later[0].attempt, 2,
            "a lease that ends unrecorded makes it due again"
        );
    });
}

#[test]
fn outcomes_are_kept_from_whoever_may_tell_them() {
    on_both(async |ground| {
        let (store, port) = (&ground.store, &ground.store.mail_queue);
        let account = tenant(store).await.id;
        queue(store, account).await;
        let first = port.lease_due(NOW, LEASE, 1).await.unwrap()[0].lease();
        let second = port.lease_due(NOW + LEASE, LEASE, 1).await.unwrap()[0].lease();
        let next = NOW + Duration::HOUR;
        let retry = Outcome::Retry {
            at: NOW,
            next_attempt_at: next,
            reason: "451 later".to_owned(),
        };
        assert_eq!(
            port.record(first, &retry).await.unwrap(),
            Recorded::LeaseLost
        );
        assert_eq!(port.record(second, &retry).await.unwrap(), Recorded::Done);
        assert_eq!(
            port.lease_due(next - Duration::SECOND, LEASE, 1)
                .await
                .unwrap(),
            []
        );
        let third = port.lease_due(next, LEASE, 1).await.unwrap()[0].lease();
        // That it was sent is a fact, whoever tells it.
        assert_eq!(
            port.record(first, &Outcome::Done { at: next })
                .await
                .unwrap(),
            Recorded::Done
        );
        let given_up = Outcome::GivenUp {
            at: next,
            reason: "no".to_owned(),
        };
        assert_eq!(
            port.record(third, &given_up).await.unwrap(),
            Recorded::LeaseLost
        );
        assert_eq!(
            port.lease_due(next + Duration::DAY, LEASE, 1)
                .await
                .unwrap(),
            []
        );
        queue(store, account).await;
        let lease = port.lease_due(NOW, LEASE, 1).await.unwrap()[0].lease();
        assert_eq!(port.record(lease, &given_up).await.unwrap(), Recorded::Done);
        assert_eq!(
            port.lease_due(next + Duration::DAY, LEASE, 1)
                .await
                .unwrap(),
            []
        );
    });
}

#[test]
fn nobody_records_on_a_lease_of_another_account() {
    on_both(async |ground| {
        let (store, port) = (&ground.store, &ground.store.mail_queue);
        let account = tenant(store).await.id;
        queue(store, account).await;
        let mut lease = port.lease_due(NOW, LEASE, 1).await.unwrap()[0].lease();
        lease.account = tenant(store).await.id;
        let sent = Outcome::Done { at: NOW };
        assert_eq!(
            port.record(lease, &sent).await.unwrap(),
            Recorded::LeaseLost
        );
        let again = port.lease_due(NOW + LEASE, LEASE, 1).await.unwrap();
        assert_eq!(again.len(), 1);
    });
}

#[test]
fn several_processes_share_the_queue_without_leasing_twice() {
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
        let ids: std::collections::BTreeSet<_> =
            leased.iter().map(|leased| leased.work.id).collect();
        assert_eq!((leased.len(), ids.len()), (30, 30));
    });
}

#[test]
fn mail_of_an_account_that_is_switched_off_is_held_and_given_up_when_it_is_a_day_old() {
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
            let changed = store
                .operator
                .change_account(OPERATOR, first.id, change, now);
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
