//! The inbox and the page of one message.

use communications::Message;
use kernel::FieldErrors;
use pages::communications::{InboxPage, MessagePage, OneMessage, ShownInbox, ShownMessage};
use pages::stylesheet::CSS;
use pages::{Form, PageLinks};
use time::macros::datetime;

use crate::communications::{HOSTILE, long, received, rendered, sent, sydney};
use crate::compressed;
use crate::sample::urls;

#[test]
fn inbox_shows_what_waits_first_with_the_words_that_decided() {
    let shown = |message| ShownMessage { message, contact: Some(HOSTILE.to_owned()) };
    let contact = (sent().account.to_string(), HOSTILE.to_owned());
    let inbox = ShownInbox {
        company: HOSTILE.to_owned(),
        unread: vec![shown(received(2))],
        messages: vec![shown(received(2)), shown(sent())],
        contact: Some(contact.clone()),
        contacts: vec![contact],
        time_zone: sydney(),
        form_token: "0199".to_owned(),
        links: PageLinks::default(),
    };
    let html = rendered(&InboxPage::new(&inbox, &urls()));
    for text in [
        "<mark>I paid it</mark> last week",
        "You changed this to: something is wrong with the invoice. Understood as: says it is already paid by",
        "/handled\">",
        ">Handled</button>",
        "That is wrong",
        "<option value=\"dispute\" selected>",
        "2 attachments, not opened",
        "E-mail to ada@example.com, 24 November 2026, 07:05, sent",
    ] {
        assert!(html.contains(text), "{text} in {html}");
    }
    assert_eq!(html.matches(">Handled</button>").count(), 1, "{html}");
    let empty = ShownInbox { unread: Vec::new(), messages: Vec::new(), ..inbox };
    assert!(
        rendered(&InboxPage::new(&empty, &urls()))
            .contains("Messages from customers, and those sent to them, appear here")
    );
}

#[test]
fn text_that_was_removed_is_named_with_the_day_and_cannot_be_corrected() {
    let mut left = (*received(2)).clone();
    (left.subject, left.text, left.is_unread) = (None, String::new(), false);
    left.text_removed_at = Some(datetime!(2028-11-23 20:05 UTC));
    let message = Message::new(left);
    let inbox = ShownInbox {
        company: "Acme".to_owned(),
        unread: Vec::new(),
        messages: vec![ShownMessage { message, contact: None }],
        contact: None,
        contacts: Vec::new(),
        time_zone: sydney(),
        form_token: "0199".to_owned(),
        links: PageLinks::default(),
    };
    let html = rendered(&InboxPage::new(&inbox, &urls()));
    assert!(html.contains("(text removed on 24 November 2028)"), "{html}");
    assert!(html.contains("You changed this to: something is wrong with the invoice"), "{html}");
    assert!(!html.contains("That is wrong"), "{html}");
}

fn inbox(unread: Vec<Message>, messages: Vec<Message>) -> String {
    let shown = |message| ShownMessage { message, contact: Some("Ada".to_owned()) };
    let inbox = ShownInbox {
        company: "Acme".to_owned(),
        unread: unread.into_iter().map(shown).collect(),
        messages: messages.into_iter().map(shown).collect(),
        contact: None,
        contacts: Vec::new(),
        time_zone: sydney(),
        form_token: "0199".to_owned(),
        links: PageLinks::default(),
    };
    rendered(&InboxPage::new(&inbox, &urls()))
}

#[test]
fn inbox_of_many_long_messages_weighs_at_most_15_kib_with_the_style_sheet() {
    for (page, html) in [
        ("inbox", inbox(Vec::new(), (10..35).map(long).collect())),
        (
            "inbox with as many unread messages",
            inbox((35..60).map(long).collect(), (10..35).map(long).collect()),
        ),
    ] {
        let weight = compressed(&html) + compressed(CSS);
        assert!(weight <= 15 * 1_024, "{page}: {weight}");
    }
}

#[test]
fn list_shows_the_beginning_of_a_long_message_and_links_the_whole() {
    let (html, link) = (inbox(Vec::new(), vec![long(2)]), format!("/dashboard/messages/{}\">", long(2).id));
    assert!(html.contains(&link) && html.contains("Read the whole message") && html.contains('…'), "{html}");
    assert!(!html.contains("at last"), "{html}");
    let html = inbox(Vec::new(), vec![received(2)]);
    assert!(!html.contains(&link) && !html.contains('…'), "{html}");
    let one = |form| OneMessage {
        company: "Acme".to_owned(),
        shown: ShownMessage { message: long(2), contact: Some("Ada".to_owned()) },
        time_zone: sydney(),
        form,
    };
    let html = rendered(&MessagePage::new(&one(Form::default()), &urls()));
    assert!(
        html.contains(" at last</p>") && !html.contains(&link) && !html.contains("role=\"alert\""),
        "{html}"
    );
    let values = [("type", "no such"), ("back", "contact")];
    let values = values.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let refused = Form::refused("0199".to_owned(), values, FieldErrors::one("type", "must be one of: other"));
    let html = rendered(&MessagePage::new(&one(refused), &urls()));
    for text in [
        &*format!("<a href=\"#means-{}\">The meaning must be one of: other</a>", long(2).id),
        &*format!("id=\"means-{}\" name=\"type\" aria-invalid=\"true\"", long(2).id),
        "name=\"back\" value=\"contact\"",
        "<details open>",
    ] {
        assert!(html.contains(text), "{text} in {html}");
    }
}
