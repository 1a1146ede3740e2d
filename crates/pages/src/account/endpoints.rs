//! The settings page of webhook endpoints.

use askama::Template;
use invoices::figures::written_instant;
use kernel::{PublicUrls, TimeZone};
use webhooks::{Endpoint, EventName};

use crate::confirmation::Confirmation;
use crate::dashboard::{Dashboard, Section};
use crate::form::{Button, Control, Form, FormField, Problem};
use crate::page::Page;
use crate::texts::{AccountTexts, ENGLISH, Texts};

/// The account's endpoints, each with its buttons, and the form for another one.
#[derive(Debug, Clone, Template)]
#[template(path = "account/webhooks.html")]
pub struct WebhooksPage {
    t: &'static Texts,
    s: &'static AccountTexts,
    layout: Dashboard,
    endpoints: Vec<EndpointItem>,
    deliveries: String,
    times: String,
    form_token: String,
    problems: Vec<Problem>,
    url: FormField,
    events: FormField,
}

#[derive(Debug, Clone)]
struct EndpointItem {
    id: String,
    form_token: String,
    name: String,
    label: String,
    delete_label: String,
    status: &'static str,
    events: Vec<&'static str>,
    created: String,
    deliveries: String,
    buttons: Vec<Button>,
}

impl Page for WebhooksPage {
    fn confirm(&mut self, what: Confirmation) {
        self.layout.confirm(what, self.t);
    }
}

impl WebhooksPage {
    /// `form_token` makes the token of each form.
    #[must_use]
    pub fn new(
        company: &str,
        endpoints: &[Endpoint],
        form: &Form,
        form_token: impl Fn() -> String,
        zone: &TimeZone,
        urls: &PublicUrls,
    ) -> Self {
        let (t, s) = (&ENGLISH, ENGLISH.account);
        let url = form.field("url", s.url, Control::Line("url")).hint(s.url_hint);
        let names = EventName::ALL.iter().map(|event| (event.as_str(), (s.event_of)(*event)));
        let events = form.field("events", s.events, Control::Boxes(form.choices("events", names)));
        Self {
            t,
            s,
            layout: Dashboard::new(company, Section::Webhooks, s.webhooks, urls, t),
            endpoints: endpoints
                .iter()
                .zip(endpoint_names(endpoints, s))
                .map(|(one, name)| row(one, name, form_token(), zone, urls, s))
                .collect(),
            deliveries: urls.page("/dashboard/webhooks/deliveries"),
            times: (s.times)(zone.name()),
            form_token: form.form_token.clone(),
            problems: form.problems([&url, &events]),
            url,
            events,
        }
    }
}

/// The names of endpoints: their URLs, with a number where several have the same URL.
pub(super) fn endpoint_names(endpoints: &[Endpoint], s: &AccountTexts) -> Vec<String> {
    let of_url = |one: &Endpoint, among: &[Endpoint]| {
        among.iter().filter(|other| other.url.as_str() == one.url.as_str()).count()
    };
    let name = |(place, one): (usize, &Endpoint)| match of_url(one, endpoints) {
        1 => one.url.as_str().to_owned(),
        _ => {
            let earlier = endpoints.get(..place).unwrap_or_default();
            (s.numbered_endpoint)(one.url.as_str(), of_url(one, earlier).saturating_add(1))
        }
    };
    endpoints.iter().enumerate().map(name).collect()
}

fn row(
    endpoint: &Endpoint,
    name: String,
    form_token: String,
    zone: &TimeZone,
    urls: &PublicUrls,
    s: &AccountTexts,
) -> EndpointItem {
    let button = |action: &str, label: &str| Button { action: action.to_owned(), label: label.to_owned() };
    let id = endpoint.id.to_string();
    EndpointItem {
        form_token,
        label: (s.change_endpoint)(&name),
        delete_label: (s.delete_endpoint)(&name),
        name,
        status: if endpoint.enabled { s.enabled } else { s.disabled },
        events: endpoint.events.iter().map(EventName::as_str).collect(),
        created: written_instant(endpoint.created_at, zone),
        deliveries: urls.page(format_args!("/dashboard/webhooks/deliveries?endpoint={id}")),
        buttons: if endpoint.enabled {
            vec![button("test", s.send_test), button("disable", s.disable)]
        } else {
            vec![button("enable", s.enable)]
        },
        id,
    }
}
