//! The mail that tells the owner of an account that deliveries to an endpoint were abandoned.

use kernel::Id;
use mail::{NewMail, Notice, NoticeRecipient};
use time::{Duration, OffsetDateTime};

use crate::delivery::DeliveryId;
use crate::endpoint::EndpointId;
use crate::event::EventName;

/// An abandoned delivery, for the mail about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbandonedDelivery {
    /// The delivery.
    pub id: DeliveryId,
    /// The event's name.
    pub event: EventName,
    /// The endpoint.
    pub endpoint: EndpointId,
    /// The endpoint's address.
    pub url: String,
    /// When it was abandoned, UTC.
    pub at: OffsetDateTime,
}

impl AbandonedDelivery {
    /// The owner is mailed about one endpoint at most once in this time: a receiver that is down can cause
    /// thousands of these.
    pub const MAILED_ONCE_IN: Duration = Duration::DAY;

    /// Whether the owner is mailed about this delivery, if the last mail about its endpoint was sent at
    /// `last`.
    #[must_use]
    pub fn is_mailed(&self, last: Option<OffsetDateTime>) -> bool {
        last.is_none_or(|last| self.at >= last.saturating_add(Self::MAILED_ONCE_IN))
    }

    /// The mail. It has the delivery's id, since a delivery is abandoned once.
    #[must_use]
    pub fn mail(&self, owner: &NoticeRecipient) -> NewMail {
        let notice = Notice {
            subject: format!("Webhook deliveries to {} are failing", self.url),
            paragraphs: vec![
                format!(
                    "A webhook delivery of the event {} to {} was abandoned: every attempt failed.",
                    self.event.as_str(),
                    self.url
                ),
                "Repair the receiver, then replay the abandoned deliveries. You get at most one such e-mail a day \
                 for each endpoint, however many deliveries are abandoned."
                    .to_owned(),
            ],
            quote: None,
            link_text: "See the abandoned deliveries".to_owned(),
            path: format!("/dashboard/webhooks/deliveries?endpoint={}&state=abandoned", self.endpoint),
        };
        notice.into_mail(Id::from_uuid(self.id.uuid()), owner, self.endpoint.uuid(), self.at)
    }
}

#[cfg(test)]
mod tests {
    use kernel::EmailAddress;
    use mail::SilencedNotices;
    use testkit::{CountingIds, FixedClock};

    use super::*;

    #[test]
    fn mail_names_endpoint_and_event_and_leads_to_the_deliveries() {
        let (ids, at) = (CountingIds::default(), FixedClock::START);
        let owner = NoticeRecipient {
            account: Id::new(&ids, at),
            email: EmailAddress::parse("owner@example.com").unwrap(),
            silenced: SilencedNotices::NONE,
        };
        let abandoned = AbandonedDelivery {
            id: Id::new(&ids, at),
            event: EventName::PaymentRecorded,
            endpoint: Id::new(&ids, at),
            url: "https://example.com/hook".to_owned(),
            at,
        };
        let mail = abandoned.mail(&owner);
        assert_eq!(mail.id.uuid(), abandoned.id.uuid());
        let payload = mail.payload.to_string();
        let path = format!("?endpoint={}&state=abandoned", abandoned.endpoint);
        for part in ["invoice.payment_recorded", "https://example.com/hook", &path] {
            assert!(payload.contains(part), "{part} in {payload}");
        }
    }
}
