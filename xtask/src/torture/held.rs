//! What was told, held against what is found. Everything here is reckoning; nothing asks anybody.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use super::found::Found;
use super::ledger::{Heard, Paid, Told};
use super::receiver::Received;
use super::report::Check;

/// Every check.
pub(super) fn held(told: &Told, found: &Found, received: &Received) -> Vec<Check> {
    vec![
        Check::new(
            "nobody was told anything wrong",
            told.keys.len(),
            told.wrong.clone(),
        ),
        invoices(told, found),
        contacts(told, found),
        payments(told, found),
        escalations(told, found),
        keys(told, found),
        numbers(told, found),
        counted(found),
        deliveries(found, received),
    ]
}

fn invoices(told: &Told, found: &Found) -> Check {
    let broken = told.invoices.iter().filter_map(|(id, sale)| {
        let Some(stored) = found.invoices.get(id) else {
            return Some(format!("invoice {id} ({}) is gone", sale.number));
        };
        let last = stored.reference == sale.reference;
        let perhaps = stored
            .reference
            .as_ref()
            .is_some_and(|reference| sale.perhaps.contains(reference));
        if stored.number != sale.number || stored.account != sale.account {
            Some(format!(
                "invoice {id} was {} and is {}",
                sale.number, stored.number
            ))
        } else if !last && !perhaps {
            let (was, is) = (&sale.reference, &stored.reference);
            Some(format!(
                "invoice {id}: the acknowledged reference is {was:?}, {is:?} is there"
            ))
        } else if sale.cancelled && stored.status != "CANCELLED" {
            Some(format!(
                "invoice {id} was cancelled and is {}",
                stored.status
            ))
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
    Check::new(what, told.invoices.len(), broken.collect())
}

fn contacts(told: &Told, found: &Found) -> Check {
    let mut broken = Vec::new();
    for (id, account) in &told.contacts {
        match found.contacts.get(id) {
            None => broken.push(format!("contact {id} is gone")),
            Some((of, _)) if of != account => {
                broken.push(format!("contact {id} of account {account} is {of}'s"));
            }
            Some(_) => {}
        }
    }
    let mut owners: BTreeMap<(Uuid, String), Vec<Uuid>> = BTreeMap::new();
    for (id, (account, email)) in &found.contacts {
        let whose = (*account, email.to_lowercase());
        owners.entry(whose).or_default().push(*id);
    }
    let twice = owners.iter().filter(|(_, ids)| ids.len() > 1);
    broken.extend(
        twice.map(|((account, email), ids)| format!("{email} of account {account}: {ids:?}")),
    );
    Check::new(
        "every acknowledged contact is there, one for each address",
        told.contacts.len(),
        broken,
    )
}

fn payments(told: &Told, found: &Found) -> Check {
    let mut there: BTreeMap<&str, Vec<(Uuid, i64)>> = BTreeMap::new();
    for (reference, invoice, cents) in &found.payments {
        there.entry(reference).or_default().push((*invoice, *cents));
    }
    let mut broken: Vec<String> = told
        .payments
        .iter()
        .filter_map(|(reference, paid)| {
            let rows = there.remove(reference.as_str()).unwrap_or_default();
            (!fits(paid, &rows)).then(|| {
                let (invoice, cents, heard) = (paid.invoice, paid.cents, paid.heard);
                format!("payment {reference}: {cents} cents on {invoice}, heard {heard:?}, found {rows:?}")
            })
        })
        .collect();
    broken.extend(
        there
            .keys()
            .map(|reference| format!("payment {reference} was never sent")),
    );
    let what = "every acknowledged payment is there once, and no refused one";
    Check::new(what, told.payments.len(), broken)
}

fn fits(paid: &Paid, rows: &[(Uuid, i64)]) -> bool {
    let same = rows.iter().all(|row| *row == (paid.invoice, paid.cents));
    same && match paid.heard {
        Heard::Done => rows.len() == 1,
        Heard::Refused => rows.is_empty(),
        Heard::Nothing => rows.len() <= 1,
    }
}

fn escalations(told: &Told, found: &Found) -> Check {
    let mut broken = Vec::new();
    let mut by_statement: BTreeMap<&str, Vec<(Uuid, bool)>> = BTreeMap::new();
    for (id, (statement, resolved)) in &found.escalations {
        by_statement
            .entry(statement)
            .or_default()
            .push((*id, *resolved));
    }
    for (statement, raised) in &told.escalations {
        let rows = by_statement.remove(statement.as_str()).unwrap_or_default();
        let right = match (raised.id, rows.as_slice()) {
            (Some(id), [(found, resolved)]) => {
                let done = match raised.resolved {
                    Some(Heard::Done) => *resolved,
                    Some(Heard::Nothing) => true,
                    Some(Heard::Refused) | None => !*resolved,
                };
                id == *found && done
            }
            (None, rows) => rows.len() <= 1 && rows.iter().all(|(_, resolved)| !resolved),
            (Some(_), _) => false,
        };
        if !right {
            broken.push(format!(
                "escalation {statement}: told {raised:?}, found {rows:?}"
            ));
        }
    }
    broken.extend(
        by_statement
            .keys()
            .map(|statement| format!("escalation {statement} was never raised")),
    );
    let what = "every acknowledged escalation is there, resolved if that was acknowledged";
    Check::new(what, told.escalations.len(), broken)
}

/// Every invoice of these plays is made under a key.
fn keys(told: &Told, found: &Found) -> Check {
    let kept: BTreeMap<&str, Uuid> = found
        .kept
        .iter()
        .map(|(key, id)| (key.as_str(), *id))
        .collect();
    let mut broken: Vec<String> = told
        .keys
        .iter()
        .filter_map(|(key, first)| {
            let kept = kept.get(key.as_str()).copied();
            let told = first.id;
            (kept != Some(told)).then(|| format!("{key}: {told} was told, {kept:?} is kept"))
        })
        .collect();
    let mut made = BTreeSet::new();
    for (key, id) in found
        .kept
        .iter()
        .filter(|(_, id)| found.invoices.contains_key(id))
    {
        if !made.insert(*id) {
            broken.push(format!("{key}: its invoice {id} is another key's too"));
        }
    }
    let more = found.invoices.keys().filter(|id| !made.contains(id));
    broken.extend(more.map(|id| format!("invoice {id} is no key's: one key made two")));
    Check::new(
        "one invoice for each idempotency key",
        told.keys.len(),
        broken,
    )
}

fn numbers(told: &Told, found: &Found) -> Check {
    let mut owners: BTreeMap<(Uuid, &str), BTreeSet<Uuid>> = BTreeMap::new();
    let stored = found
        .invoices
        .iter()
        .map(|(id, one)| (id, one.account, one.number.as_str()));
    let heard = told
        .invoices
        .iter()
        .map(|(id, one)| (id, one.account, one.number.as_str()));
    for (id, account, number) in stored.chain(heard) {
        owners.entry((account, number)).or_default().insert(*id);
    }
    let twice = owners.iter().filter(|(_, ids)| ids.len() > 1);
    let broken =
        twice.map(|((account, number), ids)| format!("{number} of account {account}: {ids:?}"));
    Check::new("numbers are unique", owners.len(), broken.collect())
}

/// No play chooses a number, and a creation that was rolled back gives its own back: they are 1 to N.
fn counted(found: &Found) -> Check {
    let mut numbers: BTreeMap<Uuid, BTreeSet<&str>> = BTreeMap::new();
    for one in found.invoices.values() {
        numbers.entry(one.account).or_default().insert(&one.number);
    }
    let mut broken = Vec::new();
    for (account, has) in &numbers {
        let should: Vec<String> = (1..=has.len()).map(|n| format!("INV-{n:04}")).collect();
        let gaps = should
            .iter()
            .filter(|number| !has.contains(number.as_str()));
        broken.extend(gaps.map(|number| format!("account {account}: {number} is missing")));
    }
    Check::new(
        "each account's numbers are 1 to N without a gap",
        found.invoices.len(),
        broken,
    )
}

/// Everybody is up by now, and deliveries were waited for: none may still be due.
fn deliveries(found: &Found, received: &Received) -> Check {
    let mut broken: Vec<String> = received.wrong.clone();
    for (event, state, attempts) in &found.deliveries {
        let there = received.events.contains_key(event);
        if state == "pending" {
            broken.push(format!(
                "event {event} is still to be delivered, after {attempts} attempts"
            ));
        } else if !there {
            broken.push(format!(
                "event {event} is {state} and did not reach its receiver"
            ));
        }
        if *attempts > 5 {
            broken.push(format!("event {event}: {attempts} attempts"));
        }
    }
    let what = "every event reached its receiver, in at most 5 attempts";
    Check::new(what, found.deliveries.len(), broken)
}

/// What receivers got, held against what the database knows of: nothing is told that did not happen.
pub(super) fn happened(came: &BTreeSet<Uuid>, found: &Found) -> Check {
    let known: BTreeSet<Uuid> = found.deliveries.iter().map(|(event, ..)| *event).collect();
    let made_up = came.difference(&known);
    let broken = made_up.map(|event| format!("event {event} was received and is not there"));
    Check::new(
        "every event received happened",
        came.len(),
        broken.collect(),
    )
}

#[cfg(test)]
#[path = "held/tests.rs"]
mod tests;
