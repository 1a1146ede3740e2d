//! The pages on escalations, webhooks and settings, with hostile texts.

use escalations::{Channel, Escalation, EscalationType, NewEscalation, Notes, ResolutionOutcome, Statement};
use kernel::{FieldErrors, HttpsUrl, Id, TimeZone};
use pages::{
    ApiKeyPage, BulkReplayPage, DeliveryDetail, DeliveryList, EscalationDetail, EscalationList, Form,
    NotificationsPage, PageLinks, SecretPage, ShownEscalation, Template, WebhooksPage,
};
use partner_accounts::KeyInfo;
use testkit::CountingIds;
use time::macros::datetime;
use time::{Duration, OffsetDateTime};
use webhooks::{
    BulkReplay, Delivery, DeliveryAttempt, DeliveryState, Endpoint, EventName, ShownDelivery, Subscriptions,
};

use super::{assert_well_made, compressed};
use crate::sample::urls;

const NOW: OffsetDateTime = datetime!(2026-11-20 02:09:06.147 UTC);
const HOSTILE: &str = "</textarea><script>alert(1)</script>\"'&{{ t }}";
const COMPANY: &str = "<b>Bold & Sons</b>";

fn zone() -> TimeZone {
    TimeZone::parse("Australia/Sydney").unwrap()
}

fn rendered(page: &impl Template) -> String {
    let html = page.render().unwrap();
    assert_well_made(&html);
    assert!(!html.contains("<script") && !html.contains("<b>Bold"), "{html}");
    html
}

fn escalation(ids: &CountingIds) -> Escalation {
    let new = NewEscalation {
        escalation_type: EscalationType::Dispute,
        channel: Channel::Voice,
        statement: Statement::parse(HOSTILE).unwrap(),
        invoice: Some(Id::new(ids, NOW)),
        contact: Some(Id::new(ids, NOW)),
    };
    Escalation::raise(Id::new(ids, NOW), Id::new(ids, NOW), new, NOW)
}

#[test]
fn list_of_escalations_is_well_made_and_small() {
    let ids = CountingIds::default();
    let many: Vec<_> = (0..50).map(|_| escalation(&ids)).collect();
    let links = PageLinks { first: Some("/a?b=1&c=2".to_owned()), next: Some("/b".to_owned()) };
    let html = rendered(&EscalationList::new(COMPANY, &many, &zone(), links, &urls()));
    assert!(html.contains("20 November 2026, 13:09") && html.contains("Australia/Sydney"), "{html}");
    assert!(html.contains("/a?b=1&#38;c=2"), "{html}");
    assert!(compressed(&html) < 15 * 1_024);
    let empty = rendered(&EscalationList::new(COMPANY, &[], &zone(), PageLinks::default(), &urls()));
    assert!(empty.contains("There are none yet") && empty.contains("/dashboard/invoices\""), "{empty}");
}

#[test]
fn escalation_has_its_form_while_it_is_open() {
    let mut escalation = escalation(&CountingIds::default());
    let detail = |escalation: &Escalation, form: &Form| {
        let shown = ShownEscalation {
            escalation: escalation.clone(),
            invoice_number: Some(HOSTILE.to_owned()),
            contact_name: None,
            contact_email: Some("ada@example.com".to_owned()),
            contact_phone: Some(HOSTILE.to_owned()),
        };
        rendered(&EscalationDetail::new(COMPANY, &shown, form, &zone(), &urls()))
    };
    let values = vec![("notes".to_owned(), HOSTILE.to_owned())];
    let faults = FieldErrors::one("outcome", "is required");
    let html = detail(&escalation, &Form::refused("once-1".to_owned(), values, faults));
    for part in [
        "Choose an outcome.", "href=\"#outcome\"", "value=\"once-1\"", "/resolve\"", "Phone call",
        "<dd>ada@example.com</dd>",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
    let notes = Some(Notes::parse(HOSTILE).unwrap());
    escalation.resolve(ResolutionOutcome::NoAction, notes, NOW + Duration::HOUR).unwrap();
    let html = detail(&escalation, &Form::default());
    assert!(html.contains("20 November 2026, 14:09: resolved, No action needed"), "{html}");
    assert_eq!(html.matches("<form").count(), 1, "that of the sign-out: {html}");
}

#[test]
fn key_is_shown_masked_and_a_new_one_whole() {
    let key = KeyInfo {
        prefix: "ct_live_".to_owned(),
        last_four: "<b>x".to_owned(),
        created_at: NOW,
        last_used_at: None,
    };
    let html = rendered(&ApiKeyPage::new(COMPANY, Some(&key), "once-1".to_owned(), &zone(), &urls()));
    assert!(html.contains("ct_live_…&#60;b&#62;x") && html.contains("Never"), "{html}");
    let html = rendered(&ApiKeyPage::new(COMPANY, None, String::new(), &zone(), &urls()));
    assert!(html.contains("no API key"), "{html}");
    let html = rendered(&SecretPage::api_key(COMPANY, "ct_live_secret", &urls()));
    assert!(html.contains("<code>ct_live_secret</code>"), "{html}");
    let page = SecretPage::signing_secret(COMPANY, HOSTILE, "secret", &urls());
    assert!(!format!("{page:?}").contains("secret\""));
    rendered(&page);
}

fn endpoint(ids: &CountingIds, enabled: bool) -> Endpoint {
    Endpoint {
        id: Id::new(ids, NOW),
        account: Id::new(ids, NOW),
        url: HttpsUrl::parse("https://example.com/a?b=1&c=2").unwrap(),
        events: Subscriptions::ALL,
        enabled,
        provisioned: false,
        created_at: NOW,
        updated_at: NOW,
    }
}

#[test]
fn endpoints_have_their_buttons_and_a_hidden_value_each() {
    let ids = CountingIds::default();
    let endpoints = [endpoint(&ids, true), endpoint(&ids, false)];
    let values = vec![("url".to_owned(), HOSTILE.to_owned())];
    let form = Form::refused("once-0".to_owned(), values, FieldErrors::one("events", "must name one"));
    let count = std::cell::Cell::new(0);
    let form_token = || {
        count.set(count.get() + 1);
        format!("once-{}", count.get())
    };
    let html = rendered(&WebhooksPage::new(COMPANY, &endpoints, &form, form_token, &zone(), &urls()));
    for value in ["once-0", "once-1", "once-2", "test", "disable", "enable", "delete", "add"] {
        assert!(html.contains(&format!("value=\"{value}\"")), "{value} in {html}");
    }
    // Both endpoints have the same URL.
    for name in
        ["Change https://example.com/a?b=1&#38;c=2 (1)", "Delete https://example.com/a?b=1&#38;c=2 (2)"]
    {
        assert_eq!(html.matches(&format!("aria-label=\"{name}\"")).count(), 1, "{name} in {html}");
    }
    assert!(html.contains("Events must name one") && html.contains("a?b=1&#38;c=2"), "{html}");
    let none = rendered(&WebhooksPage::new(COMPANY, &[], &Form::default(), String::new, &zone(), &urls()));
    assert!(none.contains("Add the first one below"), "{none}");
}

fn delivery(ids: &CountingIds, endpoint: &Endpoint) -> Delivery {
    let attempt = |number| DeliveryAttempt {
        number,
        at: NOW,
        duration: Some(Duration::milliseconds(1_234)),
        response_status: Some(500),
        response_body: Some(HOSTILE.to_owned()),
        error: None,
    };
    let broken = DeliveryAttempt {
        response_status: None,
        response_body: None,
        error: Some(HOSTILE.to_owned()),
        duration: None,
        ..attempt(2)
    };
    let cut = DeliveryAttempt { error: Some("the response broke off".to_owned()), ..attempt(3) };
    Delivery {
        id: Id::new(ids, NOW),
        event: Id::new(ids, NOW),
        name: EventName::PaymentRecorded,
        endpoint: endpoint.id,
        url: endpoint.url.to_string(),
        state: DeliveryState::Abandoned,
        begun: 4,
        attempts: vec![attempt(1), broken, cut],
        next_attempt_at: None,
        created_at: NOW,
    }
}

#[test]
fn deliveries_are_listed_with_their_filter() {
    let ids = CountingIds::default();
    let endpoint = endpoint(&ids, true);
    let many: Vec<_> = (0..50).map(|_| delivery(&ids, &endpoint)).collect();
    let values = vec![("from".to_owned(), HOSTILE.to_owned()), ("state".to_owned(), "abandoned".to_owned())];
    let form = Form::refused(String::new(), values, FieldErrors::one("from", "must be a date"));
    let endpoints = [endpoint];
    let list = |deliveries: &[Delivery], form: &Form| {
        let links = PageLinks::default();
        rendered(&DeliveryList::new(COMPANY, deliveries, &endpoints, form, &zone(), links, &urls()))
    };
    let html = list(&many, &form);
    assert!(html.contains("From must be a date") && html.contains("selected>Abandoned"), "{html}");
    assert!(compressed(&html) < 15 * 1_024);
    assert!(!list(&[], &form).contains("match the filter"), "nothing was looked for");
    let abandoned = Form::new(String::new(), vec![("state".to_owned(), "abandoned".to_owned())]);
    assert!(list(&[], &abandoned).contains("match the filter"));
    assert!(list(&[], &Form::default()).contains("Nothing has been sent yet"));
}

#[test]
fn deleted_endpoint_is_named_and_chosen_in_the_filter() {
    let ids = CountingIds::default();
    let endpoint = endpoint(&ids, true);
    let deliveries = [delivery(&ids, &endpoint), delivery(&ids, &endpoint)];
    let form = Form::new(String::new(), vec![("endpoint".to_owned(), endpoint.id.to_string())]);
    let links = PageLinks::default();
    let html = rendered(&DeliveryList::new(COMPANY, &deliveries, &[], &form, &zone(), links, &urls()));
    let choice = format!("<option value=\"{}\" selected>", endpoint.id);
    assert!(html.contains(&choice), "{html}");
    assert_eq!(html.matches(" (deleted)").count(), 3, "{html}");
}

#[test]
fn replay_of_all_that_was_abandoned_is_offered_and_its_day_asked_for() {
    let list = |form: &Form| {
        let links = PageLinks::default();
        let filter = Form::default();
        let list = DeliveryList::new(COMPANY, &[], &[], &filter, &zone(), links, &urls());
        rendered(&list.offering_replay(form))
    };
    let html = list(&Form::new("once-1".to_owned(), Vec::new()));
    for part in ["value=\"replay_abandoned\"", "name=\"since\"", "value=\"once-1\""] {
        assert!(html.contains(part), "{part} in {html}");
    }
    let values = vec![("since".to_owned(), HOSTILE.to_owned())];
    let faulty = Form::refused("once-1".to_owned(), values, FieldErrors::one("since", "must be a date"));
    assert!(list(&faulty).contains("href=\"#since\">Abandoned since must be a date</a>"));
}

#[test]
fn replay_of_many_deliveries_shows_how_far_it_is() {
    let replay = BulkReplay {
        id: Id::new(&CountingIds::default(), NOW),
        account: Id::new(&CountingIds::default(), NOW),
        abandoned_since: NOW,
        requested_at: NOW,
        total: 4_000,
        made: 500,
        finished_at: None,
    };
    let page = |replay: &BulkReplay, is_refreshed| {
        rendered(&BulkReplayPage::new(COMPANY, replay, is_refreshed, &zone(), &urls()))
    };
    let html = page(&replay, true);
    assert!(html.contains("500 of 4000 deliveries") && !html.contains("Check again"), "{html}");
    assert!(page(&replay, false).contains(">Check again</a>"));
    let done = BulkReplay { made: 4_001, finished_at: Some(NOW), ..replay };
    let html = page(&done, false);
    assert!(html.contains("4001 deliveries were replayed") && !html.contains("Check again"), "{html}");
}

#[test]
fn delivery_shows_every_attempt_and_what_was_sent() {
    let ids = CountingIds::default();
    let endpoint = endpoint(&ids, true);
    let shown = ShownDelivery {
        delivery: Delivery { url: HOSTILE.to_owned(), ..delivery(&ids, &endpoint) },
        enabled: true,
        body: format!("{{\"x\":\"{HOSTILE}\"}}"),
        signature: Some("abc+/=".to_owned()),
    };
    let page = |shown: &ShownDelivery| {
        rendered(&DeliveryDetail::new(COMPANY, shown, "once-1".to_owned(), &zone(), &urls()))
    };
    let html = page(&shown);
    for part in [
        "1.234 s",
        "<dd>500</dd>",
        "<dd>500: the response broke off</dd>",
        "abc+/=",
        "value=\"replay\"",
        "its result is not recorded",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
    let off = ShownDelivery { enabled: false, signature: None, ..shown };
    let html = page(&off);
    assert!(!html.contains("value=\"replay\"") && html.contains("deleted with the endpoint"), "{html}");
}

#[test]
fn notifications_that_are_on_are_checked() {
    let values = vec![("notices".to_owned(), "escalations".to_owned())];
    let form = Form::new("once-1".to_owned(), values);
    let html = rendered(&NotificationsPage::new(COMPANY, &form, "2".to_owned(), &urls()));
    assert!(
        html.contains("value=\"escalations\" checked") && html.contains("value=\"abandoned_deliveries\">"),
        "{html}"
    );
    assert!(html.contains("name=\"version\" value=\"2\""), "{html}");
}
