//! The forms that payers send, counted.

use std::net::IpAddr;

use access::RollingWindows;
use http_server::ApiError;
use invoices::PayToken;
use kernel::AccountId;
use time::{Duration, OffsetDateTime};

/// How many forms may be sent with one token, and requests for links be made from one address, within
/// [`WINDOW`].
const MOST: u32 = 10;
/// How many links to one invoice may be asked for.
const MOST_LINKS: u32 = 5;
const WINDOW: Duration = Duration::hours(1);

/// How many tokens, addresses and invoices are remembered: about 10 MiB each at the most. Forms of any more
/// wait.
const MOST_KEYS: usize = 32_768;

/// Counts the forms of each token that leads to an invoice, in the memory of this process.
#[derive(Debug)]
pub struct PayerForms(RollingWindows<String>);

impl Default for PayerForms {
    fn default() -> Self {
        Self(RollingWindows::of(WINDOW, MOST_KEYS))
    }
}

impl PayerForms {
    /// Counts one more form of a token.
    pub(crate) fn count(&self, token: &PayToken, now: OffsetDateTime) -> Result<(), ApiError> {
        let decision = self.0.count(token.reveal().to_owned(), MOST, now);
        if decision.allowed { Ok(()) } else { Err(ApiError::too_many_attempts(decision.retry_after(now))) }
    }
}

/// Counts the requests for links to invoices, by the address that they come from and by the number that they
/// name, in the memory of this process. Whether the number is that of an invoice makes no difference.
#[derive(Debug)]
pub struct LinkRequests {
    of_address: RollingWindows<IpAddr>,
    for_number: RollingWindows<(AccountId, String)>,
}

impl Default for LinkRequests {
    fn default() -> Self {
        Self {
            of_address: RollingWindows::of(WINDOW, MOST_KEYS),
            for_number: RollingWindows::of(WINDOW, MOST_KEYS),
        }
    }
}

impl LinkRequests {
    /// Counts one more request.
    pub(crate) fn count(
        &self,
        address: IpAddr,
        account: AccountId,
        number: &str,
        now: OffsetDateTime,
    ) -> Result<(), ApiError> {
        let refused = |seconds| Err(ApiError::too_many_attempts(seconds));
        let decision = self.of_address.count(address, MOST, now);
        if !decision.allowed {
            return refused(decision.retry_after(now));
        }
        let decision = self.for_number.count((account, number.to_owned()), MOST_LINKS, now);
        if decision.allowed { Ok(()) } else { refused(decision.retry_after(now)) }
    }
}

#[cfg(test)]
mod tests {
    use kernel::{Id, SystemRandom};
    use testkit::StillClock;

    use super::*;

    const NOW: OffsetDateTime = StillClock::START;

    fn account() -> AccountId {
        Id::parse("01936f3c-2b7e-7c00-8000-000000000001").unwrap()
    }

    #[test]
    fn ten_forms_of_a_token_in_an_hour_are_taken() {
        let forms = PayerForms::default();
        let [one, other] = [(); 2].map(|()| PayToken::generate(account(), &SystemRandom::default()).unwrap());
        for _ in 0..10 {
            forms.count(&one, NOW).unwrap();
        }
        assert!(forms.count(&one, NOW + Duration::minutes(59)).is_err());
        assert!(forms.count(&other, NOW).is_ok());
        assert!(forms.count(&one, NOW + WINDOW).is_ok());
    }

    #[test]
    fn links_are_limited_by_address_and_by_number() {
        let requests = LinkRequests::default();
        let address = |n: u8| IpAddr::from([192, 0, 2, n]);
        for n in 0..10 {
            requests.count(address(1), account(), &format!("INV-{n}"), NOW).unwrap();
        }
        assert!(requests.count(address(1), account(), "INV-99", NOW).is_err());
        for n in 2..6 {
            requests.count(address(n), account(), "INV-1", NOW).unwrap();
        }
        assert!(requests.count(address(9), account(), "INV-1", NOW).is_err());
        assert!(requests.count(address(9), account(), "INV-2", NOW + WINDOW).is_ok());
    }
}
