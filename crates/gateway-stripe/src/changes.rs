//! Changes since an instant are listed in two runs: first the charges created since then, then the events,
//! which report older charges that failed, succeeded, were refunded or disputed. Stripe lists events of the
//! last 30 days.

use payments::GatewayError;
use time::OffsetDateTime;

use crate::api::{PAGE_SIZE, Parameters, is_id, pair, parameters};
use crate::event::EVENT_TYPES;

/// The position in a listing. Its text form (`charges`, `events:evt_1`) requests the next page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ListingPosition {
    /// In the charges, after this one.
    Charges(Option<String>),
    /// In the events, after this one.
    Events(Option<String>),
}

impl ListingPosition {
    /// Parses the position that an earlier page gave for the next one.
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

    /// The position after a page that ended with this record.
    pub(crate) fn next(&self, has_more: bool, last: Option<&str>) -> Option<Self> {
        let last = last.filter(|_| has_more).map(str::to_owned);
        match (self, last) {
            (Self::Charges(_), Some(last)) => Some(Self::Charges(Some(last))),
            (Self::Charges(_), None) => Some(Self::Events(None)),
            (Self::Events(_), Some(last)) => Some(Self::Events(Some(last))),
            (Self::Events(_), None) => None,
        }
    }

    /// The query parameters of the page, without `expand[]`.
    pub(crate) fn query(&self, since: OffsetDateTime) -> Parameters {
        let mut query =
            parameters(&[("created[gte]", &since.unix_timestamp().to_string()), ("limit", PAGE_SIZE)]);
        let (Self::Charges(last) | Self::Events(last)) = self;
        query.extend(last.as_ref().map(|last| pair("starting_after", last)));
        if matches!(self, Self::Events(_)) {
            // Of changes of charges, refunds and disputes. Stripe accepts up to 20 types in a query.
            let types = EVENT_TYPES.iter().filter(|r#type| !r#type.starts_with("checkout."));
            query.extend(types.map(|r#type| pair("types[]", *r#type)));
        }
        query
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn change_list_cursor_passes_through_all_lists() {
        let first = ListingPosition::parse(None).unwrap();
        let second = first.next(true, Some("ch_1")).unwrap();
        assert_eq!(second.text(), "charges:ch_1");
        let third = second.next(false, Some("ch_2")).unwrap();
        assert_eq!(third.text(), "events");
        let fourth = third.next(true, Some("evt_1")).unwrap();
        assert_eq!(ListingPosition::parse(Some(&fourth.text())), Ok(fourth.clone()));
        assert_eq!(fourth.next(false, Some("evt_2")), None);
        for bad in ["", "invoices", "charges:", "events:../x"] {
            assert!(matches!(ListingPosition::parse(Some(bad)), Err(GatewayError::Refused(_))), "{bad}");
        }
    }
}
