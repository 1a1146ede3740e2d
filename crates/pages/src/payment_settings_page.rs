//! The settings of payments: bank details, and how many days ahead payers may promise to pay.

use askama::Template;
use invoices::figures::zoned_instant_text;
use kernel::{Named as _, PublicUrls, TimeZone};
use payments::{
    BankDetailsEntry, BankDetailsKind, GatewayAccount, GatewayKind, entries_version, in_force, pending,
};
use time::{Duration, OffsetDateTime};

use crate::confirmation::Confirmation;
use crate::dashboard::{Dashboard, Section};
use crate::form::{Button, Choice, Control, Form, FormField, Problem};
use crate::page::Page;
use crate::texts::{ENGLISH, Texts};

/// The data that the settings of payments show.
#[derive(Debug, Clone)]
pub struct ShownPaymentSettings {
    /// The name of the account's company.
    pub company: String,
    /// The entries of bank details that were not withdrawn, sorted by currency and age.
    pub entries: Vec<BankDetailsEntry>,
    /// The gateway accounts, including disconnected ones.
    pub gateways: Vec<GatewayAccount>,
    /// The events that the owner chooses at Stripe.
    pub stripe_events: &'static [&'static str],
    /// Whether the sandbox is on, in which accounts without a gateway are paid.
    pub is_sandbox: bool,
    /// The time zone of the account.
    pub time_zone: TimeZone,
    /// The delay until new details are in force.
    pub delay: Duration,
    /// The present instant.
    pub now: OffsetDateTime,
    /// Makes the addresses that the owner enters at gateways.
    pub public: PublicUrls,
}

#[derive(Debug, Clone, Template)]
#[template(path = "payment_settings.html")]
pub struct PaymentSettingsPage {
    t: &'static Texts,
    layout: Dashboard,
    form_token: String,
    /// The version of the terms.
    version: String,
    bank_details_version: String,
    problems: Vec<Problem>,
    note: String,
    currencies: Vec<CurrencyDetails>,
    fields: Vec<FormField>,
    promise_days: FormField,
    online: Vec<FormField>,
    gateways: Vec<ShownGateway>,
    stripe_events: &'static [&'static str],
    is_sandbox: bool,
    connect: Vec<FormField>,
    connect_note: String,
}

/// A gateway account.
#[derive(Debug, Clone)]
struct ShownGateway {
    name: &'static str,
    notes: Vec<String>,
    events_url: String,
    disconnect: Button,
}

/// The bank details of one currency.
#[derive(Debug, Clone)]
struct CurrencyDetails {
    code: String,
    in_force: Option<ShownBankDetails>,
    pending: Option<ShownBankDetails>,
    /// The version of what the button means.
    version: String,
    remove: Option<Button>,
}

/// One entry: when it is in force, and its fields.
#[derive(Debug, Clone)]
struct ShownBankDetails {
    when: String,
    fields: Vec<(&'static str, String)>,
}

impl PaymentSettingsPage {
    #[must_use]
    pub fn new(settings: &ShownPaymentSettings, form: &Form, urls: &PublicUrls) -> Self {
        let t = &ENGLISH;
        let fields = fields(form, t);
        let days = &t.payment_settings;
        let promise_days =
            form.field("promise_days", days.promise_days, Control::Number).hint(days.promise_days_hint);
        let online = online_fields(form, t);
        let connect = connect_fields(form, t);
        let heading = t.payment_settings.heading;
        Self {
            t,
            layout: Dashboard::new(&settings.company, Section::Payments, heading, urls, t),
            form_token: form.form_token.clone(),
            version: form.value("version").to_owned(),
            bank_details_version: entries_version(&settings.entries, settings.now).as_str().to_owned(),
            problems: form.problems(fields.iter().chain([&promise_days]).chain(&online).chain(&connect)),
            note: (t.payment_settings.enter_note)(settings.delay.whole_hours()),
            currencies: currencies(settings, t),
            fields,
            promise_days,
            online,
            gateways: gateways(settings, t),
            stripe_events: settings.stripe_events,
            is_sandbox: settings.is_sandbox,
            connect,
            connect_note: (t.payment_settings.connect_note)(settings.delay.whole_hours()),
        }
    }
}

impl Page for PaymentSettingsPage {
    fn confirm(&mut self, what: Confirmation) {
        self.layout.confirm(what, self.t);
    }
}

fn online_fields(form: &Form, t: &Texts) -> Vec<FormField> {
    let d = &t.payment_settings;
    let unapplied = [("return", d.unapplied_return), ("keep", d.unapplied_keep)];
    vec![
        form.field("minimum_percent", d.minimum_percent, Control::Number).hint(d.minimum_percent_hint),
        form.field("unapplied", d.unapplied, Control::Radios(form.choices("unapplied", unapplied))),
    ]
}

fn connect_fields(form: &Form, t: &Texts) -> Vec<FormField> {
    let d = &t.payment_settings;
    vec![
        form.field("key", d.gateway_key, Control::Secret).hint(d.gateway_key_hint).autocomplete("off"),
        form.field("webhook_secret", d.webhook_secret, Control::Secret)
            .hint(d.webhook_secret_hint)
            .autocomplete("off"),
    ]
}

/// The gateway accounts through which payers pay now or will pay. The sandbox is left out: the owner did not
/// connect it.
fn gateways(settings: &ShownPaymentSettings, t: &Texts) -> Vec<ShownGateway> {
    let d = &t.payment_settings;
    let shown = |gateway: &GatewayAccount| {
        let (is_connected, pending) = (gateway.is_connected(settings.now), gateway.pending_key(settings.now));
        if gateway.kind == GatewayKind::Sandbox || !(is_connected || pending.is_some()) {
            return None;
        }
        let from = |instant: OffsetDateTime| zoned_instant_text(instant, &settings.time_zone);
        let name = gateway.kind.label();
        let mut notes = vec![if is_connected { d.connected.to_owned() } else { d.not_connected.to_owned() }];
        notes.extend(pending.map(|next| (d.pending_key)(&from(next.in_force_at))));
        notes.extend(gateway.webhook_secret.is_none().then(|| d.no_webhook_secret.to_owned()));
        Some(ShownGateway {
            name,
            notes,
            events_url: settings.public.gateway_events(gateway.kind.as_str(), gateway.id),
            disconnect: Button { action: format!("disconnect.{}", gateway.id), label: (d.disconnect)(name) },
        })
    };
    settings.gateways.iter().filter_map(shown).collect()
}

fn currencies(settings: &ShownPaymentSettings, t: &Texts) -> Vec<CurrencyDetails> {
    let of_one = settings.entries.chunk_by(|one, next| one.currency == next.currency);
    let details = |entries: &[BankDetailsEntry]| {
        let code = entries.first()?.currency.code().to_owned();
        let shown = |entry: &BankDetailsEntry, when: fn(&str) -> String| ShownBankDetails {
            when: when(&zoned_instant_text(entry.in_force_at, &settings.time_zone)),
            fields: labelled(entry, t),
        };
        let texts = &t.payment_settings;
        let in_force = in_force(entries, settings.now).filter(|entry| entry.details.is_some());
        let pending = pending(entries, settings.now);
        let is_removal = pending.is_some_and(|entry| entry.details.is_none());
        let remove = || Button { action: format!("remove.{code}"), label: (texts.remove)(&code) };
        // After a removal is in force there is nothing to show.
        in_force.or(pending)?;
        Some(CurrencyDetails {
            in_force: in_force.map(|entry| shown(entry, texts.in_force_since)),
            pending: pending
                .map(|entry| shown(entry, if is_removal { texts.pending_removal } else { texts.pending })),
            version: entries_version(entries, settings.now).as_str().to_owned(),
            remove: (!is_removal).then(remove),
            code,
        })
    };
    of_one.filter_map(details).collect()
}

fn labelled(entry: &BankDetailsEntry, t: &Texts) -> Vec<(&'static str, String)> {
    let fields = entry.fields().into_iter();
    fields.map(|(field, text)| ((t.payer.transfer_field)(field), text)).collect()
}

fn fields(form: &Form, t: &Texts) -> Vec<FormField> {
    use invoices::TransferField as Field;
    let (texts, label) = (&t.payment_settings, t.payer.transfer_field);
    let kind = |kind: &BankDetailsKind| Choice {
        value: kind.as_str().to_owned(),
        label: (t.payer.bank_details_kind)(*kind).to_owned(),
        is_chosen: form.has("kind", kind.as_str()),
    };
    let kinds = BankDetailsKind::ALL.iter().map(kind).collect();
    let line = |name, field| form.field(name, label(field), Control::Line("text"));
    let only_for = |kind| (texts.only_for)((t.payer.bank_details_kind)(kind));
    vec![
        form.field("currency", texts.currency, Control::Line("text")),
        form.field("kind", texts.kind, Control::Select(kinds)).hint(texts.kind_hint),
        line("holder", Field::AccountHolder),
        line("iban", Field::Iban).hint(only_for(BankDetailsKind::Iban)),
        line("bic", Field::Bic).hint(texts.bic_hint),
        line("bsb", Field::Bsb).hint(only_for(BankDetailsKind::Bsb)),
        line("sort_code", Field::SortCode).hint(only_for(BankDetailsKind::SortCode)),
        line("routing_number", Field::RoutingNumber).hint(only_for(BankDetailsKind::Routing)),
        line("account_number", Field::AccountNumber),
        line("pay_id", Field::PayId).hint(texts.pay_id_hint),
        form.field("instructions", label(Field::Instructions), Control::Lines)
            .hint(only_for(BankDetailsKind::Text)),
    ]
}
