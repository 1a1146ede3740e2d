//! Mail that the mail queue sends to contacts, stored as messages, also beside the erasure of its contact.

use std::sync::Arc;

use communications::{MailRecorder, MessageId, MessagePurpose, MessageState};
use contacts::{Contact, ContactInput};
use invoices::{Invoice, InvoiceInput, PayLinkRequest};
use kernel::{AccountScope, Field, FieldErrors, SystemRandom};
use mail::{Correspondence as _, QueuedMail, SendDecision};
use outbox::{Lease, Leased, NewJob, NotDone, Outcome, Recorded};
use payments::ChargeState;
use store_diesel::Store;
use testkit::FixedClock;
use time::{Duration, OffsetDateTime};

use crate::database::on_both;
use crate::erasure::{EMPTIED, erase, invoiced, send_invoice};
use crate::fixtures::{NOW, invoicing, line, pay_link_worker, stored_contact, unused_mailer};
use crate::jobs::{job_of, lease, queue_job};
use crate::online_payments::Paying;

pub(crate) fn recorder(store: &Store, now: OffsetDateTime) -> MailRecorder {
    MailRecorder {
        store: store.communications.clone(),
        reads: store.communications_reads.clone(),
        mailer: unused_mailer(),
        random: Arc::new(SystemRandom::default()),
        clock: Arc::new(FixedClock::at(now)),
    }
}

pub(crate) fn queued(job: &Leased) -> QueuedMail {
    let mut payload: serde_json::Value = serde_json::from_str(&job.payload).unwrap_or_default();
    let text = |name: &str, otherwise: &str| payload[name].as_str().unwrap_or(otherwise).to_owned();
    QueuedMail {
        id: job.lease.id,
        account: job.lease.account,
        template: text("template", "invoice"),
        to: crate::fixtures::email(&text("to", "ada@example.com")),
        payload: payload.get_mut("payload").map(serde_json::Value::take).unwrap_or_default(),
        letterhead: job.letterhead.clone(),
        queued_at: job.queued_at,
    }
}

/// Begins an attempt at a leased mail.
async fn begin(store: &Store, job: &Leased, now: OffsetDateTime) -> SendDecision {
    let mail = queued(job);
    let message =
        mail::MailMessage::new(mail.to.clone(), line("Invoice INV-0001"), String::new(), String::new());
    recorder(store, now).begin(&mail, &message, "m1@localhost").await.unwrap()
}

fn is_sent(decision: &SendDecision) -> bool {
    matches!(decision, SendDecision::Send { reply_to: None, .. })
}

#[test]
fn refusal_that_comes_after_another_attempt_has_begun_changes_nothing() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, _, job) = mailed(store, false).await;
        let mail = queued(&job);
        let began_at = async || {
            let messages = store.communications_reads.messages(scope.id, None, None, 10).await.unwrap();
            messages[0].began_at
        };
        let later = NOW + Duration::MINUTE * 6;
        let first = SendDecision::Send { reply_to: None, began_at: Some(NOW) };
        assert_eq!(begin(store, &job, NOW).await, first);
        let repeated = SendDecision::Send { reply_to: None, began_at: None };
        assert_eq!(begin(store, &job, later).await, repeated, "the first may have been accepted");
        recorder(store, later).not_accepted(&mail, NOW).await.unwrap();
        assert_eq!(began_at().await, Some(later));
        recorder(store, later).not_accepted(&mail, later).await.unwrap();
        assert_eq!(began_at().await, None);
    });
}

#[test]
fn mail_that_is_given_up_after_an_attempt_without_an_answer_may_have_arrived() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, _, job) = mailed(store, false).await;
        let (mail, recorder) = (queued(&job), recorder(store, NOW));
        assert!(is_sent(&begin(store, &job, NOW).await));
        let stored = async || {
            let messages = store.communications_reads.messages(scope.id, None, None, 10).await.unwrap();
            (messages[0].state, messages[0].began_at)
        };
        recorder.failed(&mail, NotDone::HELD).await.unwrap();
        assert_eq!(stored().await, (MessageState::Failed, Some(NOW)));
        let message = mail::MailMessage::new(mail.to.clone(), line("Invoice"), String::new(), String::new());
        recorder.sent(&mail, &message).await.unwrap();
        assert_eq!(stored().await, (MessageState::Sent, Some(NOW)));
    });
}

#[test]
fn mail_that_is_not_accepted_is_a_message_that_failed() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, _, issued) = invoiced(store).await;
        send_invoice(store, &scope, &issued).await.unwrap();
        let [job] = &lease(store, NOW, 10).await[..] else { panic!("one mail") };
        let began_at = async || {
            let messages = store.communications_reads.messages(scope.id, None, None, 10).await.unwrap();
            messages[0].began_at
        };
        let later = NOW + Duration::hours(20);
        for now in [NOW, later] {
            assert!(is_sent(&begin(store, job, now).await));
            assert_eq!(began_at().await, Some(now), "the contact is written to now");
            recorder(store, now).not_accepted(&queued(job), now).await.unwrap();
        }
        for _ in 0..2 {
            recorder(store, later).failed(&queued(job), "550 no such mailbox").await.unwrap();
        }
        let messages = store.communications_reads.messages(scope.id, None, None, 10).await.unwrap();
        let [failed] = &messages[..] else { panic!("{messages:?}") };
        assert_eq!(failed.state, MessageState::Failed);
        assert_eq!(failed.detail.as_deref(), Some("550 no such mailbox"));
        assert_eq!(failed.began_at, None, "nothing was written to the contact");
    });
}

#[test]
fn mail_that_is_given_up_is_a_message_that_was_dropped_if_somebody_decided_so_and_otherwise_failed() {
    on_both(async |db| {
        let store = &db.store;
        for (reason, state, later) in [
            (NotDone::HELD, MessageState::Dropped, SendDecision::Unwanted(NotDone::HELD)),
            ("not sent within 24 hours", MessageState::Failed, SendDecision::FailedBefore),
        ] {
            for (is_receipt, was_attempted) in [(false, false), (true, false), (false, true)] {
                let (scope, issued, job) = mailed(store, is_receipt).await;
                let (mail, recorder) = (queued(&job), recorder(store, NOW));
                if was_attempted {
                    assert!(matches!(begin(store, &job, NOW).await, SendDecision::Send { .. }));
                    recorder.not_accepted(&mail, NOW).await.unwrap();
                }
                for _ in 0..2 {
                    recorder.failed(&mail, reason).await.unwrap();
                }
                let messages = store.communications_reads.messages(scope.id, None, None, 10).await.unwrap();
                let [ended] = &messages[..] else { panic!("{messages:?}") };
                let purpose = if is_receipt { MessagePurpose::Receipt } else { MessagePurpose::Service };
                assert_eq!((ended.state, ended.purpose), (state, Some(purpose)));
                assert_eq!(ended.detail.as_deref(), Some(reason));
                assert_eq!(ended.contact, issued.contact.as_ref().map(|contact| contact.id));
                assert_eq!((ended.invoice, ended.began_at), (Some(issued.id), None));
                assert_eq!(begin(store, &job, NOW).await, later, "another attempt");
            }
        }
    });
}

#[test]
fn mail_whose_outcome_was_stored_is_not_sent_by_another_attempt() {
    on_both(async |db| {
        let store = &db.store;
        for accepted in [true, false] {
            let (scope, _, issued) = invoiced(store).await;
            send_invoice(store, &scope, &issued).await.unwrap();
            let [job] = &lease(store, NOW, 10).await[..] else { panic!("one mail") };
            assert!(is_sent(&begin(store, job, NOW).await));
            let (mail, recorder) = (queued(job), recorder(store, NOW));
            if accepted {
                let text = || String::new();
                let message =
                    mail::MailMessage::new(mail.to.clone(), line("Invoice INV-0001"), text(), text());
                recorder.sent(&mail, &message).await.unwrap();
            } else {
                recorder.failed(&mail, "550 no such mailbox").await.unwrap();
            }
            // The process was stopped before the outcome of the job was recorded.
            let expected = match accepted {
                true => SendDecision::AlreadySent,
                false => SendDecision::FailedBefore,
            };
            assert_eq!(begin(store, job, NOW).await, expected);
        }
    });
}

#[test]
fn mail_that_waits_when_its_contact_is_erased_is_dropped_and_keeps_no_address() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, contact, issued) = invoiced(store).await;
        let (other_scope, _, other) = invoiced(store).await;
        send_invoice(store, &scope, &issued).await.unwrap();
        send_invoice(store, &other_scope, &other).await.unwrap();
        // The mail server refused one attempt; another worker has just leased the next one.
        let mut leased = lease(store, NOW, 10).await;
        leased.retain(|job| job.lease.account == scope.id);
        let [job] = &leased[..] else { panic!("{leased:?}") };
        assert!(is_sent(&begin(store, job, NOW).await));
        recorder(store, NOW).not_accepted(&queued(job), NOW).await.unwrap();
        erase(store, &scope, contact.id).await;

        assert_eq!(begin(store, job, NOW).await, SendDecision::Unwanted("the contact was erased"));
        let reason = "451 no ada@example.com".to_owned();
        let retry = Outcome::Retry { at: NOW, next_attempt_at: NOW, reason };
        assert_eq!(store.jobs.record(job.lease, &retry).await.unwrap(), Recorded::LeaseLost);
        let due = lease(store, NOW + Duration::HOUR, 10).await;
        let due: Vec<Lease> = due.iter().map(|job| job.lease).collect();
        assert!(due.iter().all(|lease| lease.account == other_scope.id), "{due:?}");
        let messages = store.communications_reads.messages(scope.id, None, None, 10).await.unwrap();
        let [dropped] = &messages[..] else { panic!("{messages:?}") };
        assert_eq!(
            (dropped.id, dropped.state),
            (MessageId::from_uuid(job.lease.id.uuid()), MessageState::Dropped)
        );
        assert_eq!((dropped.contact, dropped.invoice, &dropped.reply_token), (None, Some(issued.id), &None));
        assert_eq!((dropped.address.as_str(), &*dropped.text), ("(erased)", ""));
        assert_eq!(db.count(EMPTIED).await, 1);
        // Erasing again finds nothing that waits.
        erase(store, &scope, contact.id).await;
    });
}

/// Gives an invoice to another contact.
async fn given_to_another(store: &Store, scope: &AccountScope, issued: &Invoice) -> Contact {
    let other = stored_contact(store, scope.id).await;
    let contact_input = ContactInput { id: Field::Value(other.id), ..ContactInput::default() };
    let input = InvoiceInput { contact: Field::Value(contact_input), ..InvoiceInput::default() };
    let invoicing = invoicing(store, FixedClock::default());
    invoicing.amend(scope, issued.id, None, input, FieldErrors::default()).await.unwrap();
    other
}

/// An account with an invoice and the job of a mail about it to its contact: a receipt or a link.
async fn mailed(store: &Store, is_receipt: bool) -> (AccountScope, Invoice, Leased) {
    let (scope, issued) = if is_receipt {
        let paying = Paying::new(store).await;
        paying.settle(&paying.charge("ch_1", 100, ChargeState::Succeeded)).await;
        (paying.scope, paying.invoice)
    } else {
        let (scope, contact, issued) = invoiced(store).await;
        let request = PayLinkRequest { invoice_number: issued.number.clone(), email: contact.email.unwrap() };
        let clock = FixedClock::default();
        invoicing(store, clock.clone()).request_pay_link(scope.id, &request).await.unwrap();
        outbox::run_until_idle(Arc::new(pay_link_worker(store, clock))).await;
        (scope, issued)
    };
    let mut leased = lease(store, NOW, 10).await;
    leased.retain(|job| job.lease.account == scope.id && job.letterhead.is_some());
    assert_eq!(leased.len(), 1, "{leased:?}");
    (scope, issued, leased.remove(0))
}

#[test]
fn link_or_receipt_belongs_to_the_contact_that_it_is_addressed_to() {
    on_both(async |db| {
        let store = &db.store;
        for is_receipt in [false, true] {
            let (scope, issued, job) = mailed(store, is_receipt).await;
            let own = issued.contact.as_ref().unwrap();
            let address = own.email.as_ref().unwrap().as_str();
            let other = given_to_another(store, &scope, &issued).await;
            assert!(is_sent(&begin(store, &job, NOW).await));
            let messages = store.communications_reads.messages(scope.id, None, None, 10).await.unwrap();
            let of: Vec<_> = messages.iter().map(|message| message.contact).collect();
            assert_eq!(of, [Some(own.id)]);
            erase(store, &scope, other.id).await;
            assert!(is_sent(&begin(store, &job, NOW).await), "it is not to the other");
            assert!(db.columns_with(address).await.contains(&"jobs.payload".to_owned()));
            erase(store, &scope, own.id).await;
            assert_eq!(begin(store, &job, NOW).await, SendDecision::Unwanted("the contact was erased"));
            assert_eq!(db.columns_with(address).await, [""; 0]);
        }
    });
}

#[test]
fn link_or_receipt_that_was_refused_keeps_no_address_of_an_erased_contact() {
    on_both(async |db| {
        let store = &db.store;
        for is_receipt in [false, true] {
            let (scope, issued, job) = mailed(store, is_receipt).await;
            let own = issued.contact.as_ref().unwrap();
            let address = own.email.as_ref().unwrap().as_str();
            given_to_another(store, &scope, &issued).await;
            let outcome = Outcome::GivenUp { at: NOW, reason: format!("550 no {address}") };
            assert_eq!(store.jobs.record(job.lease, &outcome).await.unwrap(), Recorded::Done);
            erase(store, &scope, own.id).await;
            assert_eq!(db.columns_with(address).await, [""; 0]);
        }
    });
}

#[test]
fn mail_of_an_invoice_belongs_to_the_contact_that_it_was_addressed_to() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, contact, issued) = invoiced(store).await;
        send_invoice(store, &scope, &issued).await.unwrap();
        let other = given_to_another(store, &scope, &issued).await;
        let [job] = &lease(store, NOW, 10).await[..] else { panic!("one mail") };
        assert!(is_sent(&begin(store, job, NOW).await));
        let messages = store.communications_reads.messages(scope.id, None, None, 10).await.unwrap();
        assert_eq!(messages.iter().map(|message| message.contact).collect::<Vec<_>>(), [Some(contact.id)]);
        erase(store, &scope, other.id).await;
        assert!(is_sent(&begin(store, job, NOW).await), "it is not to the other contact");
        erase(store, &scope, contact.id).await;
        assert_eq!(begin(store, job, NOW).await, SendDecision::Unwanted("the contact was erased"));
        assert_eq!(db.count(EMPTIED).await, 1);
    });
}

#[test]
fn mail_that_was_queued_during_the_erasure_is_dropped_at_its_first_attempt() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, contact, issued) = invoiced(store).await;
        erase(store, &scope, contact.id).await;
        // A request that read the contact before the erasure commits after it.
        let payload = serde_json::json!({"payload": {"contact": {"id": contact.id.to_string()}}}).to_string();
        let resource_id = Some(issued.id.uuid());
        queue_job(store, NewJob { resource_id, payload, ..job_of(scope.id) }).await;
        let mut leased = lease(store, NOW, 10).await;
        leased.retain(|job| job.lease.account == scope.id);
        let [job] = &leased[..] else { panic!("{leased:?}") };
        assert_eq!(begin(store, job, NOW).await, SendDecision::Unwanted("the contact was erased"));
        assert_eq!(db.count(EMPTIED).await, 1);
        let messages = store.communications_reads.messages(scope.id, None, None, 10).await.unwrap();
        assert_eq!(messages.iter().map(|message| message.state).collect::<Vec<_>>(), [MessageState::Dropped]);
    });
}

#[test]
fn invoice_that_is_cancelled_while_its_mail_waits_is_not_mailed() {
    on_both(async |db| {
        let store = &db.store;
        for is_attempted in [false, true] {
            let (scope, _, issued) = invoiced(store).await;
            let sent = send_invoice(store, &scope, &issued).await.unwrap();
            let mut leased = lease(store, NOW, 10).await;
            leased.retain(|job| job.lease.account == scope.id);
            let [job] = &leased[..] else { panic!("{leased:?}") };
            if is_attempted {
                assert!(is_sent(&begin(store, job, NOW).await));
                recorder(store, NOW).not_accepted(&queued(job), NOW).await.unwrap();
            }
            let invoicing = invoicing(store, FixedClock::default());
            let cancelled = invoicing.cancel(&scope, issued.id, None).await.unwrap();
            let reason = "the invoice was cancelled";
            for _ in 0..2 {
                assert_eq!(begin(store, job, NOW).await, SendDecision::Unwanted(reason));
                recorder(store, NOW).failed(&queued(job), reason).await.unwrap();
            }
            let messages = store.communications_reads.messages(scope.id, None, None, 10).await.unwrap();
            let [dropped] = &messages[..] else { panic!("{messages:?}") };
            assert_eq!((dropped.state, dropped.detail.as_deref()), (MessageState::Dropped, Some(reason)));
            assert_eq!((dropped.began_at, dropped.invoice), (None, Some(issued.id)));
            assert_eq!((cancelled.send_count, cancelled.last_sent_at), (sent.send_count, sent.last_sent_at));
        }
    });
}

#[test]
fn receipt_link_and_mail_of_what_was_cancelled_before_are_sent() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, _, issued) = invoiced(store).await;
        send_invoice(store, &scope, &issued).await.unwrap();
        let mut leased = lease(store, NOW, 10).await;
        leased.retain(|job| job.lease.account == scope.id);
        let mut job = leased.remove(0);
        job.payload = job.payload.replace("\"UNPAID\"", "\"CANCELLED\"");
        for (scope, issued, job) in
            [(scope, issued, job), mailed(store, false).await, mailed(store, true).await]
        {
            invoicing(store, FixedClock::default()).cancel(&scope, issued.id, None).await.unwrap();
            assert!(is_sent(&begin(store, &job, NOW).await), "{}", job.payload);
        }
    });
}
