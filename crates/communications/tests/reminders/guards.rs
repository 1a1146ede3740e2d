//! Each reason to hold a reminder back, in isolation: without its guard in `permit`, its test fails.

use communications::{
    AccountFacts, Channel, CloseReason, ContactFacts, HoldReason, InvoiceFacts, MonthlyTexts, PausedUntil,
    permit,
};
use invoices::InvoiceStatus;
use time::macros::{date, datetime};
use time::{Duration, OffsetDateTime};

use crate::samples::{DUE, NOW, account, contact, invoice};

struct Case {
    account: AccountFacts,
    contact: ContactFacts,
    invoice: InvoiceFacts,
    channel: Channel,
    now: OffsetDateTime,
}

fn held(change: impl FnOnce(&mut Case)) -> Option<HoldReason> {
    let mut case = Case {
        account: account("1:email,7:sms"),
        contact: contact(),
        invoice: invoice(10, DUE),
        channel: Channel::Email,
        now: NOW,
    };
    change(&mut case);
    permit(&case.account, &case.contact, &case.invoice, case.channel, case.now).err()
}

#[test]
fn reminder_without_a_hold_reason_is_sent_by_mail_and_text_message() {
    assert_eq!(held(|_| {}), None);
    assert_eq!(held(|case| case.channel = Channel::Sms), None);
}

#[test]
fn open_escalation_holds_until_48_hours_after_the_last_was_closed() {
    assert_eq!(held(|case| case.contact.open_escalation = true), Some(HoldReason::OpenEscalation));
    let closed = |ago: Duration| held(|case| case.contact.escalation_closed_at = Some(NOW - ago));
    assert_eq!(closed(Duration::hours(48) - Duration::SECOND), Some(HoldReason::OpenEscalation));
    assert_eq!(closed(Duration::hours(48)), None);
}

#[test]
fn unread_reply_holds() {
    assert_eq!(held(|case| case.contact.reply_unread = true), Some(HoldReason::ReplyUnread));
}

#[test]
fn promise_holds_until_its_day_is_over_in_the_accounts_zone() {
    let promised = |now| {
        held(|case| {
            case.invoice.promised_until = Some(date!(2026 - 12 - 03));
            (case.account.zone, case.now) = (kernel::TimeZone::parse("America/New_York").unwrap(), now);
        })
    };
    assert_eq!(promised(NOW), Some(HoldReason::Promise));
    assert_eq!(promised(datetime!(2026-12-03 12:00 UTC)), Some(HoldReason::Promise));
    assert_eq!(promised(datetime!(2026-12-04 06:30 UTC)), None, "past midnight in New York");
}

#[test]
fn payment_on_its_way_holds() {
    assert_eq!(held(|case| case.invoice.payment_pending = true), Some(HoldReason::PaymentPending));
}

#[test]
fn invoice_on_which_nothing_is_due_is_not_reminded_of() {
    assert_eq!(held(|case| case.invoice.is_due = false), Some(HoldReason::NothingDue));
    for status in [InvoiceStatus::Draft, InvoiceStatus::Paid, InvoiceStatus::Cancelled] {
        assert_eq!(held(|case| case.invoice.status = status), Some(HoldReason::NothingDue));
    }
    let scheduled = held(|case| {
        case.invoice.status = InvoiceStatus::Scheduled;
        case.invoice.invoice_date = date!(2026 - 12 - 04);
    });
    assert_eq!(scheduled, Some(HoldReason::NothingDue));
}

#[test]
fn pause_holds_until_its_day_or_for_ever_and_so_does_a_stopped_policy() {
    let paused = |until| held(|case| case.invoice.paused = Some(until));
    assert_eq!(paused(PausedUntil::Never), Some(HoldReason::Paused));
    assert_eq!(paused(PausedUntil::Date(date!(2026 - 12 - 04))), Some(HoldReason::Paused));
    assert_eq!(paused(PausedUntil::Date(date!(2026 - 12 - 03))), None);
    assert_eq!(held(|case| case.account.policy.started_at = None), Some(HoldReason::Paused));
}

#[test]
fn closed_address_holds_its_own_channel_only() {
    for (closed, reason) in
        [(CloseReason::OptedOut, HoldReason::OptedOut), (CloseReason::Bounced, HoldReason::Bounced)]
    {
        assert_eq!(held(|case| case.contact.closed = vec![(Channel::Email, closed)]), Some(reason));
        assert_eq!(held(|case| case.contact.closed = vec![(Channel::Sms, closed)]), None);
    }
}

#[test]
fn missing_address_holds_and_no_other_channel_takes_its_place() {
    assert_eq!(held(|case| case.contact.email = None), Some(HoldReason::NoAddress));
    let no_phone = held(|case| (case.contact.phone, case.channel) = (None, Channel::Sms));
    assert_eq!(no_phone, Some(HoldReason::NoAddress));
}

#[test]
fn text_message_and_call_need_consent() {
    for channel in [Channel::Sms, Channel::Voice] {
        let without = held(|case| (case.contact.consents, case.channel) = (Vec::new(), channel));
        assert_eq!(without, Some(HoldReason::NoConsent));
    }
    assert_eq!(held(|case| case.contact.consents = Vec::new()), None, "e-mail needs none");
}

#[test]
fn contact_is_left_alone_for_48_hours_after_a_mail_or_an_issue_without_one() {
    let written = |ago: Duration| held(|case| case.contact.written_at = vec![NOW - ago]);
    assert_eq!(written(Duration::hours(48) - Duration::SECOND), Some(HoldReason::RecentlyMailed));
    assert_eq!(written(Duration::hours(48)), None);
    let issued = |was_mailed: bool, ago: Duration| {
        held(|case| {
            case.invoice.issued_at = NOW - ago;
            case.invoice.mailed_at = was_mailed.then_some(NOW - ago);
        })
    };
    assert_eq!(issued(false, Duration::hours(47)), Some(HoldReason::RecentlyMailed));
    assert_eq!(issued(false, Duration::hours(48)), None);
    assert_eq!(issued(true, Duration::hours(47)), None);
}

#[test]
fn three_reminders_in_7_days_or_ten_in_30_are_the_most() {
    let reminded = |days: &[i64]| {
        let at = days.iter().map(|days| NOW - Duration::days(*days)).collect();
        held(|case| case.contact.reminded_at = at)
    };
    assert_eq!(reminded(&[3, 5, 6]), Some(HoldReason::Cap));
    assert_eq!(reminded(&[3, 5, 7]), None);
    assert_eq!(reminded(&[3, 6, 8, 11, 14, 17, 20, 23, 26, 29]), Some(HoldReason::Cap));
    assert_eq!(reminded(&[3, 6, 8, 11, 14, 17, 20, 23, 26, 30]), None);
}

#[test]
fn quiet_hours_hold() {
    let at = |now| held(|case| case.now = now);
    assert_eq!(at(datetime!(2026-12-03 06:29 UTC)), Some(HoldReason::QuietHours));
    assert_eq!(at(datetime!(2026-12-03 20:00 UTC)), Some(HoldReason::QuietHours));
    assert_eq!(at(datetime!(2026-12-03 19:59 UTC)), None);
}

#[test]
fn account_that_is_off_holds() {
    assert_eq!(held(|case| case.account.is_on = false), Some(HoldReason::CommunicationsOff));
}

#[test]
fn text_message_is_held_where_the_service_sends_none_and_mail_is_not() {
    let without = |channel| {
        held(|case| {
            case.account.sends_texts = false;
            case.channel = channel;
        })
    };
    assert_eq!(without(Channel::Sms), Some(HoldReason::CommunicationsOff));
    assert_eq!(without(Channel::Email), None);
}

#[test]
fn text_message_is_held_once_the_months_limit_is_reached_and_mail_is_not() {
    let with = |used, channel| {
        held(|case| {
            case.account.texts = Some(MonthlyTexts { limit: 2, used, counted_on: date!(2026 - 12 - 03) });
            case.channel = channel;
        })
    };
    assert_eq!(with(2, Channel::Sms), Some(HoldReason::Cap));
    assert_eq!(with(2, Channel::Email), None);
    assert_eq!(with(1, Channel::Sms), None);
}

#[test]
fn months_limit_holds_until_the_next_month_of_the_accounts_zone() {
    let at = |limit, now| {
        held(|case| {
            case.account.zone = kernel::TimeZone::parse("America/New_York").unwrap();
            case.account.texts = Some(MonthlyTexts { limit, used: 1, counted_on: date!(2026 - 12 - 03) });
            (case.channel, case.now) = (Channel::Sms, now);
        })
    };
    assert_eq!(at(1, datetime!(2027-01-01 06:30 UTC)), None, "past midnight in New York");
    assert_eq!(at(1, datetime!(2026-12-31 19:00 UTC)), Some(HoldReason::Cap));
    assert_eq!(at(0, datetime!(2027-01-01 06:30 UTC)), Some(HoldReason::Cap), "none is ever allowed");
}
