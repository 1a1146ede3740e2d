//! Planned reminders as rows.

use std::collections::BTreeMap;

use communications::ForecastMessage;
use invoices::InvoiceId;
use kernel::{PublicUrls, TimeZone};
use time::OffsetDateTime;

use crate::texts::CommunicationsTexts;

/// A planned message.
#[derive(Debug, Clone)]
pub(crate) struct PlanItem {
    /// Channel and time: `E-mail on 3 December, 9:00`.
    pub(crate) what: String,
    pub(crate) contact: (String, String),
    /// The URLs and numbers of the invoices.
    pub(crate) invoices: Vec<(String, String)>,
}

impl PlanItem {
    /// `numbers` are the known numbers of invoices.
    pub(crate) fn new(
        message: &ForecastMessage,
        numbers: &BTreeMap<InvoiceId, String>,
        zone: &TimeZone,
        urls: &PublicUrls,
        c: &CommunicationsTexts,
    ) -> Self {
        let invoice = |id: &InvoiceId| {
            let number = numbers.get(id).cloned().unwrap_or_else(|| c.an_invoice.to_owned());
            (urls.page(format_args!("/dashboard/invoices/{id}")), number)
        };
        Self {
            what: (c.planned_on)((c.channel)(message.channel), &day_and_time(message.at, zone)),
            contact: (
                urls.page(format_args!("/dashboard/contacts/{}", message.contact)),
                message.name.clone(),
            ),
            invoices: message.invoices.iter().map(invoice).collect(),
        }
    }
}

/// An instant in a time zone as `3 December, 9:00`, without a year: plans are less than a year ahead.
pub(crate) fn day_and_time(at: OffsetDateTime, zone: &TimeZone) -> String {
    let local = zone.local(at);
    format!("{} {}, {}:{:02}", local.day(), local.month(), local.hour(), local.minute())
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn instant_is_a_day_and_a_time() {
        let sydney = TimeZone::parse("Australia/Sydney").unwrap();
        assert_eq!(day_and_time(datetime!(2026-12-02 22:00 UTC), &sydney), "3 December, 9:00");
    }
}
