//! The texts of the pages on communications with customers.

use communications::{CloseReason, HoldReason, MessageState, MessageType, SkipReason, Tone};
use escalations::Channel;

texts! {
    /// The texts of the pages on communications with customers.
    pub struct CommunicationsTexts;
    pub(super) static ENGLISH;

    channel: fn(Channel) -> &'static str = |channel| match channel {
        Channel::Email => "E-mail",
        Channel::Sms => "Text message",
        Channel::Voice => "Call",
    },
    // The unsubscribe page
    unsubscribe = "End reminders",
    unsubscribe_intro: fn(Channel, &str) -> String = |channel, address| {
        format!("Press the button to stop reminders by {} to {address}.", by(channel))
    },
    unsubscribe_button = "End reminders",
    unsubscribe_note = "You will still get invoices, receipts and answers to your messages. Your invoices \
                        remain payable.",
    unsubscribe_preview =
        "This is the link of a test, and nothing was changed. A customer who opens the link \
         of a reminder can stop reminders here.",
    unsubscribed = "Reminders have ended",
    unsubscribed_intro: fn(Channel, &str) -> String = |channel, address| {
        format!("No more reminders by {} will be sent to {address}.", by(channel))
    },
    // The mailroom of the sandbox
    mailroom = "Mailroom",
    mailroom_note = "This page is for trying out the service. It shows the messages sent to customers, \
                     newest first. A reply that you write here is received as if the customer had sent it.",
    mailroom_empty = "No messages have been sent yet. Send an invoice, or start reminders.",
    mailroom_unknown = "There is no such message in the mailroom. Open the page again.",
    mailroom_facts: fn(&str, &str, &str) -> String = |channel, to, at| format!("{channel} to {to}, {at}"),
    mailroom_reply = "Reply as the customer",
    mailroom_send = "Send reply",
    // The settings
    heading = "Communications",
    started_at: fn(&str) -> String = |at| format!("Reminders have been on since {at}."),
    stopped = "Reminders are off. No customer is reminded until you start them.",
    switched_off = "Messages to customers are switched off, so no reminders are sent. Switch them on in \
                    Settings, Profile.",
    no_replies = "No domain for incoming mail is set up, so replies to reminders go to your own mailbox. \
                  They do not appear here and do not stop reminders.",
    no_texts = "Text messages are not set up. Steps by text message are held back until the operator of \
                this service sets up a provider.",
    policy = "When reminders are sent",
    policy_note = "A step is due at 9:00 where the customer lives, this many days after the due date. Use \
                   a minus sign for days before it. To remove a step, leave its days empty. While reminders \
                   are on, a step that you add, or whose day or channel you change, is left out for \
                   invoices that are past it. To send it for them too, stop reminders, change the steps, \
                   and start reminders again.",
    steps = "Steps",
    step: fn(usize) -> String = |number| format!("Step {number}"),
    days = "Days after the due date",
    by = "Channel",
    tone_label = "Tone",
    usual_tone = "Default for the day",
    tone: fn(Tone) -> &'static str = |tone| match tone {
        Tone::Friendly => "Friendly",
        Tone::Firm => "Firm",
        Tone::Final => "Final",
    },
    time_zone = "Time zone",
    time_zone_hint = "For example Australia/Sydney. Check it before you start: it sets the time of \
                      reminders to customers whose country is not known.",
    late_invoices: fn(usize) -> String = |count| match count {
        0 => "No invoice is over 30 days late".to_owned(),
        1 => "1 invoice is over 30 days late".to_owned(),
        count => format!("{count} invoices are over 30 days late"),
    },
    late_hint = "Unless you tick this, no reminders are sent for these invoices.",
    remind_late = "Send reminders for invoices that were over 30 days late when reminders started",
    holidays = "Public holidays",
    holidays_hint = "No reminders are sent on these days. Enter one date per line, such as 2026-12-25.",
    promise_days = "Longest promise to pay, in days",
    promise_days_hint = "How many days ahead customers may promise to pay, from 0 to 365. Later promises \
                         wait for you.",
    model = "Customer messages that the rules are unsure about",
    ask_model: fn(&str) -> String = |host| {
        format!("Send what the customer wrote to the server {host}, where a language model reads it")
    },
    model_hint = "The operator of this service chose the server. It gets what the customer wrote last, and \
                  nothing else from your account. If the model finds that the customer cannot pay, \
                  disputes the invoice, refuses to pay or wants to talk to a person, and quotes the \
                  customer's own words, an escalation is opened. Unless you tick this, nothing is sent \
                  there, and such messages are read by the rules alone.",
    start = "Start reminders",
    stop = "Stop reminders",
    save = "Save",
    previews = "Preview of reminders",
    no_preview = "The preview shows a real invoice, and none is open yet. Issue one first.",
    as_text = "As a text message:",
    test_tone = "Tone of the test",
    test: fn(&str) -> String = |address| format!("Send a test to {address}"),
    test_needs_invoice = "A test shows a real invoice, and none is open yet. Issue one first.",
    planned = "The next 60 days, if no customer pays or writes",
    planned_if_started = "The next 60 days, if you start reminders now and no customer pays or writes",
    planned_nothing = "No reminders would be sent.",
    planned_more: fn(usize) -> String = |count| format!("And {count} more."),
    planned_many = "There are too many open invoices to list their reminders here. Each invoice's page \
                    shows its next reminder.",
    planned_on: fn(&str, &str) -> String = |channel, at| format!("{channel} on {at}"),
    an_invoice = "Invoice",
    message = "Message",
    // Reminders of one invoice, and the next reminders
    reminders = "Reminders",
    by_channel: fn(Channel) -> &'static str = by,
    next: fn(&str, &str) -> String = |by, at| format!("Next: {by} on {at}"),
    next_nothing = "No reminder is planned for this invoice.",
    held: fn(&str) -> String = |reason| format!("Held back, because {reason}."),
    next_week = "Reminders in the next 7 days, if no customer pays or writes.",
    next_week_nothing = "No reminders are planned for the next 7 days.",
    many_planned = "Reminders are on.",
    until = "No reminders before",
    until_hint = "Reminders for this invoice resume on this day.",
    pause = "Pause",
    never_remind = "Never remind",
    resume = "Resume reminders",
    paused_until: fn(&str) -> String = |day| format!("Reminders for this invoice are paused until {day}."),
    paused_for_good = "No reminders will be sent for this invoice.",
    why = "Why reminders were sent or held back",
    step_of: fn(i16, &str) -> String = |days, by| match days {
        0 => format!("Step on the due date, {by}"),
        1 => format!("Step 1 day after the due date, {by}"),
        -1 => format!("Step 1 day before the due date, {by}"),
        days if days < 0 => format!("Step {} days before the due date, {by}", days.unsigned_abs()),
        days => format!("Step {days} days after the due date, {by}"),
    },
    decided_send = "being sent",
    decided_sent = "sent",
    decided_hold: fn(&str) -> String = |reason| format!("held back, because {reason}"),
    decided_skip: fn(&str) -> String = |reason| format!("left out, because {reason}"),
    hold_reason: fn(HoldReason) -> &'static str = hold_reason,
    skip_reason: fn(SkipReason) -> &'static str = |reason| match reason {
        SkipReason::BeforeIssue => "it was due before the invoice was issued",
        SkipReason::Collapsed => "a later step took its place",
        SkipReason::Backlog => "the invoice was over 30 days late when reminders started",
        SkipReason::AddedLater => "it was due before the step was added",
        SkipReason::Failed => "it could not be sent, or it is not known whether it was sent",
    },
    // Contacts
    preferences = "What the customer allows",
    channels: fn(Channel) -> &'static str = |channel| match channel {
        Channel::Email => "E-mail",
        Channel::Sms => "Text messages",
        Channel::Voice => "Calls",
    },
    no_consents = "No consent to text messages or calls is recorded, so none are sent or made.",
    consent: fn(bool, &str, &str, &str) -> String = |given, channels, at, how| {
        let what = if given { "consent given" } else { "consent withdrawn" };
        format!("{channels}: {what}, {at}: {how}")
    },
    consent_channel = "Channel",
    consent_how = "How the customer told you",
    consent_how_hint = "For example: on the telephone on 3 December. This note is kept.",
    give = "Record consent",
    withdraw = "Record withdrawal",
    closed: fn(CloseReason, &str, &str, &str) -> String = |reason, channels, address, at| match reason {
        CloseReason::OptedOut => format!("{channels} to {address}: opted out, {at}."),
        CloseReason::Bounced => format!("{channels} to {address}: could not be delivered, {at}."),
    },
    bounced_advice = "Enter another address above, or mark this one as working again.",
    reopened: fn(&str, &str) -> String = |at, because| format!("Turned on again, {at}: {because}"),
    their_word = "What the customer said",
    their_word_hint = "Also say when. Reminders are then sent again, and this note is kept.",
    turn_on = "Turn on again",
    how_known = "How you know that the address works",
    how_known_hint = "For example, what the customer said and when. Reminders are then sent there again, \
                      and this note is kept.",
    works_again = "Mark as working again",
    not_closed = "What blocked messages to this address has ended or changed. Open the page again to see its \
                  current state.",
    conversation = "Conversation",
    no_messages = "There are no messages yet.",
    // Messages
    inbox = "Inbox",
    inbox_empty = "Messages from customers, and those sent to them, appear here. Set up reminders in:",
    every_contact = "All contacts",
    waiting = "Waiting to be read",
    all_messages = "All messages",
    reminders_on_hold = "Reminders on hold",
    answer = "Answer",
    answer_heading = "Answer a message",
    answer_to: fn(&str, &str) -> String =
        |by, address| format!("Your answer will be sent by {by} to {address}."),
    answer_text = "Your answer",
    answer_sms_hint = "Your company's name is added in front. Together they must fit in two text messages: \
                       about 300 characters, or 130 with characters such as emoji.",
    answer_send = "Send answer",
    answer_not = "Back to the inbox",
    handled = "Handled",
    read_whole = "Read the whole message",
    to_inbox = "Go to the inbox",
    meaning = "The meaning",
    wrong = "That is wrong",
    means = "The message means",
    correct = "Change the type",
    came_in: fn(&str, &str, &str) -> String = |by, from, at| match from {
        "" => format!("{by} without a sender, {at}"),
        from => format!("{by} from {from}, {at}"),
    },
    went_out: fn(&str, &str, &str, &str) -> String =
        |by, to, at, state| format!("{by} to {to}, {at}, {state}"),
    state: fn(MessageState) -> &'static str = |state| match state {
        MessageState::Stored => "waiting to be processed",
        MessageState::Handled => "read by the rules",
        MessageState::Quarantined => "in quarantine",
        MessageState::Automatic => "automatic message",
        MessageState::Dropped => "not sent",
        MessageState::Queued => "waiting to be sent",
        MessageState::Sent => "sent",
        MessageState::Delivered => "delivered",
        MessageState::Failed => "failed",
    },
    message_type: fn(MessageType) -> &'static str = |kind| match kind {
        MessageType::Hardship => "cannot pay right now",
        MessageType::Dispute => "something is wrong with the invoice",
        MessageType::Refused => "will not pay",
        MessageType::HumanRequest => "wants to talk to a person",
        MessageType::Promise => "promises to pay",
        MessageType::PaidClaim => "says it is already paid",
        MessageType::OptOut => "wants no more messages",
        MessageType::Other => "something else",
    },
    understood: fn(&str, bool, Option<&str>) -> String = |kind, sure, date| {
        let date = date.map(|date| format!(" by {date}")).unwrap_or_default();
        let unsure = if sure { "" } else { " (not sure)" };
        format!("Understood as: {kind}{date}{unsure}")
    },
    classified_by_model = ", read by a language model",
    corrected: fn(&str, &str) -> String = |kind, rules| format!("You changed this to: {kind}. {rules}"),
    attachments: fn(u32) -> String = |count| match count {
        1 => "1 attachment, not opened".to_owned(),
        count => format!("{count} attachments, not opened"),
    },
    text_removed: fn(&str) -> String = |day| format!("(text removed on {day})"),
}

const fn hold_reason(reason: HoldReason) -> &'static str {
    match reason {
        HoldReason::OpenEscalation => "an escalation is open, or was closed less than 48 hours earlier",
        HoldReason::ReplyUnread => {
            "the customer wrote something that you have not marked as handled, or a message that may be from \
             the customer is in quarantine"
        }
        HoldReason::Promise => "the customer promised to pay",
        HoldReason::PaymentPending => "a payment is on its way",
        HoldReason::NothingDue => "nothing is due",
        HoldReason::Paused => "you paused reminders",
        HoldReason::OptedOut => "the customer opted out",
        HoldReason::Bounced => "e-mail to this address could not be delivered",
        HoldReason::NoAddress => "the customer has no address for this channel",
        HoldReason::RecentlyMailed => {
            "the customer heard from you, or the invoice was issued without mail, less than 48 hours earlier"
        }
        HoldReason::NoConsent => "the customer has not consented to this channel",
        HoldReason::Cap => {
            "the customer already got as many reminders as are allowed, or the text messages for the month \
             are used up"
        }
        HoldReason::QuietHours => "it was too early, too late or a holiday where the customer lives",
        HoldReason::CommunicationsOff => {
            "messages to customers are switched off, or text messages are not set up"
        }
    }
}

const fn by(channel: Channel) -> &'static str {
    match channel {
        Channel::Email => "e-mail",
        Channel::Sms => "text message",
        Channel::Voice => "telephone",
    }
}
