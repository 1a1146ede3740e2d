//! The pages on communications with customers, except the inbox.

use std::collections::BTreeMap;

use communications::{
    Address, AddressHold, Channel, ClassifiedBy, CloseReason, Consent, DecidedStep, Decision, Direction,
    ForecastMessage, HoldReason, Message, MessageData, MessagePurpose, MessageState, MessageType,
    NextReminder, PausedUntil, ReminderPolicy, ReminderPreview, SkipReason, StepDecision, StepKey, Tone,
    Understood,
};
use invoices::InvoiceStatus;
use kernel::{FieldErrors, Id, SingleLine, TimeZone};
use pages::communications::{
    AnswerPage, CommunicationsSettings, CommunicationsSettingsPage, OneMessage, PlannedAhead, SandboxMessage,
    SandboxMessages, SandboxMessagesPage, ShownCommunications, ShownMessage, ShownReminders,
};
use pages::invoicing::{InvoicePage, ShownInvoice};
use pages::{Confirmation, Form, Page as _, PageLinks, UnsubscribePage};
use time::macros::{date, datetime};

use crate::assert_well_made;
use crate::sample::{TODAY, shown, urls};

pub(crate) const HOSTILE: &str = "\"><script>alert(1)</script>'&{{7*7}}";

fn id<E>(number: u8) -> Id<E> {
    Id::parse(&format!("01936f3c-2b7e-7c00-8000-0000000000{number:02}")).unwrap()
}

pub(crate) fn sydney() -> TimeZone {
    TimeZone::parse("Australia/Sydney").unwrap()
}

pub(crate) fn rendered(page: &impl pages::Template) -> String {
    let html = page.render().unwrap();
    assert_well_made(&html);
    assert!(!html.contains("<script"), "{html}");
    html
}

pub(crate) fn sent() -> Message {
    let at = datetime!(2026-11-23 20:05 UTC);
    let way = (Channel::Email, Address::from_stored("ada@example.com".to_owned()));
    Message::new(MessageData {
        contact: Some(id(1)),
        state: MessageState::Sent,
        subject: Some(HOSTILE.to_owned()),
        text: format!("Pay at https://books.example.com/pay/x. {HOSTILE}"),
        ..MessageData::outgoing(id(1), id(1), MessagePurpose::Reminder, way, at)
    })
}

pub(crate) fn received(number: u8) -> Message {
    Message::new(MessageData {
        id: id(number),
        direction: Direction::In,
        purpose: None,
        state: MessageState::Handled,
        text: format!("{HOSTILE} I paid it last week"),
        attachments: 2,
        understood: Some(Understood {
            message_type: MessageType::PaidClaim,
            sure: false,
            evidence: "I paid it".to_owned(),
            date: Some(date!(2026 - 12 - 04)),
            version: 1,
            corrected: Some(MessageType::Dispute),
            classified_by: ClassifiedBy::LanguageModel,
        }),
        is_unread: true,
        ..(*sent()).clone()
    })
}

/// The content of a contact's page, with hostile text wherever text is possible.
pub(crate) fn communications() -> ShownCommunications {
    let how = || SingleLine::from_stored(HOSTILE.to_owned());
    let consent = |is_given| Consent {
        id: id(1),
        contact: id(1),
        channel: Channel::Sms,
        is_given,
        recorded_at: datetime!(2026-11-23 20:05 UTC),
        how: how(),
        recorded_by: SingleLine::from_stored("owner".to_owned()),
    };
    let hold = |reason, reopened_at| AddressHold {
        id: id(1),
        account: id(1),
        channel: Channel::Email,
        address: Address::from_stored("ada@example.com".to_owned()),
        reason,
        closed_at: datetime!(2026-11-23 20:05 UTC),
        evidence: SingleLine::from_stored(HOSTILE.to_owned()),
        reopened_at,
        reopened_because: reopened_at.map(|_| SingleLine::from_stored(HOSTILE.to_owned())),
    };
    let messages = [received(2), sent()].map(|message| ShownMessage { message, contact: None });
    ShownCommunications {
        contact: sent().account.to_string(),
        consents: vec![consent(false), consent(true)],
        holds: vec![
            hold(CloseReason::OptedOut, None),
            hold(CloseReason::OptedOut, Some(datetime!(2026-11-24 20:05 UTC))),
            hold(CloseReason::Bounced, None),
            hold(CloseReason::Bounced, Some(datetime!(2026-11-24 20:05 UTC))),
        ],
        messages: messages.to_vec(),
        has_more: true,
        time_zone: sydney(),
    }
}

#[test]
fn link_that_ends_reminders_shows_a_button_and_then_what_has_ended() {
    let html = rendered(&UnsubscribePage::new(&sent(), &urls()));
    assert!(html.contains("by e-mail to ada@example.com") && html.contains("<button>"), "{html}");
    let html = rendered(&UnsubscribePage::ended(&sent(), &urls()));
    assert!(html.contains("Reminders have ended") && !html.contains("<form"), "{html}");
    let html = rendered(&UnsubscribePage::of_preview(&urls()));
    assert!(html.contains("nothing was changed") && !html.contains("<form"), "{html}");
}

#[test]
fn page_of_the_sandbox_shows_messages_with_links_and_keeps_a_refused_reply() {
    let values = [("message", sent().id.to_string()), ("text", HOSTILE.to_owned())];
    let values = values.map(|(name, value)| (name.to_owned(), value)).to_vec();
    let form = Form::refused("0199".to_owned(), values, FieldErrors::one("text", "is too long"));
    let next = Some("https://books.example.com/sandbox/mailroom?after=x".to_owned());
    let links = PageLinks { first: None, next };
    let messages = vec![SandboxMessage { message: sent(), form_token: "0200".to_owned() }];
    let html = rendered(&SandboxMessagesPage::new(&SandboxMessages { messages, form, links }, &urls()));
    for text in [
        "<a href=\"https://books.example.com/pay/x\">https://books.example.com/pay/x</a>. ",
        "name=\"text\" aria-invalid=\"true\"",
        "E-mail to ada@example.com, 23 November 2026, 20:05 UTC",
        "<input type=\"hidden\" name=\"once\" value=\"0199\">",
        "<article ",
    ] {
        assert!(html.contains(text), "{text} in {html}");
    }
    let (to_field, field) =
        (format!("<a href=\"#text-{}\">", sent().id), format!(" id=\"text-{}\"", sent().id));
    assert!(html.contains(&to_field) && html.contains(&field), "{to_field} in {html}");
    let empty = SandboxMessages { messages: Vec::new(), form: Form::default(), links: PageLinks::default() };
    assert!(rendered(&SandboxMessagesPage::new(&empty, &urls())).contains("No messages have been sent yet"));
}

fn settings() -> CommunicationsSettings {
    let preview = |tone| ReminderPreview {
        contact: None,
        tone,
        subject: HOSTILE.to_owned(),
        text: HOSTILE.to_owned(),
        html: String::new(),
        sms: Some(HOSTILE.to_owned()),
    };
    CommunicationsSettings {
        company: HOSTILE.to_owned(),
        policy: ReminderPolicy::initial(),
        is_on: false,
        backlog: 3,
        takes_replies: false,
        sends_texts: false,
        language_model_host: None,
        owner: "owner@example.com".to_owned(),
        previews: Tone::ALL.map(preview).to_vec(),
        planned: PlannedAhead::Messages {
            messages: vec![planned()],
            more: 7,
            numbers: BTreeMap::from([(id(1), HOSTILE.to_owned())]),
        },
        time_zone: sydney(),
    }
}

fn planned() -> ForecastMessage {
    ForecastMessage {
        at: datetime!(2026-12-02 22:00 UTC),
        contact: id(1),
        name: HOSTILE.to_owned(),
        channel: Channel::Email,
        invoices: vec![id(1), id(2)],
    }
}

#[test]
fn settings_ask_for_the_time_zone_and_show_the_backlog_and_what_will_go_out() {
    let values = [("steps.0.days", "-3"), ("steps.0.channel", "sms"), ("timezone", "Australia/Sydney")];
    let values = values.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let form = Form::refused("0199".to_owned(), values, FieldErrors::one("steps.0.days", "is wrong"));
    let html = rendered(&CommunicationsSettingsPage::new(&settings(), &form, &urls()));
    for text in [
        "name=\"steps.0.days\" aria-invalid=\"true\"",
        "<a href=\"#steps.0.days\">Step 1: Days after the due date is wrong</a>",
        "<option value=\"sms\" selected>",
        "name=\"steps.2.tone\"",
        "name=\"timezone\" aria-describedby=\"timezone-hint\" value=\"Australia/Sydney\"",
        "3 invoices are over 30 days late",
        "name=\"backlog\"",
        "name=\"holidays\"",
        "name=\"promise_days\"",
        "value=\"start\">Start reminders</button>",
        "replies to reminders go to your own mailbox",
        "E-mail on 3 December, 9:00",
        "And 7 more.",
        "<td class=\"wrap\"><a href=\"https://books.example.com/dashboard/invoices/",
        "value=\"test\" class=\"secondary\">Send a test to owner@example.com",
        "aria-current=\"page\">Communications</a>",
    ] {
        assert!(html.contains(text), "{text} in {html}");
    }
    let mut started = settings();
    started.policy.started_at = Some(datetime!(2026-11-23 20:05 UTC));
    let html = rendered(&CommunicationsSettingsPage::new(&started, &Form::default(), &urls()));
    assert!(html.contains(">Stop reminders</button>") && !html.contains("Start reminders"), "{html}");
    assert!(html.contains("Reminders have been on since 24 November 2026, 07:05."), "{html}");
}

#[test]
fn settings_that_are_opened_again_confirm_only_what_is_still_so() {
    let confirms = |settings: &CommunicationsSettings, what| {
        let mut page = CommunicationsSettingsPage::new(settings, &Form::default(), &urls());
        page.confirm(what);
        rendered(&page).contains("role=\"status\"")
    };
    let mut started = settings();
    started.policy.started_at = Some(datetime!(2026-11-23 20:05 UTC));
    let (on, off) = (Confirmation::RemindersStarted, Confirmation::RemindersStopped);
    assert!(confirms(&started, on) && confirms(&settings(), off) && confirms(&started, Confirmation::Saved));
    assert!(!confirms(&settings(), on) && !confirms(&started, off));
}

#[test]
fn settings_name_the_server_of_the_language_model_where_there_is_one() {
    let field = "name=\"language_model\"";
    let html_of = |host: Option<&str>, policy: ReminderPolicy| {
        let values = policy.language_model_host.map(|host| ("language_model".to_owned(), host));
        let settings = CommunicationsSettings { language_model_host: host.map(str::to_owned), ..settings() };
        let form = Form::new("0199".to_owned(), values.into_iter().collect());
        rendered(&CommunicationsSettingsPage::new(&settings, &form, &urls()))
    };
    let agreed = |host: &str| ReminderPolicy {
        language_model_host: Some(host.to_owned()),
        ..ReminderPolicy::initial()
    };
    assert!(!html_of(None, agreed("models.example.com")).contains(field));
    let is_ticked = |html: &str| {
        assert!(html.contains("to the server models.example.com, where a language model reads it"), "{html}");
        let (_, behind) = html.split_once(field).unwrap();
        behind.split_once('>').unwrap().0.contains("checked")
    };
    let host = Some("models.example.com");
    assert!(!is_ticked(&html_of(host, ReminderPolicy::initial())), "it is off until the owner ticks it");
    assert!(is_ticked(&html_of(host, agreed("models.example.com"))));
    assert!(!is_ticked(&html_of(host, agreed("other.example.com"))), "the owner agreed to another server");
}

#[test]
fn settings_say_when_nothing_goes_out_and_when_there_is_too_much_to_say() {
    let html_of = |planned| {
        let settings = CommunicationsSettings { planned, ..settings() };
        rendered(&CommunicationsSettingsPage::new(&settings, &Form::default(), &urls()))
    };
    let nothing = PlannedAhead::Messages { messages: Vec::new(), more: 0, numbers: BTreeMap::new() };
    for (planned, text) in [
        (nothing, "<p>No reminders would be sent.</p>"),
        (PlannedAhead::Many, "<p>There are too many open invoices to list their reminders here."),
    ] {
        let html = html_of(planned);
        assert!(html.contains(text) && !html.contains("aria-labelledby=\"planned\""), "{html}");
    }
}

#[test]
fn invoice_says_what_is_next_and_why_there_was_no_reminder() {
    let step = |decision| DecidedStep {
        decided_at: datetime!(2026-11-23 20:05 UTC),
        contact: id(1),
        step: StepDecision {
            invoice: id(1),
            key: StepKey { days: 7, channel: Channel::Email },
            due_at: datetime!(2026-11-23 20:05 UTC),
            decision,
        },
    };
    let skip = Decision::Skip(SkipReason::Collapsed);
    let why = [Decision::Send, Decision::Sent, Decision::Hold(HoldReason::ReplyUnread), skip].map(step);
    let page = |reminders| {
        let shown = ShownInvoice {
            contact: None,
            invoice: shown(InvoiceStatus::Overdue, 1).invoice,
            timeline: Vec::new(),
            charges: Vec::new(),
            reversals: Vec::new(),
            time_zone: sydney(),
            today: TODAY,
            reminders: Some(reminders),
            sends_mail: true,
            form: Form::default(),
        };
        rendered(&InvoicePage::new(&shown, "Acme", &urls()))
    };
    let paused = Some(PausedUntil::Date(date!(2026 - 12 - 24)));
    let html = page(ShownReminders {
        is_started: true,
        next: NextReminder::Message(planned()),
        paused,
        why: why.to_vec(),
    });
    for text in [
        "Next: e-mail on 3 December, 9:00",
        "are paused until 24 December 2026",
        "name=\"until\"",
        "value=\"pause\" class=\"secondary\">Pause</button>",
        "value=\"never\" class=\"secondary\">Never remind</button>",
        "value=\"resume\"",
        "held back, because the customer wrote something",
        "Step 7 days after the due date, e-mail: sent<small>24 November 2026, 07:05",
    ] {
        assert!(html.contains(text), "{text} in {html}");
    }
    let next = NextReminder::Held(HoldReason::OpenEscalation);
    let html = page(ShownReminders { is_started: true, next, ..ShownReminders::default() });
    let held = "<p>Held back, because an escalation is open, or was closed less than 48 hours earlier. \
                <a href=\"https://books.example.com/dashboard/escalations\">Escalations</a></p>";
    assert!(html.contains("No reminder is planned") && html.contains(held), "{html}");
    let html = page(ShownReminders::default());
    assert!(html.contains("Reminders are off") && !html.contains("value=\"resume\""), "{html}");
}

#[test]
fn answer_shows_what_it_answers_and_keeps_what_was_typed() {
    let values = vec![("text".to_owned(), HOSTILE.to_owned())];
    let shown = |message, form| OneMessage {
        company: HOSTILE.to_owned(),
        shown: ShownMessage { message, contact: Some(HOSTILE.to_owned()) },
        time_zone: sydney(),
        form,
    };
    let form = Form::refused("0199".to_owned(), values, FieldErrors::one("text", "is too long"));
    let html = rendered(&AnswerPage::new(&shown(received(2), form), &urls()));
    for text in [
        "<mark>I paid it</mark> last week",
        "name=\"text\" aria-invalid=\"true\"",
        "Your answer will be sent by e-mail to ada@example.com.",
        "E-mail from ada@example.com, 24 November 2026, 07:05",
        "<button>Send answer</button>",
    ] {
        assert!(html.contains(text), "{text} in {html}");
    }
    let text = Message::new(MessageData { channel: Channel::Sms, ..(*received(2)).clone() });
    let html = rendered(&AnswerPage::new(&shown(text, Form::default()), &urls()));
    assert!(html.contains("Your company&#39;s name is added in front"), "{html}");
}

/// A message of 250 words that differ from message to message.
pub(crate) fn long(number: u8) -> Message {
    const SYLLABLES: [&str; 16] = [
        "in", "voi", "ce", "pay", "ment", "we", "can", "not", "the", "re", "mind", "er", "bank", "to", "day",
        "tion",
    ];
    let mut state = u32::from(number);
    let mut next = |most: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        usize::try_from((state >> 16) % most).unwrap()
    };
    let mut word = || (0..=next(3)).map(|_| SYLLABLES[next(16)]).collect::<String>();
    let words: Vec<String> = (0..250).map(|_| word()).collect();
    Message::new(MessageData { text: format!("{} at last", words.join(" ")), ..(*received(number)).clone() })
}
