//! Bulk loading stores the same as single inserts do.

use access::KeySpace;
use invoices::InvoiceFilter;
use kernel::PageSize;

use crate::database::on_both;
use crate::fixtures::{
    contact, input, invoice, key, new_account, next_position, partner, tenant, with_everything,
};

#[test]
fn what_is_loaded_is_what_is_read() {
    on_both(async |db| {
        let store = &db.store;
        let partner = partner(store).await;
        let accounts: Vec<_> = (0..3)
            .map(|n| {
                let mut account = new_account(partner);
                if n == 1 {
                    account.profile = with_everything(account.profile);
                    account.external_id = None;
                    account.monthly_invoice_limit = Some(9);
                }
                let (secret, record) = key(KeySpace::Account);
                account.key = Some((&record).into());
                (secret, (account, record))
            })
            .collect();
        let rows: Vec<_> = accounts.iter().map(|(_, row)| row.clone()).collect();
        store.bulk.accounts(&rows).await.unwrap();
        for (secret, (account, record)) in &accounts {
            let read = store.account_reads.get(partner, account.id).await.unwrap();
            assert_eq!(read.as_ref(), Some(account));
            let found = store.credentials.account_key(&secret.hash()).await.unwrap();
            assert_eq!(found.unwrap().key, record.id);
        }
        for nothing in
            [store.bulk.accounts(&[]).await, store.bulk.contacts(&[]).await, store.bulk.invoices(&[]).await]
        {
            nothing.unwrap();
        }
    });
}

#[test]
fn sequence_continues_after_loaded_numbers_and_never_decreases() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        for (set, next) in [(42, 42), (7, 43), (100, 100)] {
            store.bulk.set_sequence(scope.id, set).await.unwrap();
            let mut tx = store.invoicing.begin(scope.id).await.unwrap();
            assert_eq!(next_position(&mut *tx).await.unwrap(), next);
            tx.commit().await.unwrap();
        }
    });
}

#[test]
fn thousands_of_invoices_are_loaded_at_once() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contacts: Vec<_> = (0..100).map(|_| contact(scope.id)).collect();
        store.bulk.contacts(&contacts).await.unwrap();
        let invoices: Vec<_> = (0..5_000)
            .map(|n| {
                let contact = contacts[n % contacts.len()].clone();
                invoice(&scope, &format!("INV-{n:04}"), Some(contact), input(3))
            })
            .collect();
        store.bulk.invoices(&invoices).await.unwrap();
        let reads = &store.invoice_reads;
        let any = InvoiceFilter::default();
        let page = reads.list(scope.id, &any, PageSize::MAX, None);
        let newest: Vec<_> = invoices.iter().rev().take(100).cloned().collect();
        assert_eq!(page.await.unwrap().items, newest);
    });
}
