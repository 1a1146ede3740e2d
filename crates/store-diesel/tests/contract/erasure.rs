//! What remains of an erased contact.

use communications::{
    Address, AddressHold, Channel, CloseReason, ConversationError, InboxItem, MessageState, NewConsent,
    QuarantineCandidate,
};
use contacts::{Contact, ContactId, ContactReference};
use escalations::{Escalation, EscalationType, NewEscalation, Notes, ResolutionOutcome};
use idempotency::{Claim, IdempotentOutcome};
use invoices::{AmendInvoiceError, Invoice, InvoiceInput};
use kernel::{AccountScope, Field, FieldErrors, MultiLine};
use outbox::NewJob;
use store_diesel::Store;
use testkit::FixedClock;
use time::Duration;

use crate::communications::inbox_item;
use crate::database::on_both;
use crate::fixtures::{
    NOW, OPERATOR, conversations, email, fresh, id, input, invoice, invoicing, line, store_invoices,
    stored_contact, stored_invoice, stored_response, tenant, ticket,
};
use crate::jobs::{job_of, lease, queue_job};
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
                reason: out,
                closed_at: NOW,
                evidence: line("I lost my job, stop writing"),
                reopened_at: None,
                reopened_because: None,
            };
            assert!(tx.preferences().close_address(&hold, NOW).await.unwrap());
        }
        let because = line("she has a new job");
        assert!(tx.preferences().open_address((email, own), out, None, &because, NOW).await.unwrap());
        tx.commit().await.unwrap();

        let mut tx = store.communications.begin(scope.id).await.unwrap();
        tx.preferences().lock(contact.id).await.unwrap().unwrap();
        let later = NOW + Duration::hours(1);
        tx.preferences().erase(contact.id, "(erased)", later).await.unwrap();
        tx.commit().await.unwrap();

        let words = async |address: &Address| {
            let holds = store.communications_reads.address_holds(scope.id, email, address).await.unwrap();
            holds.into_iter().map(|hold| (hold.evidence, hold.reopened_because)).collect::<Vec<_>>()
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

/// Counts the mails that were dropped without their content.
pub(crate) const EMPTIED: &str = "SELECT count(*) AS count FROM jobs WHERE state = 'given_up' AND payload = '{}' \
                       AND last_error = 'the contact was erased'";

pub(crate) async fn send_invoice(
    store: &Store,
    scope: &AccountScope,
    invoice: &Invoice,
) -> Result<Invoice, AmendInvoiceError> {
    let send = InvoiceInput { send_invoice: Field::Value(true), ..InvoiceInput::default() };
    invoicing(store, FixedClock::default()).amend(scope, invoice.id, None, send, FieldErrors::default()).await
}

pub(crate) async fn erase(store: &Store, scope: &AccountScope, contact: ContactId) {
    conversations(store).erase(scope.id, contact).await.unwrap();
}

/// An account with an issued invoice.
pub(crate) async fn invoiced(store: &Store) -> (AccountScope, Contact, Invoice) {
    let scope = tenant(store).await;
    let contact = stored_contact(store, scope.id).await;
    let issued = stored_invoice(store, &scope, "INV-0001", Some(contact.clone()), input(1)).await;
    (scope, contact, issued)
}

#[test]
fn issued_invoice_is_not_sent_to_an_erased_contact_until_it_is_given_an_address() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, contact, issued) = invoiced(store).await;
        send_invoice(store, &scope, &issued).await.unwrap();
        erase(store, &scope, contact.id).await;
        let Err(AmendInvoiceError::Invalid(faults)) = send_invoice(store, &scope, &issued).await else {
            panic!("it was sent")
        };
        let faults: Vec<_> = faults.iter().map(|fault| (&*fault.field, fault.message.to_string())).collect();
        let message = "belongs to a contact that was erased: nothing is sent to it";
        assert_eq!(faults, [("contact.email", message.to_owned())]);
        let mut tx = store.contacts.begin(scope.id).await.unwrap();
        let erased = tx.contacts().lock(contact.id).await.unwrap().unwrap();
        let again = Contact { email: Some(email("other@example.net")), ..erased.clone() };
        assert!(tx.contacts().update(&erased, &again).await.unwrap());
        tx.commit().await.unwrap();
        send_invoice(store, &scope, &issued).await.unwrap();
        let [job] = &lease(store, NOW, 10).await[..] else { panic!("one mail") };
        let payload: serde_json::Value = serde_json::from_str(&job.payload).unwrap();
        assert_eq!(payload["to"], "other@example.net", "not the address that was erased");
    });
}

#[test]
fn cancelled_draft_loses_the_erased_contact_and_a_cancelled_invoice_keeps_it() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        let draft = InvoiceInput { is_draft: Field::Value(true), ..input(1) };
        let invoices = [
            invoice(&scope, "INV-0001", Some(contact.clone()), draft),
            invoice(&scope, "INV-0002", Some(contact.clone()), input(1)),
        ];
        store_invoices(store, scope.id, &invoices).await;
        for one in &invoices {
            let invoicing = invoicing(store, FixedClock::default());
            invoicing.cancel(&scope, one.id, None).await.unwrap();
            invoicing.replace_pay_link(&scope, one.id, None).await.unwrap();
        }
        erase(store, &scope, contact.id).await;
        for (one, name) in invoices.iter().zip(["(erased)", contact.name.as_str()]) {
            let read = store.invoice_reads.get(scope.id, one.id).await.unwrap().unwrap();
            assert_eq!(read.contact.as_ref().unwrap().name.as_str(), name);
        }
    });
}

#[test]
fn notice_to_the_owner_about_an_erased_contact_is_dropped_with_its_words() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, contact, _) = invoiced(store).await;
        let new = NewEscalation {
            escalation_type: EscalationType::Hardship,
            channel: Channel::Email,
            statement: MultiLine::parse("I lost my job.").unwrap(),
            invoice: None,
            contact: Some(contact.id),
        };
        let mut escalation = Escalation::raise(id(), scope.id, new, NOW);
        let mut tx = store.escalations.begin(scope.id).await.unwrap();
        tx.escalations().insert(&escalation).await.unwrap();
        let notes = Notes::parse("Ada found work at Acme.").unwrap();
        escalation.resolve(ResolutionOutcome::NoAction, Some(notes), NOW).unwrap();
        tx.escalations().update(&escalation).await.unwrap();
        tx.commit().await.unwrap();
        let notice = |about| NewJob { resource_id: Some(about), to_customer: false, ..job_of(scope.id) };
        let other_contact: ContactId = id();
        let other = notice(other_contact.uuid());
        queue_job(store, notice(contact.id.uuid())).await;
        db.execute(
            "UPDATE jobs SET state = 'given_up', finished_at = queued_at, last_error = '550 no such user'",
        )
        .await;
        for job in [notice(escalation.id.uuid()), notice(contact.id.uuid()), other.clone()] {
            queue_job(store, job).await;
        }
        erase(store, &scope, contact.id).await;
        let read = store.escalation_reads.get(scope.id, escalation.id).await.unwrap().unwrap();
        let notes = read.resolution.as_ref().and_then(|resolution| resolution.notes.as_ref());
        assert_eq!((read.statement.as_str(), notes.unwrap().as_str()), ("(erased)", "(erased)"));
        assert_eq!(db.count(EMPTIED).await, 2);
        let given_up = store.checkup.jobs_given_up_since(OPERATOR, other.kind, NOW - Duration::DAY).await;
        assert_eq!(given_up.unwrap(), 1, "only what the mail server refused before");
        let mut leased = lease(store, NOW, 10).await;
        leased.retain(|job| job.lease.account == scope.id);
        assert_eq!(leased.iter().map(|job| job.lease.id).collect::<Vec<_>>(), [other.id]);
    });
}

#[test]
fn consent_of_an_erased_contact_is_not_recorded() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, contact, _) = invoiced(store).await;
        let record = async || {
            let new = NewConsent {
                channel: Channel::Sms,
                is_given: true,
                how: line("by telephone"),
                recorded_by: line("owner"),
            };
            conversations(store).record_consent(scope.id, contact.id, &new).await
        };
        record().await.unwrap();
        erase(store, &scope, contact.id).await;
        assert!(matches!(record().await, Err(ConversationError::ContactErased)));
    });
}

#[test]
fn message_in_quarantine_is_no_longer_for_an_erased_contact() {
    on_both(async |db| {
        let store = &db.store;
        let scopes = [tenant(store).await, tenant(store).await];
        let mut contacts = Vec::new();
        for scope in [&scopes[0], &scopes[0], &scopes[1]] {
            contacts.push(stored_contact(store, scope.id).await.id);
        }
        let [ada, namesake, other] = contacts[..] else { unreachable!() };
        // Two contacts were written to at the first sender's address, one at the second's.
        let addresses = [(), ()].map(|()| format!("ada{}@example.com", fresh()));
        let mut items = Vec::new();
        for address in &addresses {
            let sender = Address::parse(Channel::Email, address).unwrap();
            let item = InboxItem { channel: Channel::Email, ..inbox_item() };
            store.inbox.store(&item).await.unwrap();
            for (scope, contact) in [(&scopes[0], ada), (&scopes[1], other)] {
                let mut tx = store.communications.begin(scope.id).await.unwrap();
                tx.messages().insert(&outgoing(scope.id, contact, address), &[]).await.unwrap();
                let sender = Some(&sender);
                assert!(tx.preferences().hold_for_quarantine(item.id, Some(contact), sender).await.unwrap());
                tx.commit().await.unwrap();
            }
            items.push(item.id);
        }
        let mut tx = store.communications.begin(scopes[0].id).await.unwrap();
        tx.messages().insert(&outgoing(scopes[0].id, namesake, &addresses[0]), &[]).await.unwrap();
        tx.commit().await.unwrap();
        erase(store, &scopes[0], ada).await;

        let candidate =
            |scope: &AccountScope, contact| QuarantineCandidate { account: scope.id, contact: Some(contact) };
        let left = candidate(&scopes[1], other);
        for (item, expected) in
            items.into_iter().zip([vec![candidate(&scopes[0], namesake), left], vec![left]])
        {
            assert_eq!(store.inbox.candidates(item).await.unwrap(), expected);
        }
    });
}

#[test]
fn message_whose_last_candidate_is_erased_before_it_is_in_quarantine_is_dropped_with_its_content() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await.id;
        let item = InboxItem { channel: Channel::Email, ..inbox_item() };
        store.inbox.store(&item).await.unwrap();
        let mut tx = store.communications.begin(scope.id).await.unwrap();
        assert!(tx.preferences().hold_for_quarantine(item.id, Some(contact), None).await.unwrap());
        tx.commit().await.unwrap();
        erase(store, &scope, contact).await;

        let state = store.inbox.quarantine(item.id, "2 accounts fit", "erased").await.unwrap();
        assert_eq!(state, Some(MessageState::Dropped));
        let stored = store.inbox.item(item.id).await.unwrap().unwrap();
        assert_eq!((stored.state, stored.content), (MessageState::Dropped, None));
        assert_eq!(store.inbox.quarantine(item.id, "again", "erased").await.unwrap(), None);
    });
}

#[test]
fn repeated_request_gets_no_data_of_an_erased_contact() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, contact, _) = invoiced(store).await;
        let body =
            serde_json::json!({"id": contact.id.to_string(), "name": "Ada", "email": "ada@example.com"});
        let mine = ticket("k", "{}");
        let mut tx = store.stored_responses.begin(scope.id).await.unwrap();
        tx.stored_responses().claim(&mine).await.unwrap();
        tx.stored_responses().store(&mine, &stored_response(&body.to_string())).await.unwrap();
        tx.commit().await.unwrap();
        erase(store, &scope, contact.id).await;
        let mut tx = store.stored_responses.begin(scope.id).await.unwrap();
        let claim = tx.stored_responses().claim(&mine).await.unwrap();
        let body = serde_json::json!({"id": contact.id.to_string(), "name": "(erased)", "email": null});
        let replayed = IdempotentOutcome::Replayed(stored_response(&body.to_string()));
        assert_eq!(claim, Claim::Taken(replayed));
    });
}

#[test]
fn copies_that_are_stored_during_the_erasure_are_erased() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        let reference = ContactReference { id: Some(contact.id), ..ContactReference::default() };
        let keyed = ticket("k", "{}");
        let mut tx = store.invoicing.begin(scope.id).await.unwrap();
        let claimed = tx.contacts().claim_and_lock(&keyed, &reference).await.unwrap();
        assert_eq!(claimed, (Claim::Fresh, vec![contact.clone()]));
        let create = async {
            let draft = InvoiceInput { is_draft: Field::Value(true), ..input(1) };
            let draft = invoice(&scope, "A-1", Some(contact.clone()), draft);
            tx.invoices().insert(&draft).await.unwrap();
            let body =
                serde_json::json!({"contact": {"id": contact.id.to_string(), "name": contact.name.as_str()}});
            tx.stored_responses().store(&keyed, &stored_response(&body.to_string())).await.unwrap();
            tx.commit().await.unwrap();
            draft.id
        };
        let ((), draft) = tokio::join!(erase(store, &scope, contact.id), create);
        let read = store.invoice_reads.get(scope.id, draft).await.unwrap().unwrap();
        let copy = read.contact.clone().unwrap();
        assert_eq!((copy.name.to_string(), copy.email), ("(erased)".to_owned(), None));
        let mut tx = store.stored_responses.begin(scope.id).await.unwrap();
        let claim = tx.stored_responses().claim(&keyed).await.unwrap();
        let body = serde_json::json!({"contact": {"id": contact.id.to_string(), "name": "(erased)"}});
        assert_eq!(claim, Claim::Taken(IdempotentOutcome::Replayed(stored_response(&body.to_string()))));
    });
}
