//! What remains of an erased contact.

use communications::{Address, AddressHold, Channel, CloseReason};
use contacts::Contact;
use invoices::{Invoice, InvoiceInput};
use kernel::Field;
use time::Duration;

use crate::database::on_both;
use crate::fixtures::{NOW, fresh, id, input, invoice, line, store_invoices, stored_contact, tenant};
use crate::messages::outgoing;

#[test]
fn erased_contact_leaves_neither_words_of_its_opt_out_nor_its_name_in_drafts() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let (contact, other) = (stored_contact(store, scope.id).await, stored_contact(store, scope.id).await);
        let draft = InvoiceInput { is_draft: Field::Value(true), ..input(1) };
        let invoices = [
            invoice(&scope, "INV-0001", Some(contact.clone()), draft.clone()),
            invoice(&scope, "INV-0002", Some(contact.clone()), input(1)),
            invoice(&scope, "INV-0003", Some(other.clone()), draft),
        ];
        store_invoices(store, scope.id, &invoices).await;
        let former = outgoing(scope.id, contact.id, &format!("ada{}@example.com", fresh()));
        let addresses = [&contact, &other].map(|contact| Address::from(contact.email.as_ref().unwrap()));
        let [own, others] = &addresses;
        let mut tx = store.communications.begin(scope.id).await.unwrap();
        tx.messages().insert(&former, &[]).await.unwrap();
        let (email, out) = (Channel::Email, CloseReason::OptedOut);
        for address in [own, &former.address, others] {
            let hold = AddressHold {
                id: id(),
                account: scope.id,
                channel: email,
                address: address.clone(),
                closed: out,
                at: NOW,
                how: line("I lost my job, stop writing"),
                lifted_at: None,
                lifted_how: None,
            };
            assert!(tx.preferences().close_address(&hold).await.unwrap());
        }
        let how = line("she has a new job");
        assert!(tx.preferences().open_address(email, own, out, &how, NOW).await.unwrap());
        tx.commit().await.unwrap();

        let mut tx = store.communications.begin(scope.id).await.unwrap();
        tx.preferences().lock(contact.id).await.unwrap().unwrap();
        let later = NOW + Duration::hours(1);
        tx.preferences().erase(contact.id, "(erased)", later).await.unwrap();
        tx.commit().await.unwrap();

        let words = async |address: &Address| {
            let holds = store.communications_reads.address_holds(scope.id, email, address).await.unwrap();
            holds.into_iter().map(|hold| (hold.how, hold.lifted_how)).collect::<Vec<_>>()
        };
        assert_eq!(words(own).await, [(line("(erased)"), Some(line("(erased)")))]);
        assert_eq!(words(&former.address).await, [(line("(erased)"), None)], "it stays closed");
        assert_eq!(words(others).await, [(line("I lost my job, stop writing"), None)]);
        let read = async |invoice: &Invoice| {
            let read = store.invoice_reads.get(scope.id, invoice.id).await.unwrap().unwrap();
            let contact = read.contact.clone().unwrap();
            (contact.name.to_string(), contact.email, contact.phone, read.updated_at)
        };
        let copy = |contact: &Contact, at| {
            (contact.name.to_string(), contact.email.clone(), contact.phone.clone(), at)
        };
        assert_eq!(read(&invoices[0]).await, ("(erased)".to_owned(), None, None, later));
        assert_eq!(read(&invoices[1]).await, copy(&contact, invoices[1].updated_at), "it is issued");
        assert_eq!(read(&invoices[2]).await, copy(&other, invoices[2].updated_at));
    });
}
