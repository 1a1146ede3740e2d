//! Compares recorded responses with stored records and received webhooks. Pure functions.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use uuid::Uuid;

use super::receiver::Received;
use super::report::Check;
use super::response_log::{Outcome, Responses, SentEscalation, SentPayment};
use super::stored_records::StoredRecords;

/// All checks.
pub(super) fn check_expectations(
    responses: &Responses,
    stored: &StoredRecords,
    received: &Received,
) -> Vec<Check> {
    vec![
        Check::new("nobody was told anything wrong", responses.keys.len(), responses.wrong.clone()),
        check_invoices(responses, stored),
        check_contacts(responses, stored),
        check_payments(responses, stored),
        check_escalations(responses, stored),
        check_idempotency_keys(responses, stored),
        check_unique_numbers(responses, stored),
        check_gaps(stored),
        check_deliveries(stored, received),
    ]
}

/// The values grouped by key.
fn grouped<K: Ord, V>(pairs: impl Iterator<Item = (K, V)>) -> BTreeMap<K, Vec<V>> {
    let mut groups: BTreeMap<K, Vec<V>> = BTreeMap::new();
    pairs.for_each(|(key, value)| groups.entry(key).or_default().push(value));
    groups
}

fn check_invoices(responses: &Responses, stored: &StoredRecords) -> Check {
    let broken = responses.invoices.iter().filter_map(|(id, created)| {
        let (number, was, cents) = (&created.number, &created.reference, created.total);
        let Some(stored) = stored.invoices.get(id) else {
            return Some(format!("invoice {id} ({number}) is gone"));
        };
        let is = &stored.reference;
        let is_unconfirmed =
            is.as_ref().is_some_and(|reference| created.unconfirmed_references.contains(reference));
        if stored.number != *number || stored.account != created.account {
            Some(format!("invoice {id} was {number} and is {}", stored.number))
        } else if is != was && !is_unconfirmed {
            Some(format!("invoice {id}: the acknowledged reference is {was:?}, {is:?} is there"))
        } else if created.cancelled && stored.status != "CANCELLED" {
            Some(format!("invoice {id} was cancelled and is {}", stored.status))
        } else if cents.is_some_and(|total| total != stored.total) {
            let is = stored.total;
            Some(format!("invoice {id}: the acknowledged total is {cents:?} cents, {is} are there"))
        } else {
            None
        }
    });
    let what = "every acknowledged invoice, amendment and cancellation is there";
    Check::new(what, responses.invoices.len(), broken.collect())
}

fn check_contacts(responses: &Responses, stored: &StoredRecords) -> Check {
    let wrong = responses.contacts.iter().filter_map(|(id, account)| match stored.contacts.get(id) {
        None => Some(format!("contact {id} is gone")),
        Some((of, _)) if of != account => Some(format!("contact {id} of account {account} is {of}'s")),
        Some(_) => None,
    });
    let addresses =
        stored.contacts.iter().map(|(id, (account, email))| ((account, email.to_lowercase()), id));
    let twice = grouped(addresses).into_iter().filter(|(_, ids)| ids.len() > 1);
    let twice = twice.map(|((account, email), ids)| format!("{email} of account {account}: {ids:?}"));
    let what = "every acknowledged contact is there, one for each address";
    Check::new(what, responses.contacts.len(), wrong.chain(twice).collect())
}

/// Compares each record with the rows of the same name. A row without a record is also broken.
fn compare<R: Debug, V: Debug>(
    noun: &str,
    recorded: &BTreeMap<String, R>,
    rows: impl Iterator<Item = (String, V)>,
    fits: fn(&R, &[V]) -> bool,
) -> Vec<String> {
    let mut there = grouped(rows);
    let mut broken = Vec::new();
    for (name, record) in recorded {
        let rows = there.remove(name).unwrap_or_default();
        if !fits(record, &rows) {
            broken.push(format!("{noun} {name}: recorded {record:?}, found {rows:?}"));
        }
    }
    broken.extend(there.keys().map(|name| format!("{noun} {name} was never sent")));
    broken
}

fn check_payments(responses: &Responses, stored: &StoredRecords) -> Check {
    let rows = stored.payments.iter().map(|(name, invoice, cents)| (name.clone(), (*invoice, *cents)));
    let broken = compare("payment", &responses.payments, rows, matches_payment);
    let what = "every acknowledged payment is there once, and no refused one";
    Check::new(what, responses.payments.len(), broken)
}

fn matches_payment(paid: &SentPayment, rows: &[(Uuid, i64)]) -> bool {
    let same = rows.iter().all(|row| *row == (paid.invoice, paid.cents));
    same && match paid.outcome {
        Outcome::Done => rows.len() == 1,
        Outcome::Refused => rows.is_empty(),
        Outcome::Unknown => rows.len() <= 1,
    }
}

fn check_escalations(responses: &Responses, stored: &StoredRecords) -> Check {
    let rows = stored.escalations.iter().map(|(id, (name, resolved))| (name.clone(), (*id, *resolved)));
    let broken = compare("escalation", &responses.escalations, rows, matches_escalation);
    let what = "every acknowledged escalation is there, resolved if that was acknowledged";
    Check::new(what, responses.escalations.len(), broken)
}

fn matches_escalation(raised: &SentEscalation, rows: &[(Uuid, bool)]) -> bool {
    match (raised.id, rows) {
        (Some(id), [(row, resolved)]) => {
            let done = match raised.resolved {
                Some(Outcome::Done) => *resolved,
                Some(Outcome::Unknown) => true,
                Some(Outcome::Refused) | None => !*resolved,
            };
            id == *row && done
        }
        (None, rows) => rows.len() <= 1 && rows.iter().all(|(_, resolved)| !resolved),
        (Some(_), _) => false,
    }
}

/// Checks idempotency keys: every invoice of these scenarios is created under one.
fn check_idempotency_keys(responses: &Responses, stored: &StoredRecords) -> Check {
    let kept: BTreeMap<&String, &Uuid> = stored.kept.iter().map(|(key, id)| (key, id)).collect();
    let mut broken = Vec::new();
    for (key, first) in &responses.keys {
        let (answered, kept) = (first.id, kept.get(key));
        if kept != Some(&&answered) {
            broken.push(format!("{key}: {answered} was answered, {kept:?} is kept"));
        }
    }
    let mut made = BTreeSet::new();
    for (key, id) in stored.kept.iter().filter(|(_, id)| stored.invoices.contains_key(id)) {
        if !made.insert(*id) {
            broken.push(format!("{key}: its invoice {id} is another key's too"));
        }
    }
    let more = stored.invoices.keys().filter(|id| !made.contains(id));
    broken.extend(more.map(|id| format!("invoice {id} is no key's: one key made two")));
    Check::new("one invoice for each idempotency key", responses.keys.len(), broken)
}

fn check_unique_numbers(responses: &Responses, stored: &StoredRecords) -> Check {
    let there = stored.invoices.iter().map(|(id, one)| ((one.account, &one.number), id));
    let answered = responses.invoices.iter().map(|(id, one)| ((one.account, &one.number), id));
    let owners = grouped(there.chain(answered));
    let twice = owners.iter().filter(|(_, ids)| ids.iter().any(|id| Some(id) != ids.first()));
    let broken = twice.map(|((account, number), ids)| format!("{number} of account {account}: {ids:?}"));
    Check::new("numbers are unique", owners.len(), broken.collect())
}

/// Checks invoice numbers: no scenario chooses one, and a rolled-back creation returns its own, so they are 1
/// to N.
fn check_gaps(stored: &StoredRecords) -> Check {
    let numbers = grouped(stored.invoices.values().map(|one| (one.account, &one.number)));
    let mut broken = Vec::new();
    for (account, numbers) in &numbers {
        let numbers: BTreeSet<&String> = numbers.iter().copied().collect();
        let expected = (1..=numbers.len()).map(|n| format!("INV-{n:04}"));
        let gaps = expected.filter(|number| !numbers.contains(number));
        broken.extend(gaps.map(|number| format!("account {account}: {number} is missing")));
    }
    Check::new("each account's numbers are 1 to N without a gap", stored.invoices.len(), broken)
}

/// Checks deliveries: all receivers are up and deliveries were waited for, so none may still be due.
fn check_deliveries(stored: &StoredRecords, received: &Received) -> Check {
    let mut broken: Vec<String> = received.wrong.clone();
    for (event, state, attempts) in &stored.deliveries {
        if state == "pending" {
            broken.push(format!("event {event} is still to be delivered, after {attempts} attempts"));
        } else if !received.events.contains_key(event) {
            broken.push(format!("event {event} is {state} and did not reach its receiver"));
        }
        if *attempts > 5 {
            broken.push(format!("event {event}: {attempts} attempts"));
        }
    }
    let what = "every event reached its receiver, in at most 5 attempts";
    Check::new(what, stored.deliveries.len(), broken)
}

/// Checks that the database knows every event that receivers got.
pub(super) fn check_known_events(came: &BTreeSet<Uuid>, stored: &StoredRecords) -> Check {
    let known: BTreeSet<Uuid> = stored.deliveries.iter().map(|(event, ..)| *event).collect();
    let made_up = came.difference(&known);
    let broken = made_up.map(|event| format!("event {event} was received and is not there"));
    Check::new("every event received happened", came.len(), broken.collect())
}

#[cfg(test)]
#[path = "expectations/tests.rs"]
mod tests;
