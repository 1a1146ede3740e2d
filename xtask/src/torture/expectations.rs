//! Compares recorded responses with stored records and received webhooks. Pure functions.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use super::ledger::{Outcome, Paid, Responses};
use super::receiver::Received;
use super::report::Check;
use super::stored_records::StoredRecords;

/// Every check.
pub(super) fn check_expectations(
    responses: &Responses,
    stored_records: &StoredRecords,
    received: &Received,
) -> Vec<Check> {
    vec![
        Check::new("nobody was told anything wrong", responses.keys.len(), responses.wrong.clone()),
        invoices(responses, stored_records),
        contacts(responses, stored_records),
        payments(responses, stored_records),
        escalations(responses, stored_records),
        keys(responses, stored_records),
        numbers(responses, stored_records),
        counted(stored_records),
        deliveries(stored_records, received),
    ]
}

fn invoices(responses: &Responses, stored_records: &StoredRecords) -> Check {
    let broken = responses.invoices.iter().filter_map(|(id, sale)| {
        let Some(stored) = stored_records.invoices.get(id) else {
            return Some(format!("invoice {id} ({}) is gone", sale.number));
        };
        let last = stored.reference == sale.reference;
        let perhaps = stored.reference.as_ref().is_some_and(|reference| sale.perhaps.contains(reference));
        if stored.number != sale.number || stored.account != sale.account {
            Some(format!("invoice {id} was {} and is {}", sale.number, stored.number))
        } else if !last && !perhaps {
            let (was, is) = (&sale.reference, &stored.reference);
            Some(format!("invoice {id}: the acknowledged reference is {was:?}, {is:?} is there"))
        } else if sale.cancelled && stored.status != "CANCELLED" {
            Some(format!("invoice {id} was cancelled and is {}", stored.status))
        } else if sale.total.is_some_and(|total| total != stored.total) {
            Some(format!(
                "invoice {id}: the acknowledged total is {:?} cents, {} are there",
                sale.total, stored.total
            ))
        } else {
            None
        }
    });
    let what = "every acknowledged invoice, amendment and cancellation is there";
    Check::new(what, responses.invoices.len(), broken.collect())
}

fn contacts(responses: &Responses, stored_records: &StoredRecords) -> Check {
    let mut broken = Vec::new();
    for (id, account) in &responses.contacts {
        match stored_records.contacts.get(id) {
            None => broken.push(format!("contact {id} is gone")),
            Some((of, _)) if of != account => {
                broken.push(format!("contact {id} of account {account} is {of}'s"));
            }
            Some(_) => {}
        }
    }
    let mut owners: BTreeMap<(Uuid, String), Vec<Uuid>> = BTreeMap::new();
    for (id, (account, email)) in &stored_records.contacts {
        let whose = (*account, email.to_lowercase());
        owners.entry(whose).or_default().push(*id);
    }
    let twice = owners.iter().filter(|(_, ids)| ids.len() > 1);
    broken.extend(twice.map(|((account, email), ids)| format!("{email} of account {account}: {ids:?}")));
    Check::new("every acknowledged contact is there, one for each address", responses.contacts.len(), broken)
}

fn payments(responses: &Responses, stored_records: &StoredRecords) -> Check {
    let mut there: BTreeMap<&str, Vec<(Uuid, i64)>> = BTreeMap::new();
    for (reference, invoice, cents) in &stored_records.payments {
        there.entry(reference).or_default().push((*invoice, *cents));
    }
    let mut broken: Vec<String> = responses
        .payments
        .iter()
        .filter_map(|(reference, paid)| {
            let rows = there.remove(reference.as_str()).unwrap_or_default();
            (!fits(paid, &rows)).then(|| {
                let (invoice, cents, outcome) = (paid.invoice, paid.cents, paid.outcome);
                format!("payment {reference}: {cents} cents on {invoice}, heard {outcome:?}, found {rows:?}")
            })
        })
        .collect();
    broken.extend(there.keys().map(|reference| format!("payment {reference} was never sent")));
    let what = "every acknowledged payment is there once, and no refused one";
    Check::new(what, responses.payments.len(), broken)
}

fn fits(paid: &Paid, rows: &[(Uuid, i64)]) -> bool {
    let same = rows.iter().all(|row| *row == (paid.invoice, paid.cents));
    same && match paid.outcome {
        Outcome::Done => rows.len() == 1,
        Outcome::Refused => rows.is_empty(),
        Outcome::Nothing => rows.len() <= 1,
    }
}

fn escalations(responses: &Responses, stored_records: &StoredRecords) -> Check {
    let mut broken = Vec::new();
    let mut by_statement: BTreeMap<&str, Vec<(Uuid, bool)>> = BTreeMap::new();
    for (id, (statement, resolved)) in &stored_records.escalations {
        by_statement.entry(statement).or_default().push((*id, *resolved));
    }
    for (statement, raised) in &responses.escalations {
        let rows = by_statement.remove(statement.as_str()).unwrap_or_default();
        let right = match (raised.id, rows.as_slice()) {
            (Some(id), [(stored_records, resolved)]) => {
                let done = match raised.resolved {
                    Some(Outcome::Done) => *resolved,
                    Some(Outcome::Nothing) => true,
                    Some(Outcome::Refused) | None => !*resolved,
                };
                id == *stored_records && done
            }
            (None, rows) => rows.len() <= 1 && rows.iter().all(|(_, resolved)| !resolved),
            (Some(_), _) => false,
        };
        if !right {
            broken.push(format!("escalation {statement}: told {raised:?}, found {rows:?}"));
        }
    }
    broken.extend(by_statement.keys().map(|statement| format!("escalation {statement} was never raised")));
    let what = "every acknowledged escalation is there, resolved if that was acknowledged";
    Check::new(what, responses.escalations.len(), broken)
}

/// Every invoice of these scenarios is made under a key.
fn keys(responses: &Responses, stored_records: &StoredRecords) -> Check {
    let kept: BTreeMap<&str, Uuid> =
        stored_records.kept.iter().map(|(key, id)| (key.as_str(), *id)).collect();
    let mut broken: Vec<String> = responses
        .keys
        .iter()
        .filter_map(|(key, first)| {
            let kept = kept.get(key.as_str()).copied();
            let responses = first.id;
            (kept != Some(responses)).then(|| format!("{key}: {responses} was told, {kept:?} is kept"))
        })
        .collect();
    let mut made = BTreeSet::new();
    for (key, id) in stored_records.kept.iter().filter(|(_, id)| stored_records.invoices.contains_key(id)) {
        if !made.insert(*id) {
            broken.push(format!("{key}: its invoice {id} is another key's too"));
        }
    }
    let more = stored_records.invoices.keys().filter(|id| !made.contains(id));
    broken.extend(more.map(|id| format!("invoice {id} is no key's: one key made two")));
    Check::new("one invoice for each idempotency key", responses.keys.len(), broken)
}

fn numbers(responses: &Responses, stored_records: &StoredRecords) -> Check {
    let mut owners: BTreeMap<(Uuid, &str), BTreeSet<Uuid>> = BTreeMap::new();
    let stored = stored_records.invoices.iter().map(|(id, one)| (id, one.account, one.number.as_str()));
    let outcome = responses.invoices.iter().map(|(id, one)| (id, one.account, one.number.as_str()));
    for (id, account, number) in stored.chain(outcome) {
        owners.entry((account, number)).or_default().insert(*id);
    }
    let twice = owners.iter().filter(|(_, ids)| ids.len() > 1);
    let broken = twice.map(|((account, number), ids)| format!("{number} of account {account}: {ids:?}"));
    Check::new("numbers are unique", owners.len(), broken.collect())
}

/// No scenario chooses a number, and a creation that was rolled back gives its own back: they are 1 to N.
fn counted(stored_records: &StoredRecords) -> Check {
    let mut numbers: BTreeMap<Uuid, BTreeSet<&str>> = BTreeMap::new();
    for one in stored_records.invoices.values() {
        numbers.entry(one.account).or_default().insert(&one.number);
    }
    let mut broken = Vec::new();
    for (account, has) in &numbers {
        let should: Vec<String> = (1..=has.len()).map(|n| format!("INV-{n:04}")).collect();
        let gaps = should.iter().filter(|number| !has.contains(number.as_str()));
        broken.extend(gaps.map(|number| format!("account {account}: {number} is missing")));
    }
    Check::new("each account's numbers are 1 to N without a gap", stored_records.invoices.len(), broken)
}

/// Everybody is up by now, and deliveries were waited for: none may still be due.
fn deliveries(stored_records: &StoredRecords, received: &Received) -> Check {
    let mut broken: Vec<String> = received.wrong.clone();
    for (event, state, attempts) in &stored_records.deliveries {
        let there = received.events.contains_key(event);
        if state == "pending" {
            broken.push(format!("event {event} is still to be delivered, after {attempts} attempts"));
        } else if !there {
            broken.push(format!("event {event} is {state} and did not reach its receiver"));
        }
        if *attempts > 5 {
            broken.push(format!("event {event}: {attempts} attempts"));
        }
    }
    let what = "every event reached its receiver, in at most 5 attempts";
    Check::new(what, stored_records.deliveries.len(), broken)
}

/// What receivers got, held against what the database knows of: nothing is told that did not happen.
pub(super) fn happened(came: &BTreeSet<Uuid>, stored_records: &StoredRecords) -> Check {
    let known: BTreeSet<Uuid> = stored_records.deliveries.iter().map(|(event, ..)| *event).collect();
    let made_up = came.difference(&known);
    let broken = made_up.map(|event| format!("event {event} was received and is not there"));
    Check::new("every event received happened", came.len(), broken.collect())
}

#[cfg(test)]
#[path = "expectations/tests.rs"]
mod tests;
