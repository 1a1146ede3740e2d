//! Limits the forms that payers send, and how often their views call a gateway.

use std::net::IpAddr;
use std::sync::Arc;

use access::{AttemptLimiter, AttemptWindow};
use http_server::ApiError;
use invoices::{InvoiceNumber, PayToken};
use kernel::AccountId;
use payments::IntentId;
use time::{Duration, OffsetDateTime};

/// How many forms may be sent with one token within an hour, and how many links requested from one address.
const MAX_FORMS: u32 = 10;
/// How many links to one invoice may be requested within an hour.
const MAX_LINKS: u32 = 5;

/// How many views of the result of one payment ask the gateway within a minute.
const MAX_RETURNS: u32 = 6;

/// A window of an hour. Its subjects take at most about 10 MiB; a further one takes the place of others.
const fn hour_of(name: &'static str) -> AttemptWindow {
    AttemptWindow { name, length: Duration::HOUR, most_subjects: 32_768 }
}

/// Counts the forms of each token that leads to an invoice.
#[derive(Clone)]
pub struct PayerForms(pub Arc<dyn AttemptLimiter>);

impl PayerForms {
    /// The window in which forms are counted.
    pub const WINDOW: AttemptWindow = hour_of("payer-forms");

    /// Counts one more form of a token.
    pub(crate) async fn count(&self, token: &PayToken, now: OffsetDateTime) -> Result<(), ApiError> {
        attempt(&*self.0, token.reveal(), MAX_FORMS, now).await
    }
}

/// Counts the requests for links to invoices, by client address and by invoice number, whether or not the
/// invoice exists.
#[derive(Clone)]
pub struct LinkRequests {
    pub of_address: Arc<dyn AttemptLimiter>,
    pub for_number: Arc<dyn AttemptLimiter>,
}

impl LinkRequests {
    /// The window in which requests are counted by address.
    pub const OF_ADDRESS: AttemptWindow = hour_of("links-of-address");
    /// The window in which requests are counted by account and number.
    pub const FOR_NUMBER: AttemptWindow = hour_of("links-for-number");

    /// Counts one more request. Text that cannot be an invoice number is not remembered.
    pub(crate) async fn count(
        &self,
        address: IpAddr,
        account: AccountId,
        number: Option<&InvoiceNumber>,
        now: OffsetDateTime,
    ) -> Result<(), ApiError> {
        attempt(&*self.of_address, &address.to_string(), MAX_FORMS, now).await?;
        let Some(number) = number else {
            return Ok(());
        };
        attempt(&*self.for_number, &format!("{account}/{}", number.as_str()), MAX_LINKS, now).await
    }
}

/// Counts the views of the result of each payment: each call of a gateway counts towards the limit that the
/// gateway sets the account, which payers must not use up.
#[derive(Clone)]
pub struct PayerReturns(pub Arc<dyn AttemptLimiter>);

impl PayerReturns {
    /// The window in which views are counted.
    pub const WINDOW: AttemptWindow =
        AttemptWindow { name: "payer-returns", length: Duration::MINUTE, most_subjects: 32_768 };

    /// Counts one more view; returns whether it asks the gateway.
    pub(crate) async fn count(&self, intent: IntentId, now: OffsetDateTime) -> bool {
        self.0.attempt(&intent.to_string(), MAX_RETURNS, now).await.allowed
    }
}

/// Counts one more attempt of a subject.
pub(crate) async fn attempt(
    limiter: &dyn AttemptLimiter,
    subject: &str,
    most: u32,
    now: OffsetDateTime,
) -> Result<(), ApiError> {
    let decision = limiter.attempt(subject, most, now).await;
    if decision.allowed { Ok(()) } else { Err(ApiError::too_many_attempts(decision.retry_after(now))) }
}

#[cfg(test)]
mod tests {
    use kernel::{Id, SystemRandom};
    use testkit::FixedClock;

    use super::*;

    const NOW: OffsetDateTime = FixedClock::START;

    fn account() -> AccountId {
        Id::parse("01936f3c-2b7e-7c00-8000-000000000001").unwrap()
    }

    fn in_memory(window: AttemptWindow) -> Arc<dyn AttemptLimiter> {
        Arc::new(window.in_memory())
    }

    #[tokio::test]
    async fn ten_forms_of_a_token_in_an_hour_are_taken() {
        let forms = PayerForms(in_memory(PayerForms::WINDOW));
        let [one, other] = [(); 2].map(|()| PayToken::generate(account(), &SystemRandom::default()));
        for _ in 0..10 {
            forms.count(&one, NOW).await.unwrap();
        }
        assert!(forms.count(&one, NOW + Duration::minutes(59)).await.is_err());
        assert!(forms.count(&other, NOW).await.is_ok());
        assert!(forms.count(&one, NOW + Duration::HOUR).await.is_ok());
    }

    #[tokio::test]
    async fn form_of_a_further_token_is_taken_after_those_of_as_many_as_are_remembered() {
        let forms = PayerForms(in_memory(PayerForms::WINDOW));
        let random = SystemRandom::default();
        let attacked = PayToken::generate(account(), &random);
        for _ in 0..10 {
            forms.count(&attacked, NOW).await.unwrap();
        }
        for _ in 0..=PayerForms::WINDOW.most_subjects {
            forms.count(&PayToken::generate(account(), &random), NOW).await.unwrap();
        }
        assert!(forms.count(&attacked, NOW).await.is_err());
    }

    #[tokio::test]
    async fn links_are_limited_by_address_and_by_number() {
        let limiters = [LinkRequests::OF_ADDRESS, LinkRequests::FOR_NUMBER].map(in_memory);
        let [of_address, for_number] = limiters;
        let requests = LinkRequests { of_address, for_number };
        let address = |n: u8| IpAddr::from([192, 0, 2, n]);
        let number = |text: &str| InvoiceNumber::parse(text).ok();
        for n in 0..10 {
            requests.count(address(1), account(), number(&format!("INV-{n}")).as_ref(), NOW).await.unwrap();
        }
        assert!(requests.count(address(1), account(), number("INV-99").as_ref(), NOW).await.is_err());
        for n in 2..6 {
            requests.count(address(n), account(), number("INV-1").as_ref(), NOW).await.unwrap();
        }
        assert!(requests.count(address(9), account(), number("INV-1").as_ref(), NOW).await.is_err());
        assert!(
            requests
                .count(address(9), account(), number("INV-2").as_ref(), NOW + Duration::HOUR)
                .await
                .is_ok()
        );
    }
}
