//! Audit entries as rows of text.

use contacts::ContactId;
use invoices::invoice::InvoiceEntity;
use kernel::{Id, PublicUrls};
use serde_json::{Map, Value};
use sessions::AuditEntry;

use crate::texts::{AuditTexts, SecurityTexts};

#[derive(Debug, Clone)]
pub(crate) struct AuditItem {
    pub(crate) at: String,
    pub(crate) actor: String,
    pub(crate) address: String,
    /// The name of the action; `words` is its text.
    pub(crate) action: String,
    pub(crate) words: String,
    pub(crate) change: String,
    /// The page of the invoice concerned.
    pub(crate) invoice: Option<String>,
    /// The page of the contact concerned.
    pub(crate) contact: Option<String>,
    /// The page of the contact that the invoice had before, if it got another one.
    pub(crate) earlier_contact: Option<String>,
}

impl AuditItem {
    /// `at` is the time of the entry as the page shows it.
    pub(crate) fn new(entry: &AuditEntry, at: String, urls: &PublicUrls, s: &SecurityTexts) -> Self {
        let t = &s.entry;
        let text = |value: &Option<Value>| {
            let text = value.as_ref().map(|value| details(&entry.action, value, t));
            text.filter(|text| !text.is_empty())
        };
        let contact = |id: ContactId| urls.page(format_args!("/dashboard/contacts/{id}"));
        let changed = changed_contacts(entry);
        let (before, mut after) = (text(&entry.before), text(&entry.after));
        if let (Some(after), Some((earlier, now))) = (&mut after, changed) {
            *after = format!("{after}, {}", (t.contact_change)(earlier.is_some(), now.is_some()));
        }
        let words = (t.action)(&entry.action);
        Self {
            at,
            actor: if entry.actor == "operator" { s.operator.to_owned() } else { entry.actor.clone() },
            address: entry.address.clone().unwrap_or_default(),
            words: words.map_or_else(|| in_words(&entry.action), str::to_owned),
            action: entry.action.clone(),
            change: match (&entry.before, &entry.after) {
                // An entry with details on one side only is an action, not a change of a value.
                (None, Some(Value::Object(_))) => after.unwrap_or_default(),
                (Some(Value::Object(_)), None) => before.unwrap_or_default(),
                _ => (s.change)(before.as_deref(), after.as_deref()),
            },
            invoice: id_in::<InvoiceEntity>(entry.after.as_ref(), "invoice")
                .map(|id| urls.page(format_args!("/dashboard/invoices/{id}"))),
            contact: id_in(entry.after.as_ref(), "contact").map(contact),
            earlier_contact: changed.and_then(|(earlier, _)| earlier).map(contact),
        }
    }
}

fn id_in<E>(side: Option<&Value>, field: &str) -> Option<Id<E>> {
    Id::parse(side?.get(field)?.as_str()?)
}

/// The contacts before and after a change, if they differ. The text of the entry cannot tell them apart,
/// since entries hold no names.
fn changed_contacts(entry: &AuditEntry) -> Option<(Option<ContactId>, Option<ContactId>)> {
    let (before, after) = (entry.before.as_ref()?, entry.after.as_ref()?);
    let contacts = (id_in(Some(before), "contact"), id_in(Some(after), "contact"));
    (contacts.0 != contacts.1).then_some(contacts)
}

/// The text of an action that has none in the table: `webhook_endpoint.added` as "Webhook endpoint added".
fn in_words(action: &str) -> String {
    let words = action.replace(['.', '_'], " ");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn details(action: &str, value: &Value, t: &AuditTexts) -> String {
    match value {
        Value::Object(fields) => fields_in_words(fields, t),
        Value::String(text) if action == "payments.changed" => online_settings(text, t),
        other => plain(other, t),
    }
}

/// The fields as text. An amount is shown with its currency.
fn fields_in_words(fields: &Map<String, Value>, t: &AuditTexts) -> String {
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let amount = text("amount").or_else(|| text("total"));
    let amount = amount.zip(text("currency")).map(|(amount, currency)| format!("{currency} {amount}"));
    let is_in_amount = |name: &str| amount.is_some() && matches!(name, "amount" | "total" | "currency");
    let others = fields.iter().filter(|(name, _)| !is_in_amount(name));
    let others = others.filter_map(|(name, value)| (t.field)(name, &plain(value, t)));
    amount.iter().cloned().chain(others).collect::<Vec<_>>().join(", ")
}

/// The text of settings such as `minimum_percent 100, unapplied return`.
fn online_settings(text: &str, t: &AuditTexts) -> String {
    let setting = |part: &str| {
        let words = part.split_once(' ').and_then(|(name, value)| (t.online_setting)(name, value));
        words.unwrap_or_else(|| part.to_owned())
    };
    text.split(", ").map(setting).collect::<Vec<_>>().join(", ")
}

fn plain(value: &Value, t: &AuditTexts) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(is_so) => if *is_so { t.yes } else { t.no }.to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(|item| plain(item, t)).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => fields_in_words(fields, t),
    }
}
