//! Searching invoices, and their summaries.

use contacts::Contact;
use invoices::{
    AmendInvoiceError, InvoiceFilter, InvoiceInput, InvoiceSearch, InvoiceStatus, InvoiceSummary,
};
use kernel::{AccountScope, Currency, Field, FieldErrors, PageSize};
use store_diesel::Store;
use testkit::FixedClock;

use crate::database::on_both;
use crate::fixtures::{
    contact, email, input, invoice, invoicing, line, store_invoices, stored_contact, stored_invoice, tenant,
};

async fn found(store: &Store, scope: &AccountScope, filter: InvoiceFilter) -> Vec<String> {
    let page = store.invoice_reads.summaries(scope.id, &filter, PageSize::MAX, None).await.unwrap();
    let whole = store.invoice_reads.list(scope.id, &filter, PageSize::MAX, None).await.unwrap();
    let of_whole: Vec<InvoiceSummary> = whole.items.iter().map(InvoiceSummary::from).collect();
    assert_eq!((&page.items, page.next), (&of_whole, whole.next));
    page.items.into_iter().map(|one| one.number.to_string()).collect()
}

#[test]
fn search_finds_numbers_references_and_contacts() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, other) = (tenant(store).await, tenant(store).await);
        let ada = Contact {
            name: line("Ada Lovelace"),
            email: Some(email("ada@example.com")),
            ..contact(scope.id)
        };
        // Named, not numbered like the contacts of other tests: the search would match a number.
        let eve = Contact { name: line("Eve"), email: Some(email("eve@example.com")), ..contact(scope.id) };
        let mut tx = store.contacts.begin(scope.id).await.unwrap();
        assert!(tx.contacts().insert_new(&ada).await.unwrap());
        assert!(tx.contacts().insert_new(&eve).await.unwrap());
        tx.commit().await.unwrap();
        let with_reference = |text: &str| {
            let mut input = input(1);
            input.texts.reference = Field::Value(line(text));
            input
        };
        let mut draft = input(1);
        draft.is_draft = Field::Value(true);
        let invoices = [
            invoice(&scope, "INV-0001", Some(ada.clone()), input(2)),
            invoice(&scope, "INV-0002", Some(eve.clone()), with_reference("PO 7")),
            invoice(&scope, "PO 7", Some(ada), draft),
            invoice(
                &scope,
                "O'Neil",
                None,
                InvoiceInput { is_draft: Field::Value(true), ..Default::default() },
            ),
        ];
        store_invoices(store, scope.id, &invoices).await;
        let theirs = stored_contact(store, other.id).await;
        store_invoices(store, other.id, &[invoice(&other, "INV-0009", Some(theirs), input(1))]).await;
        let search = |text: &str| InvoiceFilter {
            search: Some(InvoiceSearch::parse(text, &scope).unwrap()),
            ..InvoiceFilter::default()
        };
        for (text, numbers) in [
            ("inv-0001", vec!["INV-0001"]),
            ("2", vec!["INV-0002"]),
            ("PO 7", vec!["PO 7", "INV-0002"]),
            ("love", vec!["PO 7", "INV-0001"]),
            ("ada@example.com", vec!["PO 7", "INV-0001"]),
            ("O'Neil", vec!["O'Neil"]),
            ("INV-0009", vec![]),
            ("9", vec![]),
            ("nothing like it", vec![]),
        ] {
            assert_eq!(found(store, &scope, search(text)).await, numbers, "{text}");
        }
        let drafts = InvoiceFilter { statuses: vec![InvoiceStatus::Draft], ..search("love") };
        assert_eq!(found(store, &scope, drafts).await, ["PO 7"]);
    });
}

#[test]
fn walk_through_a_search_shows_each_invoice_once() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        let of_contact = |n: usize| invoice(&scope, &format!("S{n}"), Some(contact.clone()), input(1));
        let invoices: Vec<_> = (0..5).map(of_contact).collect();
        store_invoices(store, scope.id, &invoices).await;
        let filter = InvoiceFilter {
            search: InvoiceSearch::parse(contact.email.as_ref().unwrap().as_str(), &scope),
            ..InvoiceFilter::default()
        };
        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let size = PageSize::of(2).unwrap();
            let page = store.invoice_reads.summaries(scope.id, &filter, size, after).await.unwrap();
            seen.extend(page.items.into_iter().map(|one| one.number.to_string()));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(seen, ["S4", "S3", "S2", "S1", "S0"]);
    });
}

#[test]
fn search_finds_the_invoices_of_every_contact_whatever_their_number() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let name = line("Shop");
        let named = |_| Contact { name: name.clone(), ..contact(scope.id) };
        let contacts: Vec<Contact> = (0..102).map(named).collect();
        store.bulk.contacts(&contacts).await.unwrap();
        let of = |n: usize| invoice(&scope, &format!("S{n}"), Some(contacts[n].clone()), input(1));
        let (oldest, newest) = (of(0), of(101));
        let mut other = input(1);
        other.texts.reference = Field::Value(line("shop"));
        let other_contact = stored_contact(store, scope.id).await;
        let by_reference = invoice(&scope, "R", Some(other_contact.clone()), other);
        let not_found = invoice(&scope, "N", Some(other_contact), input(1));
        store_invoices(store, scope.id, &[oldest, newest, by_reference, not_found]).await;
        let filter =
            InvoiceFilter { search: InvoiceSearch::parse("shop", &scope), ..InvoiceFilter::default() };
        assert_eq!(found(store, &scope, filter).await, ["R", "S101", "S0"]);
    });
}

#[test]
fn invoice_changed_meanwhile_is_not_overwritten() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        let made = stored_invoice(store, &scope, "V-1", Some(contact), input(1)).await;
        let invoicing = invoicing(store, FixedClock::default());
        let euros = || InvoiceInput {
            currency: Field::Value(Currency::parse("EUR").unwrap()),
            ..InvoiceInput::default()
        };
        let version = store.invoice_reads.get(scope.id, made.id).await.unwrap().unwrap().version();
        let amend = async |version| {
            invoicing.amend(&scope, made.id, Some(version), euros(), FieldErrors::default()).await
        };
        // The clock stands still: the version does not depend on it.
        let amended = amend(&version).await.unwrap();
        assert_eq!(amended.currency.code(), "EUR");
        let stale = amend(&version).await;
        assert!(matches!(stale, Err(AmendInvoiceError::Changed)), "{stale:?}");
        amend(&amended.version()).await.unwrap();
    });
}
