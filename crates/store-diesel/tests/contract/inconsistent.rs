//! Rows that the domain cannot mean.

use kernel::StoreError;

use crate::ground::on_both;
use crate::make::{input, invoice, store_invoices, stored_contact, tenant};

#[test]
fn they_are_reported_by_place_and_never_by_content() {
    on_both(async |ground| {
        let store = &ground.store;
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        let one = invoice(&scope, "N", Some(contact.clone()), input(1));
        store_invoices(store, scope.id, std::slice::from_ref(&one)).await;
        for (tampering, table) in [
            ("UPDATE invoices SET currency = 'XXX'", "invoices"),
            (
                "UPDATE invoices SET currency = 'AUD', contact = '{\"name\": \"hidden\", \"phone\": 7}'",
                "invoices",
            ),
            (
                "UPDATE invoices SET contact = '{\"name\": \"A\"}'; UPDATE line_items SET tax_type = ''",
                "line_items",
            ),
        ] {
            ground.tamper(tampering).await;
            let error = store.invoice_reads.get(scope.id, one.id).await.unwrap_err();
            let StoreError::Inconsistent { table: found, .. } = &error else {
                panic!("{error:?}")
            };
            assert_eq!(*found, table);
            assert!(!error.to_string().contains("hidden"), "{error}");
        }
        ground.tamper("UPDATE contacts SET name = ' '").await;
        let error = store
            .contact_reads
            .get(scope.id, contact.id)
            .await
            .unwrap_err();
        let place = format!("row {} of table contacts", contact.id);
        assert!(error.to_string().starts_with(&place), "{error}");
    });
}
