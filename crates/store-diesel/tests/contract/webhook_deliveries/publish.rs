//! An event and its deliveries are stored exactly when the change they report is stored.

use std::collections::BTreeSet;

use invoices::{NewPayment, PaymentMethod, RecordedBy};
use kernel::SealingKeys;
use testkit::FixedClock;
use webhooks::{DeliveryState, EndpointChange, EscalationFacts, Event, EventName, Occurrence};

use super::{administration, all, lease, only, paid, publish, register, register_for, subscriptions};
use crate::database::on_both;
use crate::fixtures::{IDS, NOW, id, input, invoicing, stored_contact, stored_invoice, tenant};

#[test]
fn a_delivery_is_seen_with_the_commit_and_carries_all_that_an_attempt_needs() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        let (endpoint, secret) =
            register_for(store, account, subscriptions(&[EventName::PaymentRecorded])).await;
        let mut tx = store.invoicing.begin(account).await.unwrap();
        let lost = paid(account, NOW);
        webhooks::publish(tx.events(), &*IDS, &lost).await.unwrap();
        drop(tx);
        assert!(lease(store, NOW).await.is_empty());
        assert_eq!(all(store, account).await, []);
        let event = publish(store, account).await;
        let pending = only(store, account).await;
        assert_eq!(pending.state, DeliveryState::Pending);
        assert_eq!((pending.event, pending.name), (event.id, event.name));
        assert_eq!((pending.begun, pending.next_attempt_at), (0, Some(NOW)));
        let leased = lease(store, NOW).await;
        assert_eq!(leased.len(), 1);
        let one = &leased[0];
        assert_eq!((one.lease.account, one.lease.event, one.lease.attempt), (account, event.id, 1));
        assert_eq!((one.endpoint, &one.body), (endpoint.id, &event.body));
        assert_eq!(one.url, "https://example.com/hook");
        let keys = SealingKeys::new(&[7; 32], None);
        let opened = one.secret.open(&keys, account, endpoint.id).unwrap();
        assert_eq!(opened.reveal(), secret.reveal());
        assert!(lease(store, NOW).await.is_empty(), "it is leased");
    });
}

#[test]
fn event_goes_to_enabled_subscribed_endpoints_of_the_account() {
    on_both(async |db| {
        let store = &db.store;
        let (account, other) = (tenant(store).await.id, tenant(store).await.id);
        register(store, other).await;
        let (payments, _) = register_for(store, account, subscriptions(&[EventName::PaymentRecorded])).await;
        let (escalations, _) =
            register_for(store, account, subscriptions(&[EventName::EscalationCreated])).await;
        for change in [EndpointChange::Disable, EndpointChange::Delete] {
            let off = register(store, account).await;
            administration(store).change(account, off.id, change).await.unwrap();
        }
        publish(store, account).await;
        let told: Vec<_> = lease(store, NOW).await.iter().map(|one| one.endpoint).collect();
        assert_eq!(told, [payments.id]);
        let facts = EscalationFacts {
            id: id::<kernel::scope::AccountEntity>().uuid(),
            escalation_type: "dispute",
            priority: "high",
            trigger_channel: "email",
            invoice_id: None,
            contact_id: None,
        };
        for (resolved, told) in [(false, vec![escalations.id]), (true, vec![])] {
            let of = Occurrence {
                id: id(),
                account,
                at: NOW,
                urls: kernel::PublicUrls::new("https://books.example"),
            };
            let event = if resolved {
                Event::escalation_resolved(of, &facts, None, NOW)
            } else {
                Event::escalation_created(of, &facts)
            };
            let mut tx = store.invoicing.begin(account).await.unwrap();
            webhooks::publish(tx.events(), &*IDS, &event).await.unwrap();
            tx.commit().await.unwrap();
            let leased = lease(store, NOW).await;
            let endpoints: Vec<_> = leased.iter().map(|one| one.endpoint).collect();
            assert_eq!(endpoints, told);
        }
        let mut tx = store.invoicing.begin(other).await.unwrap();
        let foreign = webhooks::publish(tx.events(), &*IDS, &paid(account, NOW)).await;
        assert!(foreign.is_err(), "the event is of another account");
        drop(tx);
        assert!(lease(store, NOW).await.is_empty());
    });
}

#[test]
fn five_endpoints_have_five_deliveries_with_ids_of_their_own() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        let mut endpoints = BTreeSet::new();
        for _ in 0..5 {
            endpoints.insert(register(store, account).await.id);
        }
        publish(store, account).await;
        publish(store, account).await;
        let leased = lease(store, NOW).await;
        let ids: BTreeSet<_> = leased.iter().map(|one| one.lease.id).collect();
        let told: BTreeSet<_> = leased.iter().map(|one| one.endpoint).collect();
        assert_eq!((leased.len(), ids.len()), (10, 10));
        assert_eq!(told, endpoints);
    });
}

#[test]
fn payment_event_is_published_once_with_the_payment() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        register(store, scope.id).await;
        let contact = stored_contact(store, scope.id).await;
        let raised = stored_invoice(store, &scope, "N", Some(contact), input(1)).await;
        let invoicing = invoicing(store, FixedClock::default());
        let pay = async |amount: &str| {
            let new = NewPayment {
                amount: amount.to_owned(),
                currency: None,
                method: PaymentMethod::Cash,
                reference: None,
                received_at: None,
                recorded_by: RecordedBy::Operator,
            };
            invoicing.record_payment(scope.id, raised.id, &new).await
        };
        assert!(pay("1000000").await.is_err());
        assert_eq!(all(store, scope.id).await, []);
        pay("1").await.unwrap();
        let leased = lease(store, NOW).await;
        assert_eq!(leased.len(), 1);
        let told = format!("\"resource_url\":\"https://pay.example/api/v1/invoices/{}\"", raised.id);
        assert!(leased[0].body.contains(&told), "{}", leased[0].body);
    });
}
