//! The use cases over real stores, run concurrently.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use contacts::{ContactInput, ContactReference, ContactService, FoundOrCreated};
use futures_util::future::join_all;
use idempotency::{IdempotentOutcome, IdempotentResponse};
use invoices::{CreateInvoiceError, Invoice, InvoiceFilter};
use kernel::{Field, FieldErrors, PageSize};
use partner_accounts::{ProfileInput, ProvisionError, Provisioned};
use testkit::{CountingIds, FixedClock};

use crate::database::on_both;
use crate::fixtures::{
    email, fresh, input, invoicing, line, partner, partner_accounts, stored_response, tenant, ticket,
};

#[test]
fn twenty_identical_creations_under_one_key_are_one_invoice() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let other = db.another_process().await;
        let mine = ticket("k", "{}");
        let creations = (0..20).map(async |n| {
            let invoicing = invoicing(if n % 2 == 0 { store } else { &other }, FixedClock::default());
            let present = |invoice: &Invoice| stored_response(&invoice.id.to_string());
            let idempotent_response = IdempotentResponse { ticket: Some(&mine), present: &present };
            loop {
                let created =
                    invoicing.create(&scope, input(2), FieldErrors::default(), &idempotent_response);
                match created.await.unwrap() {
                    IdempotentOutcome::InFlight => tokio::task::yield_now().await,
                    settled => return settled,
                }
            }
        });
        let settled = join_all(creations).await;
        let fresh = settled.iter().filter(|one| matches!(one, IdempotentOutcome::Fresh(_)));
        assert_eq!(fresh.count(), 1);
        let reads = &store.invoice_reads;
        let any = InvoiceFilter::default();
        let page = reads.list(scope.id, &any, PageSize::MAX, None);
        let invoices = page.await.unwrap().items;
        assert_eq!(invoices.len(), 1);
        assert_eq!(invoices[0].number.as_str(), "INV-0001");
        let body = stored_response(&invoices[0].id.to_string());
        for one in settled {
            let (IdempotentOutcome::Fresh(response) | IdempotentOutcome::Replayed(response)) = one else {
                panic!("{one:?}")
            };
            assert_eq!(response, body);
        }
    });
}

#[test]
fn many_creations_number_without_a_gap_and_make_one_contact() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let invoicing = invoicing(store, FixedClock::default());
        let creations = (0..20).map(async |n| {
            let mut input = input(1);
            input.contact = Field::Value(ContactInput {
                email: Field::Value(email("Same@Example.com")),
                name: Field::Value(line("Same")),
                ..ContactInput::default()
            });
            // Every fourth is refused for its number, and uses up no number of the sequence.
            if n % 4 == 3 {
                input.invoice_number = Field::Value(invoices::InvoiceNumber::parse("X").unwrap());
            }
            let present = |invoice: &Invoice| stored_response(invoice.number.as_str());
            let idempotent_response = IdempotentResponse { ticket: None, present: &present };
            invoicing.create(&scope, input, FieldErrors::default(), &idempotent_response).await
        });
        let (mut numbers, mut refused) = (Vec::new(), 0);
        for created in join_all(creations).await {
            match created {
                Ok(IdempotentOutcome::Fresh(response)) => {
                    numbers.push(String::from_utf8(response.body).unwrap())
                }
                Err(CreateInvoiceError::DuplicateNumber) => refused += 1,
                other => panic!("{other:?}"),
            }
        }
        numbers.sort();
        let mut wanted: Vec<_> = (1..=15).map(|n| format!("INV-{n:04}")).collect();
        wanted.push("X".to_owned());
        assert_eq!((numbers, refused), (wanted, 4));
        let page =
            store.invoice_reads.list(scope.id, &InvoiceFilter::default(), PageSize::MAX, None).await.unwrap();
        let first = page.items[0].contact.as_ref().unwrap().id;
        assert!(page.items.iter().all(|one| one.contact.as_ref().unwrap().id == first));
    });
}

#[test]
fn many_that_find_or_create_one_contact_find_one() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let book = ContactService {
            store: store.contacts.clone(),
            reads: store.contact_reads.clone(),
            clock: Arc::new(FixedClock::default()),
            ids: Arc::new(CountingIds::default()),
        };
        let reference = ContactReference {
            email: Some(email("Ada@example.com")),
            external_id: Some(line("ada")),
            name: Some(line("Ada")),
            ..ContactReference::default()
        };
        let seen = Mutex::new(BTreeSet::new());
        let calls = (0..20).map(async |_| {
            let present = |found: &FoundOrCreated| {
                seen.lock().unwrap().insert(found.contact.id);
                stored_response(&format!("{}", found.created))
            };
            let idempotent_response = IdempotentResponse { ticket: None, present: &present };
            book.find_or_create(&scope, &reference, &idempotent_response).await.unwrap()
        });
        let created = stored_response("true");
        let settled = join_all(calls).await;
        let fresh = settled.iter().filter(|one| **one == IdempotentOutcome::Fresh(created.clone()));
        assert_eq!(fresh.count(), 1);
        assert_eq!(seen.lock().unwrap().len(), 1);
    });
}

#[test]
fn many_that_provision_one_customer_provision_one_account() {
    on_both(async |db| {
        let store = &db.store;
        let partner = partner(store).await;
        let accounts = partner_accounts(store);
        let n = fresh();
        let input = ProfileInput {
            company_name: Field::Value(line("Acme")),
            email: Field::Value(email(&format!("acme{n}@example.com"))),
            external_id: Field::Value(line("acme")),
            webhook_url: Field::Value(kernel::HttpsUrl::parse("https://hooks.example.com").unwrap()),
            ..ProfileInput::default()
        };
        let calls = (0..10).map(async |_| {
            let input = input.clone();
            accounts.provision(partner, input, FieldErrors::default()).await
        });
        let mut new = 0;
        for provisioned in join_all(calls).await {
            match provisioned.unwrap() {
                Provisioned::New(..) => new += 1,
                Provisioned::Matched(account) => {
                    assert_eq!(account.profile.company_name.as_str(), "Acme")
                }
            }
        }
        assert_eq!(new, 1);
        let other = ProfileInput { external_id: Field::Absent, ..input };
        let taken = accounts.provision(partner, other, FieldErrors::default()).await;
        assert!(matches!(taken, Err(ProvisionError::EmailTaken)));
        // Without an external id, one gets the address. Each gets a payment page of its own.
        let provision = async |address: String| {
            let email = Field::Value(email(&address));
            let input =
                ProfileInput { company_name: Field::Value(line("Same")), email, ..ProfileInput::default() };
            accounts.provision(partner, input, FieldErrors::default()).await
        };
        let same = join_all((0..10).map(|_| provision(format!("same{n}@example.com")))).await;
        let taken = same.iter().filter(|one| matches!(one, Err(ProvisionError::EmailTaken)));
        assert_eq!((same.iter().filter(|one| one.is_ok()).count(), taken.count()), (1, 9));
        let others = join_all((0..10).map(|i| provision(format!("other{i}.{n}@example.com")))).await;
        let slug = |one: Result<Provisioned, _>| match one {
            Ok(Provisioned::New(made)) => made.account.payment_slug,
            other => panic!("{other:?}"),
        };
        assert_eq!(others.into_iter().map(slug).collect::<BTreeSet<_>>().len(), 10);
    });
}
