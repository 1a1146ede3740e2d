//! The forecast: how much is read for it, and which messages it shows.

use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use communications::{
    AccountFacts, AccountForecast, Channel, ContactReminders, DecidedStep, DecidedStepId, Decision,
    ForecastMessage, HoldReason, MonthlyTexts, NextReminder, PausedUntil, ReminderReads, Step, StepDecision,
    StepRecord, plan,
};
use contacts::ContactId;
use invoices::InvoiceId;
use kernel::{AccountId, StoreResult};
use time::{Date, Duration, OffsetDateTime};

use crate::samples::{NOW, account, contact, id, invoice};

/// Contacts in memory. Nothing else is read for a forecast.
struct Contacts {
    contacts: Vec<ContactReminders>,
    pages: AtomicUsize,
}

#[async_trait]
impl ReminderReads for Contacts {
    async fn contacts(
        &self,
        _account: &AccountFacts,
        _due_until: OffsetDateTime,
        after: Option<ContactId>,
        limit: u32,
        _now: OffsetDateTime,
    ) -> StoreResult<Vec<ContactReminders>> {
        self.pages.fetch_add(1, Ordering::Relaxed);
        let behind = self.contacts.iter().filter(|one| Some(one.contact.contact) > after);
        Ok(behind.take(usize::try_from(limit).unwrap()).cloned().collect())
    }

    async fn started_accounts(&self, _after: Option<AccountId>, _most: u32) -> StoreResult<Vec<AccountId>> {
        unreachable!("it is not read to look ahead")
    }

    async fn account(&self, _account: AccountId, _now: OffsetDateTime) -> StoreResult<Option<AccountFacts>> {
        unreachable!("it is not read to look ahead")
    }

    async fn has_more_open(
        &self,
        _account: &AccountFacts,
        _due_until: OffsetDateTime,
        limit: usize,
    ) -> StoreResult<bool> {
        Ok(self.contacts.iter().map(|one| one.invoices.len()).sum::<usize>() > limit)
    }

    async fn count_due_before(&self, _account: AccountId, _day: Date) -> StoreResult<usize> {
        unreachable!("it is not read to look ahead")
    }

    async fn decided(&self, _account: AccountId, _invoice: InvoiceId) -> StoreResult<Vec<DecidedStep>> {
        unreachable!("it is not read to look ahead")
    }

    async fn decided_of_former_invoices(
        &self,
        _account: AccountId,
        _contact: ContactId,
        _after: Option<DecidedStepId>,
        _limit: usize,
    ) -> StoreResult<Vec<(DecidedStepId, DecidedStep)>> {
        unreachable!("it is not read to look ahead")
    }

    async fn contact_of(&self, _account: AccountId, _invoice: InvoiceId) -> StoreResult<Option<ContactId>> {
        unreachable!("it is not read to look ahead")
    }

    async fn paused(&self, _account: AccountId, _invoice: InvoiceId) -> StoreResult<Option<PausedUntil>> {
        unreachable!("it is not read to look ahead")
    }
}

/// `count` contacts with two invoices each. The first invoice of the first contact is due today, that of each
/// next contact `days_between` days later; each second invoice is due ten days after the first.
fn contacts(count: u8, days_between: i64) -> Contacts {
    let of = |n: u8| {
        let contact = communications::ContactFacts { contact: id(100 + u128::from(n)), ..contact() };
        let due = NOW.date() + Duration::days(i64::from(n) * days_between);
        let number = 1_000 + 10 * u128::from(n);
        let invoices = vec![invoice(number, due), invoice(number + 1, due + Duration::days(10))];
        ContactReminders { contact, invoices }
    };
    Contacts { contacts: (0..count).map(of).collect(), pages: AtomicUsize::default() }
}

async fn forecast(reads: &Contacts, limit: usize) -> Option<AccountForecast> {
    let period = (NOW, NOW + Duration::days(60));
    AccountForecast::read(reads, account("1:email"), period, limit).await.unwrap()
}

fn numbers(messages: &[ForecastMessage]) -> Vec<u128> {
    messages.iter().flat_map(|message| &message.invoices).map(|id| id.uuid().as_u128()).collect()
}

#[tokio::test]
async fn first_messages_are_shown_in_the_order_of_time_and_the_others_counted() {
    let reads = contacts(3, -1);
    let of = async |limit| forecast(&reads, 6).await.unwrap().messages(limit);
    let (all, more) = of(25).await;
    // The first invoices of the last two contacts are due already, and the hour allows sending at once.
    assert_eq!((numbers(&all), more), (vec![1_010, 1_020, 1_000, 1_021, 1_011, 1_001], 0));
    assert!(all.is_sorted_by_key(|message| message.at));
    let (first, more) = of(2).await;
    assert_eq!((first, more), (all[..2].to_vec(), 4));
}

#[tokio::test]
async fn next_message_of_an_invoice_is_the_first_that_lists_it() {
    let reads = contacts(2, 1);
    let next = forecast(&reads, 4).await.unwrap().next_of(id(1_011));
    let NextReminder::Message(next) = next else { panic!("{next:?}") };
    assert_eq!((numbers(std::slice::from_ref(&next)), next.contact), (vec![1_011], id(101)));
    // One day after its due date, at nine in Berlin.
    assert_eq!(next.at, time::macros::datetime!(2026-12-15 08:00 UTC));
    assert_eq!(forecast(&reads, 4).await.unwrap().next_of(id(1_012)), NextReminder::Nothing);
}

#[tokio::test]
async fn invoice_without_a_next_message_has_what_holds_its_next_step_back() {
    let mut reads = contacts(1, 1);
    reads.contacts[0].contact.reply_unread = true;
    let next = async |reads: &Contacts| forecast(reads, 2).await.unwrap().next_of(id(1_000));
    assert_eq!(next(&reads).await, NextReminder::Held(HoldReason::ReplyUnread));
    // Once the step is due and the worker has decided the same, the forecast has no change.
    reads.contacts[0].invoices[0].due_date -= Duration::days(3);
    let account = account("1:email");
    let facts = reads.contacts[0].clone().into_facts(&account);
    let steps = plan(&facts, NOW).changes;
    let records =
        steps.iter().map(|step| StepRecord { key: step.key, due_at: step.due_at, decision: step.decision });
    reads.contacts[0].invoices[0].records = records.collect();
    assert_eq!(next(&reads).await, NextReminder::Held(HoldReason::ReplyUnread));
    reads.contacts[0].contact.open_escalation = true;
    assert_eq!(next(&reads).await, NextReminder::Held(HoldReason::OpenEscalation));
    reads.contacts[0].contact.open_escalation = false;
    reads.contacts[0].contact.reply_unread = false;
    assert!(matches!(next(&reads).await, NextReminder::Message(_)));
    // A decision about a day that the due date has left, or about a step that the policy no longer has.
    let moved = reads.contacts[0].invoices[0].due_date + Duration::days(90);
    let before = std::mem::replace(&mut reads.contacts[0].invoices[0].due_date, moved);
    assert_eq!(next(&reads).await, NextReminder::Nothing);
    reads.contacts[0].invoices[0].due_date = before;
    let mut removed = reads.contacts[0].invoices[0].records[0];
    removed.key.days = 2;
    removed.due_at += Duration::DAY;
    reads.contacts[0].invoices[0].records[0].decision = Decision::Sent;
    reads.contacts[0].invoices[0].records.push(removed);
    assert_eq!(next(&reads).await, NextReminder::Nothing);
}

#[tokio::test]
async fn step_that_was_added_after_it_was_due_does_not_hide_what_holds_an_earlier_one() {
    let mut reads = contacts(1, 0);
    let mut account = account("1:email");
    reads.contacts[0].contact.reply_unread = true;
    let decide = |reads: &mut Contacts, account: &AccountFacts| {
        let steps = plan(&reads.contacts[0].clone().into_facts(account), NOW).changes;
        let record =
            |step: &StepDecision| StepRecord { key: step.key, due_at: step.due_at, decision: step.decision };
        reads.contacts[0].invoices[0].records.extend(steps.iter().map(record));
    };
    reads.contacts[0].invoices[0].due_date -= Duration::days(3);
    decide(&mut reads, &account);
    account.policy.steps.push(Step { added_at: Some(NOW), ..Step::new(2, Channel::Email) });
    let next = async |reads: &Contacts| {
        let period = (NOW, NOW + Duration::days(60));
        let forecast = AccountForecast::read(reads, account.clone(), period, 2).await.unwrap();
        forecast.unwrap().next_of(id(1_000))
    };
    assert_eq!(next(&reads).await, NextReminder::Held(HoldReason::ReplyUnread), "before the worker's round");
    decide(&mut reads, &account);
    assert_eq!(next(&reads).await, NextReminder::Held(HoldReason::ReplyUnread));
}

#[tokio::test]
async fn forecast_beyond_the_invoice_limit_is_none() {
    let reads = contacts(250, 0);
    assert!(forecast(&reads, 500).await.is_some());
    assert!(forecast(&reads, 499).await.is_none());
    let before = reads.pages.load(Ordering::Relaxed);
    assert!(forecast(&reads, 199).await.is_none());
    assert_eq!(reads.pages.load(Ordering::Relaxed), before, "no contact is read");
}

/// The forecast of an account that may send `limit` text messages in a month.
async fn with_texts(reads: &Contacts, limit: i64, days: i64) -> AccountForecast {
    let mut account = account("1:sms");
    account.texts = Some(MonthlyTexts { limit, used: 0, counted_on: NOW.date() });
    let period = (NOW, NOW + Duration::days(days));
    AccountForecast::read(reads, account, period, 6).await.unwrap().unwrap()
}

#[tokio::test]
async fn texts_to_all_contacts_count_against_the_months_limit_in_the_order_of_time() {
    let (messages, more) = with_texts(&contacts(3, -1), 2, 60).await.messages(25);
    let sent_in = |month: u8| {
        let of_month = messages.iter().filter(|message| u8::from(message.at.month()) == month);
        of_month.map(|message| numbers(std::slice::from_ref(message))).collect::<Vec<_>>()
    };
    // All six invoices have a step in December. Those over its limit are held until the next months.
    assert_eq!(sent_in(12), [vec![1_010], vec![1_020]]);
    assert_eq!(sent_in(1), [vec![1_000, 1_001], vec![1_011]]);
    assert_eq!((sent_in(2), more), (vec![vec![1_021]], 0));
}

#[tokio::test]
async fn last_text_of_the_month_holds_back_those_of_other_contacts_at_once() {
    let mut reads = contacts(2, 0);
    // The first contact has to wait for another hour, and the second is reminded now.
    for (contact, issued_ago) in reads.contacts.iter_mut().zip([47, 72]) {
        contact.invoices.truncate(1);
        contact.invoices[0].due_date -= Duration::DAY;
        contact.invoices[0].issued_at = NOW - Duration::hours(issued_ago);
        contact.invoices[0].mailed_at = None;
    }
    let next = async |limit| with_texts(&reads, limit, 3).await.next_of(id(1_000));
    assert_eq!(next(1).await, NextReminder::Held(HoldReason::Cap));
    let NextReminder::Message(message) = next(2).await else { panic!() };
    assert_eq!(message.at, NOW + Duration::HOUR);
}
