//! The texts of the pages on communications with customers.

use communications::Tone;
use escalations::Channel;

/// The texts of the pages on communications with customers.
#[derive(Debug)]
pub struct CommunicationsTexts {
    pub channel: fn(Channel) -> &'static str,
    // The page that ends reminders
    pub unsubscribe: &'static str,
    pub unsubscribe_intro: fn(Channel, &str) -> String,
    pub unsubscribe_button: &'static str,
    pub unsubscribe_note: &'static str,
    pub unsubscribed: &'static str,
    pub unsubscribed_intro: fn(Channel, &str) -> String,
    // The mailroom of the sandbox
    pub mailroom: &'static str,
    pub mailroom_note: &'static str,
    pub mailroom_empty: &'static str,
    pub mailroom_unknown: &'static str,
    pub mailroom_facts: fn(&str, &str, &str) -> String,
    pub mailroom_reply: &'static str,
    pub mailroom_send: &'static str,
    // The settings
    pub heading: &'static str,
    pub started_at: fn(&str) -> String,
    pub stopped: &'static str,
    pub switched_off: &'static str,
    pub no_replies: &'static str,
    pub no_texts: &'static str,
    pub policy: &'static str,
    pub policy_note: &'static str,
    pub step: fn(usize) -> String,
    pub days: &'static str,
    pub by: &'static str,
    pub tone_label: &'static str,
    pub usual_tone: &'static str,
    pub tone: fn(Tone) -> &'static str,
    pub time_zone: &'static str,
    pub time_zone_hint: &'static str,
    pub late_invoices: fn(usize) -> String,
    pub late_hint: &'static str,
    pub remind_late: &'static str,
    pub holidays: &'static str,
    pub holidays_hint: &'static str,
    pub promise_days: &'static str,
    pub promise_days_hint: &'static str,
    pub start: &'static str,
    pub stop: &'static str,
    pub save: &'static str,
    pub previews: &'static str,
    pub no_preview: &'static str,
    pub as_text: &'static str,
    pub test_tone: &'static str,
    pub test: fn(&str) -> String,
    pub test_needs_invoice: &'static str,
    pub planned: &'static str,
    pub planned_if_started: &'static str,
    pub planned_nothing: &'static str,
    pub planned_more: fn(usize) -> String,
    pub planned_on: fn(&str, &str) -> String,
    pub an_invoice: &'static str,
    pub message: &'static str,
}

/// English.
pub(super) static ENGLISH: CommunicationsTexts = CommunicationsTexts {
    channel: |channel| match channel {
        Channel::Email => "E-mail",
        Channel::Sms => "Text message",
        Channel::Voice => "Call",
    },
    unsubscribe: "End reminders",
    unsubscribe_intro: |channel, address| {
        format!("Press the button to get no more reminders by {} to {address}.", by(channel))
    },
    unsubscribe_button: "End reminders",
    unsubscribe_note: "Invoices, receipts and answers to your messages still come. Invoices stay payable.",
    unsubscribed: "Reminders have ended",
    unsubscribed_intro: |channel, address| {
        format!("No more reminders by {} are sent to {address}.", by(channel))
    },
    mailroom: "Mailroom",
    mailroom_note: "This page is for trying the service: it shows what went out to customers, newest first. \
                    What you reply here comes in as if the customer had written it.",
    mailroom_empty: "Nothing went out yet. Send an invoice, or start reminders.",
    mailroom_unknown: "There is no such message in the mailroom. Open the page again.",
    mailroom_facts: |channel, to, at| format!("{channel} to {to}, {at}"),
    mailroom_reply: "Reply as the customer",
    mailroom_send: "Send reply",
    heading: "Communications",
    started_at: |at| format!("Reminders are on, since {at}."),
    stopped: "Reminders are off. No customer is reminded until you start them.",
    switched_off: "Messages to customers are switched off: no reminder goes out. Switch them on in Settings, \
                   Profile.",
    no_replies: "No domain for incoming mail is set: replies to reminders go to your own mailbox, and are not \
                 seen here. They stop no reminder.",
    no_texts: "No provider of text messages is set: steps by text message cannot be sent.",
    policy: "When reminders go out",
    policy_note: "A step is due at 9:00 where the customer lives, so many days after the due date of an invoice, \
                  or before it with a minus sign. Leave the days of a step empty to remove it.",
    step: |number| format!("Step {number}"),
    days: "Days after the due date",
    by: "By",
    tone_label: "Tone",
    usual_tone: "As usual for the day",
    tone: |tone| match tone {
        Tone::Friendly => "Friendly",
        Tone::Firm => "Firm",
        Tone::Final => "Final",
    },
    time_zone: "Time zone",
    time_zone_hint: "Check that this is yours before you start: customers whose country is not known are \
                     reminded by it. Such as Australia/Sydney.",
    late_invoices: |count| match count {
        0 => "No invoice is over 30 days late".to_owned(),
        1 => "1 invoice is over 30 days late".to_owned(),
        count => format!("{count} invoices are over 30 days late"),
    },
    late_hint: "Without the tick, no reminders of such invoices are sent.",
    remind_late: "Remind of invoices that were over 30 days late when reminders started",
    holidays: "Public holidays",
    holidays_hint: "No reminder is sent on these days. One date on each line, such as 2026-12-25.",
    promise_days: "Days within which customers may promise to pay",
    promise_days_hint: "From 0 to 365, counted from today. A promise that reaches further is for you to decide.",
    start: "Start reminders",
    stop: "Stop reminders",
    save: "Save",
    previews: "How reminders read",
    no_preview: "There is no open invoice yet to show reminders on. Issue one first.",
    as_text: "As a text message:",
    test_tone: "Tone of the test",
    test: |address| format!("Send a test to {address}"),
    test_needs_invoice: "A test shows a real invoice, and none is open yet. Issue one first.",
    planned: "The next 60 days, if no customer pays or writes",
    planned_if_started: "The next 60 days, if you start reminders now and no customer pays or writes",
    planned_nothing: "No reminder would go out.",
    planned_more: |count| format!("And {count} more."),
    planned_on: |channel, at| format!("{channel} on {at}"),
    an_invoice: "Invoice",
    message: "Message",
};

const fn by(channel: Channel) -> &'static str {
    match channel {
        Channel::Email => "e-mail",
        Channel::Sms => "text message",
        Channel::Voice => "telephone",
    }
}
