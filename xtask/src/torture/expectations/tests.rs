use super::*;
use crate::torture::response::Response;
use crate::torture::response_log::{CreatedInvoice, SentEscalation};
use crate::torture::stored_records::Stored;

fn id(n: u128) -> Uuid {
    Uuid::from_u128(n)
}

/// One of every record, with responses and rows that agree.
fn whole() -> (Responses, StoredRecords, Received) {
    let mut responses = Responses::default();
    let response = Response { status: 201, location: String::new(), body: b"{}".to_vec() };
    responses.record_response("k-1", id(1), &response, b"");
    let sale = CreatedInvoice {
        number: "INV-0001".to_owned(),
        cancelled: true,
        total: Some(900),
        ..CreatedInvoice::default()
    };
    responses.invoices.insert(id(1), sale);
    responses.contacts.insert(id(2), id(0));
    let paid = SentPayment { invoice: id(1), cents: 5, outcome: Outcome::Done };
    responses.payments.insert("p-1".to_owned(), paid);
    let raised = SentEscalation { id: Some(id(3)), resolved: Some(Outcome::Done) };
    responses.escalations.insert("e-1".to_owned(), raised);
    let mut stored_records = StoredRecords::default();
    let stored = Stored {
        number: "INV-0001".to_owned(),
        status: "CANCELLED".to_owned(),
        total: 900,
        ..Stored::default()
    };
    stored_records.invoices.insert(id(1), stored);
    let contact = (id(0), "customer@example.com".to_owned());
    stored_records.contacts.insert(id(2), contact);
    stored_records.payments.push(("p-1".to_owned(), id(1), 5));
    stored_records.escalations.insert(id(3), ("e-1".to_owned(), true));
    stored_records.kept.push(("k-1".to_owned(), id(1)));
    stored_records.deliveries.push((id(4), "succeeded".to_owned(), 5));
    let mut received = Received::default();
    received.events.insert(id(4), (Vec::new(), 1));
    (responses, stored_records, received)
}

/// How many records are reported as broken after this change to a correct state.
fn broken(change: impl FnOnce(&mut Responses, &mut StoredRecords, &mut Received)) -> usize {
    let (mut responses, mut stored_records, mut received) = whole();
    change(&mut responses, &mut stored_records, &mut received);
    let checks = check_expectations(&responses, &stored_records, &received);
    checks.iter().map(|check| check.broken.len()).sum()
}

#[test]
fn agreeing_records_pass_all_checks() {
    assert_eq!(broken(|_, _, _| {}), 0);
}

#[test]
fn missing_record_is_reported() {
    assert_eq!(broken(|_, stored_records, _| stored_records.contacts.clear()), 1);
    assert_eq!(broken(|_, stored_records, _| stored_records.payments.clear()), 1);
    assert_eq!(broken(|_, stored_records, _| stored_records.escalations.clear()), 1);
    assert_eq!(
        broken(|_, stored_records, _| stored_records.kept.clear()),
        2,
        "the key's answer, and an invoice of no key"
    );
    assert_eq!(broken(|_, _, received| received.events.clear()), 1);
    assert_eq!(broken(|responses, _, _| responses.wrong.push("x".to_owned())), 1);
}

#[test]
fn acknowledged_change_must_be_stored() {
    let with = |change: fn(&mut CreatedInvoice, &mut Stored)| {
        broken(|responses, stored_records, _| {
            let (sale, stored) =
                (responses.invoices.get_mut(&id(1)), stored_records.invoices.get_mut(&id(1)));
            change(sale.unwrap(), stored.unwrap());
        })
    };
    assert_eq!(with(|_, stored| stored.status = "UNPAID".to_owned()), 1);
    assert_eq!(with(|sale, _| sale.reference = Some("r-1".to_owned())), 1);
    assert_eq!(with(|_, stored| stored.total = 901), 1);
    assert_eq!(with(|sale, _| sale.total = None), 0, "nothing was heard of amended lines");
    let later = |sale: &mut CreatedInvoice, stored: &mut Stored| {
        sale.reference = Some("r-1".to_owned());
        sale.unconfirmed_references.push("r-2".to_owned());
        stored.reference = Some("r-2".to_owned());
    };
    assert_eq!(with(later), 0, "one of which nothing was heard may be there");
}

#[test]
fn stored_payment_must_match_its_outcome() {
    let with = |outcome: Outcome, rows: usize| {
        broken(|responses, stored_records, _| {
            responses.payments.get_mut("p-1").unwrap().outcome = outcome;
            stored_records.payments = vec![("p-1".to_owned(), id(1), 5); rows];
        })
    };
    assert_eq!([0, 1, 2].map(|rows| with(Outcome::Done, rows)), [1, 0, 1]);
    assert_eq!([0, 1, 2].map(|rows| with(Outcome::Unknown, rows)), [0, 0, 1]);
    assert_eq!([0, 1].map(|rows| with(Outcome::Refused, rows)), [0, 1]);
    assert_eq!(broken(|_, stored_records, _| stored_records.payments.push(("x".to_owned(), id(1), 5))), 1);
}

#[test]
fn stored_resolution_must_match_its_outcome() {
    let with = |outcome: Option<Outcome>, resolved: bool| {
        broken(|responses, stored_records, _| {
            responses.escalations.get_mut("e-1").unwrap().resolved = outcome;
            stored_records.escalations.get_mut(&id(3)).unwrap().1 = resolved;
        })
    };
    assert_eq!(with(Some(Outcome::Done), false), 1);
    assert_eq!(with(Some(Outcome::Unknown), false) + with(Some(Outcome::Unknown), true), 0);
    assert_eq!(with(None, true), 1);
}

#[test]
fn key_and_number_must_belong_to_one_invoice() {
    let second = |stored_records: &mut StoredRecords| {
        let twin = stored_records.invoices[&id(1)].clone();
        stored_records.invoices.insert(id(9), twin);
    };
    assert_eq!(
        broken(|_, stored_records, _| second(stored_records)),
        2,
        "of no key, and with a number of another one"
    );
    assert_eq!(broken(|_, stored_records, _| stored_records.kept.push(("k-2".to_owned(), id(1)))), 1);
}

#[test]
fn address_must_belong_to_one_contact_of_an_account() {
    let with = |account: u128, email: &str| {
        broken(|_, stored_records, _| {
            let contact = (id(account), email.to_owned());
            stored_records.contacts.insert(id(8), contact);
        })
    };
    assert_eq!(with(0, "Customer@example.com"), 1);
    assert_eq!(with(0, "another@example.com"), 0);
    assert_eq!(with(7, "customer@example.com"), 0, "of another account");
    assert_eq!(
        broken(|responses, _, _| *responses.contacts.get_mut(&id(2)).unwrap() = id(7)),
        1,
        "it is where it was made"
    );
}

#[test]
fn gap_in_numbers_is_reported() {
    let with = |account: u128, numbers: &[&str]| {
        let mut stored_records = StoredRecords::default();
        for (n, number) in (10..).zip(numbers) {
            let stored = Stored { account: id(account), number: (*number).to_owned(), ..Stored::default() };
            stored_records.invoices.insert(id(n), stored);
        }
        check_gaps(&stored_records).broken.len()
    };
    assert_eq!(with(1, &["INV-0002", "INV-0001"]), 0);
    assert_eq!(with(1, &["INV-0001", "INV-0003"]), 1);
    assert_eq!(with(1, &["INV-0002"]), 1, "the first one is missing");
    assert_eq!(with(1, &[]), 0);
}

#[test]
fn received_event_must_be_stored() {
    let (_, stored_records, _) = whole();
    let broken = |came: &[u128]| {
        let came = came.iter().map(|n| id(*n)).collect();
        check_known_events(&came, &stored_records).broken.len()
    };
    assert_eq!(broken(&[4]), 0);
    assert_eq!(broken(&[]), 0);
    assert_eq!(broken(&[4, 77]), 1);
}

#[test]
fn pending_unreceived_or_sixth_attempt_is_reported() {
    let with = |state: &str, attempts: u32| {
        broken(|_, stored_records, received| {
            stored_records.deliveries = vec![(id(4), state.to_owned(), attempts)];
            received.events.clear();
        })
    };
    assert_eq!(with("pending", 0), 1, "no worker took it");
    assert_eq!(with("pending", 3), 1);
    assert_eq!(with("pending", 6), 2);
    assert_eq!(with("abandoned", 5), 1);
}
