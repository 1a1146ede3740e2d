use testkit::CountingIds;

use super::*;
use crate::email_template::tests::acme::{full, with};
use crate::promise::PromisedBy;

#[test]
fn last_change_is_listed_once() {
    let (at, before) = (full().updated_at, full().updated_at - Duration::MINUTE);
    let sent = |last_sent_at| with(&full(), |data| data.last_sent_at = last_sent_at);
    let changed = Some(TimelineEntry { at, kind: TimelineKind::Changed });
    assert_eq!(last_change(&sent(Some(before)), &[]), changed);
    assert_eq!(last_change(&sent(Some(at)), &[]), None);
    let created = |at| [TimelineEntry { at, kind: TimelineKind::Created }];
    assert_eq!(last_change(&sent(None), &created(at)), None);
    assert_eq!(last_change(&sent(None), &created(before)), changed);
}

#[test]
fn last_change_with_an_entry_of_its_own_that_has_another_time_is_not_listed() {
    let at = full().updated_at;
    let entered = |after| [TimelineEntry { at: at + after, kind: TimelineKind::LedgerEntered }];
    let is_listed = |after| last_change(&full(), &entered(after)).is_some();
    assert!(!is_listed(Duration::SECOND), "the end of the job is recorded after the ledger's id");
    assert!(is_listed(-Duration::SECOND), "an edit after the entry");
    let mut paid = full();
    let payment = |recorded_at| Payment {
        id: kernel::Id::new(&CountingIds::default(), recorded_at),
        amount: Money::new(100, full().currency),
        received_at: at - Duration::DAY,
        method: PaymentMethod::Cash,
        reference: None,
        recorded_by: RecordedBy::Dashboard,
    };
    let later = at + Duration::HOUR;
    paid.record_payment(payment(later), later).unwrap();
    assert_eq!(last_change(&paid, &[]), None);
    let edited = with(&paid, |data| data.updated_at += Duration::MINUTE);
    assert!(last_change(&edited, &[]).is_some());
}

#[test]
fn day_that_is_promised_again_is_listed_if_the_promise_before_was_withdrawn() {
    let made_at = full().updated_at;
    let by = made_at.date();
    let promise = |seconds, withdrawn_at| {
        let made_at = made_at + Duration::seconds(seconds);
        Promise {
            id: kernel::Id::new(&CountingIds::default(), made_at),
            invoice: full().id,
            promised_on: by,
            made_by: PromisedBy::Payer,
            made_at,
            message: None,
            is_replacement: false,
            superseded_at: withdrawn_at,
            withdrawn_at,
        }
    };
    let kinds =
        |promises: &[Promise]| promised(promises).into_iter().map(|entry| entry.kind).collect::<Vec<_>>();
    let (made, taken_back) = (TimelineKind::Promised { by }, TimelineKind::PromiseWithdrawn { by });
    let withdrawn = promise(0, Some(made_at + Duration::SECOND));
    assert_eq!(kinds(&[promise(0, None), promise(2, None)]), std::slice::from_ref(&made));
    assert_eq!(kinds(std::slice::from_ref(&withdrawn)), [made.clone(), taken_back.clone()]);
    let again = [withdrawn.clone(), promise(2, None)];
    assert_eq!(kinds(&again), [made.clone(), taken_back, made.clone()]);
    let beside = Some(made_at + Duration::seconds(3));
    assert_eq!(kinds(&[promise(0, beside), promise(2, None)]), std::slice::from_ref(&made));
    assert_eq!(kinds(&[promise(-1, None), withdrawn]), std::slice::from_ref(&made), "the earlier one holds");
    let mut other_day = promise(1, Some(made_at + Duration::seconds(2)));
    other_day.promised_on = by.previous_day().unwrap();
    let again = [promise(0, None), other_day, promise(3, Some(made_at + Duration::seconds(4)))];
    assert!(matches!(
        &kinds(&again)[..],
        [
            TimelineKind::Promised { .. },
            TimelineKind::Promised { .. },
            TimelineKind::PromiseWithdrawn { .. },
            TimelineKind::Promised { .. }
        ]
    ));
}

#[test]
fn mail_that_was_queued_with_an_online_payment_is_its_receipt() {
    let paid_at = full().updated_at;
    let paid = |recorded_by| {
        let payment = Payment {
            id: kernel::Id::new(&CountingIds::default(), paid_at),
            amount: Money::new(100, full().currency),
            received_at: paid_at - Duration::DAY,
            method: PaymentMethod::Card,
            reference: None,
            recorded_by,
        };
        let mut invoice = full();
        invoice.record_payment(payment, paid_at).unwrap();
        invoice
    };
    let sent = |queued_at| TimelineEntry {
        at: queued_at + Duration::HOUR,
        kind: TimelineKind::MailSent { queued_at },
    };
    let shown = |invoice: &Invoice, queued_at| told_apart(sent(queued_at), invoice).kind;
    let online = paid(RecordedBy::PaymentPage);
    assert_eq!(shown(&online, paid_at), TimelineKind::ReceiptSent);
    let earlier = paid_at - Duration::HOUR;
    assert_eq!(shown(&online, earlier), sent(earlier).kind);
    assert_eq!(shown(&paid(RecordedBy::Dashboard), paid_at), sent(paid_at).kind);
    let sent_then = with(&online, |data| data.last_sent_at = Some(paid_at));
    assert_eq!(shown(&sent_then, paid_at), sent(paid_at).kind, "the invoice itself");
}

#[test]
fn entry_of_a_mail_is_known_by_when_it_was_queued_however_much_later_it_was_sent() {
    let at = full().created_at;
    let entry = |kind| TimelineEntry { at: at + Duration::days(3), kind };
    for kind in [
        TimelineKind::MailQueued { queued_at: at },
        TimelineKind::MailSent { queued_at: at },
        TimelineKind::MailGivenUp { queued_at: at },
        TimelineKind::MailNotSent { queued_at: at, reason: NotSent::InvoiceCancelled },
    ] {
        assert_eq!(queued_at(&entry(kind)), Some(at));
    }
    assert_eq!(queued_at(&entry(TimelineKind::Created)), None);
}
