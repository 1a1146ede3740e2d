//! What changed since an instant is listed in two runs: the charges that were made, then the events, which
//! tell of earlier charges that failed, succeeded, were refunded or disputed. Stripe lists events of 30 days.

use payments::GatewayError;
use time::OffsetDateTime;

use crate::api::{PAGE_SIZE, Parameters, is_id, pair, parameters};

/// The events that say that a charge, a refund or a dispute changed. Stripe takes up to 20 in a query.
pub const EVENT_TYPES: [&str; 13] = [
    "charge.pending",
    "charge.succeeded",
    "charge.failed",
    "charge.refunded",
    "charge.refund.updated",
    "charge.dispute.created",
    "charge.dispute.updated",
    "charge.dispute.closed",
    "charge.dispute.funds_withdrawn",
    "charge.dispute.funds_reinstated",
    "refund.created",
    "refund.updated",
    "refund.failed",
];

/// Where a listing stands. As text (`charges`, `events:evt_1`) it is what the next page is asked with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the charges, behind this one.
    Charges(Option<String>),
    /// In the events, behind this one.
    Events(Option<String>),
}

impl Place {
    /// Reads what an earlier page named as the next.
    ///
    /// # Errors
    /// [`GatewayError::Refused`].
    pub(crate) fn parse(page: Option<&str>) -> Result<Self, GatewayError> {
        let page = page.unwrap_or("charges");
        let (run, last) = page.split_once(':').map_or((page, None), |(run, last)| (run, Some(last)));
        let last = last.map(str::to_owned);
        match run {
            _ if last.as_ref().is_some_and(|last| !is_id(last)) => None,
            "charges" => Some(Self::Charges(last)),
            "events" => Some(Self::Events(last)),
            _ => None,
        }
        .ok_or_else(|| GatewayError::Refused("there is no such page".to_owned()))
    }

    pub(crate) fn text(&self) -> String {
        let (run, last) = match self {
            Self::Charges(last) => ("charges", last),
            Self::Events(last) => ("events", last),
        };
        last.as_ref().map_or_else(|| run.to_owned(), |last| format!("{run}:{last}"))
    }

    /// The place behind a page that ended with this record.
    pub(crate) fn next(&self, has_more: bool, last: Option<&str>) -> Option<Self> {
        let last = last.filter(|_| has_more).map(str::to_owned);
        match (self, last) {
            (Self::Charges(_), Some(last)) => Some(Self::Charges(Some(last))),
            (Self::Charges(_), None) => Some(Self::Events(None)),
            (Self::Events(_), Some(last)) => Some(Self::Events(Some(last))),
            (Self::Events(_), None) => None,
        }
    }

    /// What the page is asked for with, but for what is to be expanded.
    pub(crate) fn query(&self, since: OffsetDateTime) -> Parameters {
        let mut query =
            parameters(&[("created[gte]", &since.unix_timestamp().to_string()), ("limit", PAGE_SIZE)]);
        let (Self::Charges(last) | Self::Events(last)) = self;
        query.extend(last.as_ref().map(|last| pair("starting_after", last)));
        if matches!(self, Self::Events(_)) {
            query.extend(EVENT_TYPES.iter().map(|r#type| pair("types[]", *r#type)));
        }
        query
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_follow_each_other_to_the_end() {
        let first = Place::parse(None).unwrap();
        let second = first.next(true, Some("ch_1")).unwrap();
        assert_eq!(second.text(), "charges:ch_1");
        let third = second.next(false, Some("ch_2")).unwrap();
        assert_eq!(third.text(), "events");
        let fourth = third.next(true, Some("evt_1")).unwrap();
        assert_eq!(Place::parse(Some(&fourth.text())), Ok(fourth.clone()));
        assert_eq!(fourth.next(false, Some("evt_2")), None);
        for bad in ["", "invoices", "charges:", "events:../x"] {
            assert!(matches!(Place::parse(Some(bad)), Err(GatewayError::Refused(_))), "{bad}");
        }
    }
}
