//! The channels that a contact allows, and the conversation with it, as parts of the contact's page.

use communications::{AddressHold, Channel, CloseReason, Consent};
use invoices::figures::written_instant;
use kernel::{Named as _, PublicUrls, TimeZone};

use super::message_rows::{MessageItem, ShownMessage};
use crate::form::{Control, Form, FormField};
use crate::texts::{CommunicationsTexts, ENGLISH};

/// The communications that the page of a contact shows.
#[derive(Debug, Clone)]
pub struct ShownCommunications {
    /// The contact's id.
    pub contact: String,
    /// Every consent that was recorded, newest first.
    pub consents: Vec<Consent>,
    /// The holds of the contact's present addresses, newest first.
    pub holds: Vec<AddressHold>,
    /// The latest messages, newest first.
    pub messages: Vec<ShownMessage>,
    /// Whether there are older messages.
    pub has_more: bool,
    pub time_zone: TimeZone,
}

/// The channels that a contact allows, and the conversation with it, as text and fields.
#[derive(Debug, Clone)]
pub(crate) struct ContactCommunications {
    pub(crate) consents: Vec<String>,
    pub(crate) consent_at: String,
    pub(crate) channel: FormField,
    pub(crate) how: FormField,
    pub(crate) holds: Vec<HoldItem>,
    pub(crate) messages: Vec<MessageItem>,
    /// The inbox with all of the contact's messages.
    pub(crate) more: Option<String>,
    pub(crate) zone: String,
}

/// An address with a present or past hold, to which no reminders are sent.
#[derive(Debug, Clone)]
pub(crate) struct HoldItem {
    pub(crate) what: String,
    pub(crate) how: String,
    /// The form that ends the hold; `None` if the hold has ended.
    pub(crate) end_hold: Option<EndHoldForm>,
}

/// The form that ends the hold of an address.
#[derive(Debug, Clone)]
pub(crate) struct EndHoldForm {
    pub(crate) href: String,
    /// Distinguishes the form's field from those of other forms on the page.
    pub(crate) id: String,
    pub(crate) channel: &'static str,
    /// The id of the hold: one that came later, with other evidence, is not ended.
    pub(crate) hold: String,
    pub(crate) word: &'static str,
    pub(crate) hint: &'static str,
    pub(crate) button: &'static str,
}

impl ContactCommunications {
    pub(crate) fn new(shown: &ShownCommunications, form: &Form, urls: &PublicUrls) -> Self {
        let (c, zone) = (ENGLISH.communications, &shown.time_zone);
        let own = |action: &str| urls.page(format_args!("/dashboard/contacts/{}/{action}", shown.contact));
        let channels = [Channel::Sms, Channel::Voice].map(|one| (one.as_str(), (c.channels)(one)));
        let channels = Control::Select(form.choices("channel", channels));
        let consent = |consent: &Consent| {
            let at = written_instant(consent.recorded_at, zone);
            (c.consent)(consent.is_given, (c.channels)(consent.channel), &at, consent.how.as_str())
        };
        let all = urls.page(format_args!("/dashboard/inbox?contact={}", shown.contact));
        Self {
            consents: shown.consents.iter().map(consent).collect(),
            consent_at: own("consent"),
            channel: form.field("channel", c.consent_channel, channels),
            how: form.field("how", c.consent_how, Control::Line("text")).hint(c.consent_how_hint),
            holds: shown.holds.iter().map(|hold| hold_row(hold, zone, &own, c)).collect(),
            messages: shown.messages.iter().map(|one| MessageItem::excerpt(one, zone, urls)).collect(),
            more: shown.has_more.then_some(all),
            zone: (ENGLISH.invoicing.zone)(zone.name()),
        }
    }

    /// The fields that show their own faults.
    pub(crate) fn fields(&self) -> [&FormField; 2] {
        [&self.channel, &self.how]
    }
}

fn hold_row(
    hold: &AddressHold,
    zone: &TimeZone,
    own: &dyn Fn(&str) -> String,
    c: &CommunicationsTexts,
) -> HoldItem {
    let at = written_instant(hold.closed_at, zone);
    let what = (c.closed)(hold.reason, (c.channels)(hold.channel), hold.address.as_str(), &at);
    let reopened = hold.reopened_at.map(|at| {
        let because = hold.reopened_because.as_ref().map(ToString::to_string).unwrap_or_default();
        (c.reopened)(&written_instant(at, zone), &because)
    });
    let (action, word, hint, button) = match hold.reason {
        CloseReason::OptedOut => ("turn-on", c.their_word, c.their_word_hint, c.turn_on),
        CloseReason::Bounced => ("works-again", c.how_known, c.how_known_hint, c.works_again),
    };
    let channel = hold.channel.as_str();
    let id = format!("{action}-{channel}");
    let end_hold =
        EndHoldForm { href: own(action), id, channel, hold: hold.id.to_string(), word, hint, button };
    let advice =
        (hold.is_standing() && hold.reason == CloseReason::Bounced).then(|| c.bounced_advice.to_owned());
    HoldItem {
        what: [Some(what), advice, reopened].into_iter().flatten().collect::<Vec<_>>().join(" "),
        how: hold.evidence.to_string(),
        end_hold: hold.is_standing().then_some(end_hold),
    }
}
