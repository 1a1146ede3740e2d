use super::*;
use crate::torture::caller::Answer;
use crate::torture::found::Stored;
use crate::torture::ledger::{Raised, Sale};

fn id(n: u128) -> Uuid {
    Uuid::from_u128(n)
}

/// One of everything, told and found alike.
fn whole() -> (Told, Found, Received) {
    let mut told = Told::default();
    let answer = Answer {
        status: 201,
        body: b"{}".to_vec(),
    };
    told.answered("k-1", id(1), &answer, b"");
    let sale = Sale {
        number: "INV-0001".to_owned(),
        cancelled: true,
        total: Some(900),
        ..Sale::default()
    };
    told.invoices.insert(id(1), sale);
    told.contacts.insert(id(2), id(0));
    let paid = Paid {
        invoice: id(1),
        cents: 5,
        heard: Heard::Done,
    };
    told.payments.insert("p-1".to_owned(), paid);
    let raised = Raised {
        id: Some(id(3)),
        resolved: Some(Heard::Done),
    };
    told.escalations.insert("e-1".to_owned(), raised);
    let mut found = Found::default();
    let stored = Stored {
        number: "INV-0001".to_owned(),
        status: "CANCELLED".to_owned(),
        total: 900,
        ..Stored::default()
    };
    found.invoices.insert(id(1), stored);
    let contact = (id(0), "customer@example.com".to_owned());
    found.contacts.insert(id(2), contact);
    found.payments.push(("p-1".to_owned(), id(1), 5));
    found.escalations.insert(id(3), ("e-1".to_owned(), true));
    found.kept.push(("k-1".to_owned(), id(1)));
    found.deliveries.push((id(4), "succeeded".to_owned(), 5));
    let mut received = Received::default();
    received.events.insert(id(4), (Vec::new(), 1));
    (told, found, received)
}

/// How many things are broken after this has been done to a whole state.
fn broken(change: impl FnOnce(&mut Told, &mut Found, &mut Received)) -> usize {
    let (mut told, mut found, mut received) = whole();
    change(&mut told, &mut found, &mut received);
    let checks = held(&told, &found, &received);
    checks.iter().map(|check| check.broken.len()).sum()
}

#[test]
fn what_is_whole_holds() {
    assert_eq!(broken(|_, _, _| {}), 0);
}

#[test]
fn what_is_lost_is_broken() {
    assert_eq!(broken(|_, found, _| found.contacts.clear()), 1);
    assert_eq!(broken(|_, found, _| found.payments.clear()), 1);
    assert_eq!(broken(|_, found, _| found.escalations.clear()), 1);
    assert_eq!(
        broken(|_, found, _| found.kept.clear()),
        2,
        "the key's answer, and an invoice of no key"
    );
    assert_eq!(broken(|_, _, received| received.events.clear()), 1);
    assert_eq!(broken(|told, _, _| told.wrong.push("x".to_owned())), 1);
}

#[test]
fn an_acknowledged_change_is_there() {
    let with = |change: fn(&mut Sale, &mut Stored)| {
        broken(|told, found, _| {
            let (sale, stored) = (
                told.invoices.get_mut(&id(1)),
                found.invoices.get_mut(&id(1)),
            );
            change(sale.unwrap(), stored.unwrap());
        })
    };
    assert_eq!(with(|_, stored| stored.status = "UNPAID".to_owned()), 1);
    assert_eq!(with(|sale, _| sale.reference = Some("r-1".to_owned())), 1);
    assert_eq!(with(|_, stored| stored.total = 901), 1);
    assert_eq!(
        with(|sale, _| sale.total = None),
        0,
        "nothing was heard of amended lines"
    );
    let later = |sale: &mut Sale, stored: &mut Stored| {
        sale.reference = Some("r-1".to_owned());
        sale.perhaps.push("r-2".to_owned());
        stored.reference = Some("r-2".to_owned());
    };
    assert_eq!(
        with(later),
        0,
        "one of which nothing was heard may be there"
    );
}

#[test]
fn a_payment_is_there_as_it_was_heard_of() {
    let with = |heard: Heard, rows: usize| {
        broken(|told, found, _| {
            told.payments.get_mut("p-1").unwrap().heard = heard;
            found.payments = vec![("p-1".to_owned(), id(1), 5); rows];
        })
    };
    assert_eq!([0, 1, 2].map(|rows| with(Heard::Done, rows)), [1, 0, 1]);
    assert_eq!([0, 1, 2].map(|rows| with(Heard::Nothing, rows)), [0, 0, 1]);
    assert_eq!([0, 1].map(|rows| with(Heard::Refused, rows)), [0, 1]);
    assert_eq!(
        broken(|_, found, _| found.payments.push(("x".to_owned(), id(1), 5))),
        1
    );
}

#[test]
fn an_escalation_is_resolved_as_it_was_heard_of() {
    let with = |heard: Option<Heard>, resolved: bool| {
        broken(|told, found, _| {
            told.escalations.get_mut("e-1").unwrap().resolved = heard;
            found.escalations.get_mut(&id(3)).unwrap().1 = resolved;
        })
    };
    assert_eq!(with(Some(Heard::Done), false), 1);
    assert_eq!(
        with(Some(Heard::Nothing), false) + with(Some(Heard::Nothing), true),
        0
    );
    assert_eq!(with(None, true), 1);
}

#[test]
fn a_key_makes_one_invoice_and_a_number_is_one_invoice_s() {
    let second = |found: &mut Found| {
        let twin = found.invoices[&id(1)].clone();
        found.invoices.insert(id(9), twin);
    };
    assert_eq!(
        broken(|_, found, _| second(found)),
        2,
        "of no key, and with a number of another one"
    );
    assert_eq!(
        broken(|_, found, _| found.kept.push(("k-2".to_owned(), id(1)))),
        1
    );
}

#[test]
fn one_address_of_an_account_is_one_contact_s() {
    let with = |account: u128, email: &str| {
        broken(|_, found, _| {
            let contact = (id(account), email.to_owned());
            found.contacts.insert(id(8), contact);
        })
    };
    assert_eq!(with(0, "Customer@example.com"), 1);
    assert_eq!(with(0, "another@example.com"), 0);
    assert_eq!(with(7, "customer@example.com"), 0, "of another account");
    assert_eq!(
        broken(|told, _, _| *told.contacts.get_mut(&id(2)).unwrap() = id(7)),
        1,
        "it is where it was made"
    );
}

#[test]
fn numbers_have_no_gap() {
    let with = |account: u128, numbers: &[&str]| {
        let mut found = Found::default();
        for (n, number) in (10..).zip(numbers) {
            let stored = Stored {
                account: id(account),
                number: (*number).to_owned(),
                ..Stored::default()
            };
            found.invoices.insert(id(n), stored);
        }
        counted(&found).broken.len()
    };
    assert_eq!(with(1, &["INV-0002", "INV-0001"]), 0);
    assert_eq!(with(1, &["INV-0001", "INV-0003"]), 1);
    assert_eq!(with(1, &["INV-0002"]), 1, "the first one is missing");
    assert_eq!(with(1, &[]), 0);
}

#[test]
fn what_is_received_has_happened() {
    let (_, found, _) = whole();
    let broken = |came: &[u128]| {
        let came = came.iter().map(|n| id(*n)).collect();
        happened(&came, &found).broken.len()
    };
    assert_eq!(broken(&[4]), 0);
    assert_eq!(broken(&[]), 0);
    assert_eq!(broken(&[4, 77]), 1);
}

#[test]
fn a_delivery_is_done_and_was_received_in_five_attempts() {
    let with = |state: &str, attempts: u32| {
        broken(|_, found, received| {
            found.deliveries = vec![(id(4), state.to_owned(), attempts)];
            received.events.clear();
        })
    };
    assert_eq!(with("pending", 0), 1, "no worker took it");
    assert_eq!(with("pending", 3), 1);
    assert_eq!(with("pending", 6), 2);
    assert_eq!(with("abandoned", 5), 1);
}
