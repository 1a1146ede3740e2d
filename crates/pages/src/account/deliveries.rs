//! The pages of webhook deliveries: the list with its filter, and one delivery with its attempts.

use askama::Template;
use invoices::figures::written_instant;
use kernel::{Named as _, PublicUrls, TimeZone};
use webhooks::{Delivery, DeliveryAttempt, DeliveryState, Endpoint, EndpointId, EventName, ShownDelivery};

use super::endpoints::endpoint_names;
use super::links::PageLinks;
use crate::confirmation::Confirmation;
use crate::dashboard::{Dashboard, Section};
use crate::form::{Control, Form, FormField, Problem};
use crate::page::Page;
use crate::texts::{AccountTexts, ENGLISH, Texts};

/// The list of deliveries.
#[derive(Debug, Clone, Template)]
#[template(path = "account/deliveries.html")]
pub struct DeliveryList {
    t: &'static Texts,
    s: &'static AccountTexts,
    layout: Dashboard,
    problems: Vec<Problem>,
    filter: Vec<FormField>,
    is_filtered: bool,
    rows: Vec<DeliveryItem>,
    webhooks: String,
    path: String,
    times: String,
    first: Option<String>,
    next: Option<String>,
    replay: Option<ReplayForm>,
}

/// The form that replays all abandoned deliveries.
#[derive(Debug, Clone)]
struct ReplayForm {
    form_token: String,
    since: FormField,
}

#[derive(Debug, Clone)]
struct DeliveryItem {
    href: String,
    event: &'static str,
    state: &'static str,
    is_failed: bool,
    endpoint: String,
    created: String,
    attempts: u32,
}

#[derive(Debug, Clone, Template)]
#[template(path = "account/delivery.html")]
pub struct DeliveryDetail {
    t: &'static Texts,
    s: &'static AccountTexts,
    layout: Dashboard,
    state: &'static str,
    facts: Vec<(&'static str, String)>,
    attempts: Vec<AttemptItem>,
    is_one_lost: bool,
    body: String,
    signature: Option<String>,
    replay: Option<String>,
    list: String,
    times: String,
}

#[derive(Debug, Clone)]
struct AttemptItem {
    number: u32,
    at: String,
    status: String,
    duration: String,
    body: Option<String>,
}

impl Page for DeliveryList {
    fn confirm(&mut self, what: Confirmation) {
        self.layout.confirm(what, self.t);
    }
}
impl Page for DeliveryDetail {
    fn confirm(&mut self, what: Confirmation) {
        self.layout.confirm(what, self.t);
    }
}

impl DeliveryList {
    /// `endpoints` are the choices of the filter, with the deleted ones of these deliveries; `filter` holds
    /// its fields.
    #[must_use]
    pub fn new(
        company: &str,
        deliveries: &[Delivery],
        endpoints: &[Endpoint],
        filter: &Form,
        zone: &TimeZone,
        links: PageLinks,
        urls: &PublicUrls,
    ) -> Self {
        let (t, s) = (&ENGLISH, ENGLISH.account);
        let ids = endpoints.iter().map(|endpoint| endpoint.id);
        let mut names: Vec<_> = ids.zip(endpoint_names(endpoints, s)).collect();
        for delivery in deliveries {
            if names.iter().all(|(id, _)| *id != delivery.endpoint) {
                names.push((delivery.endpoint, (s.deleted_endpoint)(&delivery.url)));
            }
        }
        let name = |delivery: &Delivery| names.iter().find(|(id, _)| *id == delivery.endpoint);
        let row = |delivery: &Delivery| DeliveryItem {
            href: urls.page(format_args!("/dashboard/webhooks/deliveries/{}", delivery.id)),
            event: delivery.name.as_str(),
            state: (s.state_of)(delivery.state),
            is_failed: delivery.state == DeliveryState::Abandoned,
            endpoint: name(delivery).map(|(_, name)| name.clone()).unwrap_or_default(),
            created: written_instant(delivery.created_at, zone),
            attempts: delivery.begun,
        };
        let fields = filter_fields(filter, &names, s);
        Self {
            t,
            s,
            layout: Dashboard::new(company, Section::Webhooks, s.deliveries, urls, t),
            problems: filter.problems(&fields),
            is_filtered: fields.iter().any(|field| !filter.value(&field.name).is_empty()),
            filter: fields,
            rows: deliveries.iter().map(row).collect(),
            webhooks: urls.page("/dashboard/settings/webhooks"),
            path: urls.page("/dashboard/webhooks/deliveries"),
            times: (s.times)(zone.name()),
            first: links.first,
            next: links.next,
            replay: None,
        }
    }

    /// Adds the form that replays all deliveries abandoned since a day.
    #[must_use]
    pub fn offering_replay(mut self, form: &Form) -> Self {
        let since = form.field("since", self.s.abandoned_since, Control::Line("date"));
        self.problems.extend(form.problems([&since]));
        self.replay = Some(ReplayForm { form_token: form.form_token.clone(), since });
        self
    }
}

fn filter_fields(form: &Form, names: &[(EndpointId, String)], s: &AccountTexts) -> Vec<FormField> {
    let any = || [(String::new(), s.any.to_owned())].into_iter();
    let select = |name: &str, label: &str, choices: Vec<(String, String)>| {
        let choices = choices.iter().map(|(value, label)| (value.as_str(), label.as_str()));
        form.field(name, label, Control::Select(form.choices(name, choices)))
    };
    let owned = |value: &str, label: &str| (value.to_owned(), label.to_owned());
    let by_name = names.iter().map(|(id, name)| (id.to_string(), name.clone()));
    let by_event = EventName::ALL.iter().map(|event| owned(event.as_str(), event.as_str()));
    let states =
        [DeliveryState::Pending, DeliveryState::Succeeded, DeliveryState::Abandoned, DeliveryState::Stopped];
    let by_state = states.map(|state| owned(state.as_str(), (s.state_of)(state)));
    vec![
        select("endpoint", s.endpoint, any().chain(by_name).collect()),
        select("event", s.event, any().chain(by_event).collect()),
        select("state", s.state, any().chain(by_state).collect()),
        form.field("from", s.from, Control::Line("date")),
        form.field("to", s.to, Control::Line("date")),
    ]
}

impl DeliveryDetail {
    /// `form_token` is the token of the form that replays the delivery.
    #[must_use]
    pub fn new(
        company: &str,
        shown: &ShownDelivery,
        form_token: String,
        zone: &TimeZone,
        urls: &PublicUrls,
    ) -> Self {
        let (t, s, delivery) = (&ENGLISH, ENGLISH.account, &shown.delivery);
        let next = delivery.next_attempt_at.map(|at| (s.next_attempt, written_instant(at, zone)));
        let facts = [
            (s.event, delivery.name.as_str().to_owned()),
            (s.endpoint, delivery.url.clone()),
            (s.created, written_instant(delivery.created_at, zone)),
            (s.event_id, delivery.event.to_string()),
            (s.delivery_id, delivery.id.to_string()),
        ];
        let can_replay = delivery.state != DeliveryState::Pending && shown.enabled;
        let logged = u32::try_from(delivery.attempts.len()).unwrap_or(u32::MAX);
        Self {
            t,
            s,
            layout: Dashboard::new(company, Section::Webhooks, s.delivery, urls, t),
            state: (s.state_of)(delivery.state),
            facts: facts.into_iter().chain(next).collect(),
            attempts: delivery.attempts.iter().map(|one| attempt_row(one, zone, s)).collect(),
            is_one_lost: delivery.begun > logged,
            body: shown.body.clone(),
            signature: shown.signature.clone(),
            replay: can_replay.then_some(form_token),
            list: urls.page("/dashboard/webhooks/deliveries"),
            times: (s.times)(zone.name()),
        }
    }
}

/// The status of the response, and the reason if it is not complete or there was none.
fn came(attempt: &DeliveryAttempt) -> String {
    let status = attempt.response_status.map(|status| status.to_string());
    [status, attempt.error.clone()].into_iter().flatten().collect::<Vec<_>>().join(": ")
}

fn attempt_row(attempt: &DeliveryAttempt, zone: &TimeZone, s: &AccountTexts) -> AttemptItem {
    let seconds = attempt.duration.map(|duration| {
        let millis = duration.whole_milliseconds();
        (s.seconds)(&format!("{}.{:03}", millis / 1_000, millis % 1_000))
    });
    AttemptItem {
        number: attempt.number,
        at: written_instant(attempt.at, zone),
        status: came(attempt),
        duration: seconds.unwrap_or_default(),
        body: attempt.response_body.clone().filter(|body| !body.is_empty()),
    }
}
