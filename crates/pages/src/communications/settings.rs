//! The settings of communications: the reminder policy, previews and planned reminders.

use std::collections::BTreeMap;

use askama::Template;
use communications::{Channel, ForecastMessage, ReminderPolicy, ReminderPreview, Tone};
use invoices::InvoiceId;
use invoices::figures::written_instant;
use kernel::{Named as _, PublicUrls, TimeZone};

use super::plan_rows::PlanItem;
use crate::confirmation::Confirmation;
use crate::dashboard::{Dashboard, Section};
use crate::form::{Button, Choice, Control, Form, FormField, Problem};
use crate::page::Page;
use crate::texts::{CommunicationsTexts, ENGLISH, Texts};

/// The data that the settings of communications show.
#[derive(Debug, Clone)]
pub struct CommunicationsSettings {
    /// The name of the account's company.
    pub company: String,
    pub policy: ReminderPolicy,
    /// Whether the account's communications are switched on.
    pub is_on: bool,
    /// How many invoices are over 30 days late.
    pub backlog: usize,
    /// Whether the service receives replies to mail.
    pub takes_replies: bool,
    /// Whether text messages can be sent.
    pub sends_texts: bool,
    /// The host of the language model that the operator has set.
    pub language_model_host: Option<String>,
    /// The owner's e-mail address, which test messages are sent to.
    pub owner: String,
    /// A reminder of a real invoice in each tone; empty if there is no invoice yet.
    pub previews: Vec<ReminderPreview>,
    pub planned: PlannedAhead,
    pub time_zone: TimeZone,
}

/// The planned reminders.
#[derive(Debug, Clone)]
pub enum PlannedAhead {
    /// These messages will be sent.
    Messages {
        /// The first ones, which are shown.
        messages: Vec<ForecastMessage>,
        /// How many more will be sent.
        more: usize,
        /// The numbers of the invoices that the messages list.
        numbers: BTreeMap<InvoiceId, String>,
    },
    /// There are too many open invoices to compute the plan at once.
    Many,
}

#[derive(Debug, Clone, Template)]
#[template(path = "communications/settings.html")]
pub struct CommunicationsSettingsPage {
    t: &'static Texts,
    c: &'static CommunicationsTexts,
    layout: Dashboard,
    form_token: String,
    version: String,
    problems: Vec<Problem>,
    is_started: bool,
    state: String,
    notes: Vec<&'static str>,
    whole_steps: FormField,
    steps: Vec<(String, [FormField; 3])>,
    fields: Vec<FormField>,
    buttons: Vec<Button>,
    previews: Vec<Preview>,
    tone: FormField,
    test: String,
    planned_heading: &'static str,
    planned: Vec<PlanItem>,
    /// A note instead of messages, or after them.
    planned_note: Option<String>,
    zone: String,
}

#[derive(Debug, Clone)]
struct Preview {
    tone: &'static str,
    subject: String,
    text: String,
    sms: Option<String>,
}

impl Page for CommunicationsSettingsPage {
    fn confirm(&mut self, what: Confirmation) {
        // The address of a page that was reloaded may name what was taken back since.
        let is_so = match what {
            Confirmation::RemindersStarted => self.is_started,
            Confirmation::RemindersStopped => !self.is_started,
            _ => true,
        };
        if is_so {
            self.layout.confirm(what, self.t);
        }
    }
}

/// How many empty rows for steps the form has.
const EMPTY_ROWS: usize = 2;

impl CommunicationsSettingsPage {
    #[must_use]
    pub fn new(settings: &CommunicationsSettings, form: &Form, urls: &PublicUrls) -> Self {
        let (t, c) = (&ENGLISH, ENGLISH.communications);
        let steps: Vec<(String, [FormField; 3])> = step_fields(form, c);
        let fields = fields(settings, form, c);
        let whole_steps = form.field("steps", c.steps, Control::Line("text"));
        let shown = std::iter::once(&whole_steps);
        let shown = shown.chain(steps.iter().flat_map(|(_, fields)| fields)).chain(&fields);
        let zone = &settings.time_zone;
        let is_started = settings.policy.started_at.is_some();
        Self {
            t,
            c,
            layout: Dashboard::new(&settings.company, Section::Communications, c.heading, urls, t),
            form_token: form.form_token.clone(),
            version: form.value("version").to_owned(),
            problems: form.problems(shown),
            is_started,
            state: match settings.policy.started_at {
                Some(at) => (c.started_at)(&written_instant(at, zone)),
                None => c.stopped.to_owned(),
            },
            notes: notes(settings, c),
            whole_steps,
            steps,
            fields,
            buttons: buttons(is_started, c),
            previews: settings.previews.iter().map(|preview| shown_preview(preview, c)).collect(),
            tone: form.field("tone", c.test_tone, Control::Select(tones(form, "tone", c))),
            test: (c.test)(&settings.owner),
            planned_heading: if is_started { c.planned } else { c.planned_if_started },
            planned: plan_rows(settings, urls, c),
            planned_note: planned_note(&settings.planned, c),
            zone: (t.invoicing.zone)(zone.name()),
        }
    }
}

fn buttons(is_started: bool, c: &CommunicationsTexts) -> Vec<Button> {
    let button = |action: &str, label: &str| Button { action: action.to_owned(), label: label.to_owned() };
    let save = button("save", c.save);
    if is_started { vec![save, button("stop", c.stop)] } else { vec![button("start", c.start), save] }
}

fn plan_rows(settings: &CommunicationsSettings, urls: &PublicUrls, c: &CommunicationsTexts) -> Vec<PlanItem> {
    let PlannedAhead::Messages { messages, numbers, .. } = &settings.planned else {
        return Vec::new();
    };
    messages.iter().map(|one| PlanItem::new(one, numbers, &settings.time_zone, urls, c)).collect()
}

fn planned_note(planned: &PlannedAhead, c: &CommunicationsTexts) -> Option<String> {
    match planned {
        PlannedAhead::Many => Some(c.planned_many.to_owned()),
        PlannedAhead::Messages { messages, .. } if messages.is_empty() => Some(c.planned_nothing.to_owned()),
        PlannedAhead::Messages { more, .. } => (*more > 0).then(|| (c.planned_more)(*more)),
    }
}

fn notes(settings: &CommunicationsSettings, c: &CommunicationsTexts) -> Vec<&'static str> {
    let notes = [
        (!settings.is_on, c.switched_off),
        (!settings.takes_replies, c.no_replies),
        (!settings.sends_texts, c.no_texts),
    ];
    notes.into_iter().filter(|(is_shown, _)| *is_shown).map(|(_, note)| note).collect()
}

fn tones(form: &Form, name: &str, c: &CommunicationsTexts) -> Vec<Choice> {
    form.choices(name, Tone::ALL.map(|tone| (tone.as_str(), (c.tone)(tone))))
}

/// The fields of each step in the form, followed by empty rows.
fn step_fields(form: &Form, c: &CommunicationsTexts) -> Vec<(String, [FormField; 3])> {
    let is_filled = |row: usize| !form.value(&format!("steps.{row}.days")).trim().is_empty();
    let most = ReminderPolicy::MAX_STEPS;
    let filled = (0..most).rev().find(|row| is_filled(*row)).map_or(0, |row| row.saturating_add(1));
    let rows = 0..filled.saturating_add(EMPTY_ROWS).min(most);
    let row = |row: usize| {
        let name = |part: &str| format!("steps.{row}.{part}");
        let channels = [Channel::Email, Channel::Sms].map(|one| (one.as_str(), (c.channel)(one)));
        let channels = form.choices(&name("channel"), channels);
        let mut tones = tones(form, &name("tone"), c);
        let is_chosen = false;
        tones.insert(0, Choice { value: String::new(), label: c.usual_tone.to_owned(), is_chosen });
        let fields = [
            form.field(&name("days"), c.days, Control::Line("text")),
            form.field(&name("channel"), c.by, Control::Select(channels)),
            form.field(&name("tone"), c.tone_label, Control::Select(tones)),
        ];
        let legend = (c.step)(row.saturating_add(1));
        let fields = fields.map(|field| field.in_group(&legend));
        (legend, fields)
    };
    rows.map(row).collect()
}

fn fields(settings: &CommunicationsSettings, form: &Form, c: &CommunicationsTexts) -> Vec<FormField> {
    let late = (c.late_invoices)(settings.backlog);
    let backlog = form.choices("backlog", [("true", c.remind_late)]);
    let line = Control::Line("text");
    let mut fields = vec![
        form.field("timezone", c.time_zone, line).hint(c.time_zone_hint),
        form.field("backlog", &late, Control::Boxes(backlog)).hint(c.late_hint),
        form.field("holidays", c.holidays, Control::Lines).hint(c.holidays_hint),
        form.field("promise_days", c.promise_days, Control::Number).hint(c.promise_days_hint),
    ];
    if let Some(host) = &settings.language_model_host {
        let tick = form.choices("language_model", [(host.as_str(), &*(c.ask_model)(host))]);
        fields.push(form.field("language_model", c.model, Control::Boxes(tick)).hint(c.model_hint));
    }
    fields
}

fn shown_preview(preview: &ReminderPreview, c: &CommunicationsTexts) -> Preview {
    Preview {
        tone: (c.tone)(preview.tone),
        subject: preview.subject.clone(),
        text: preview.text.clone(),
        sms: preview.sms.clone(),
    }
}
