//! Requests to Twilio and the reading of its responses, against a stand-in on a local port.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that is wrong should stop there")]

mod callbacks;
mod failures;
#[path = "../stand_in/mod.rs"]
mod stand_in;

use communications::{Address, Channel, OutgoingSms, SmsSender, SmsText};
use kernel::Id;
use sms_twilio::{TwilioSettings, TwilioSms};
use stand_in::{ACCOUNT_SID, AUTH_TOKEN, FROM, StandIn};
use uuid::Uuid;

/// The URL that receipts are sent to.
const CALLBACK: &str = "https://books.example.com/inbound/twilio/sms";
const TEXT: &str =
    "Acme: Invoice INV-0007 & 50 € + 3 %\nPay: https://books.example.com/pay/t Reply STOP to opt out";

struct Fixture {
    stand_in: StandIn,
    twilio: TwilioSms,
}

impl Fixture {
    async fn new() -> Self {
        let stand_in = StandIn::start().await;
        let twilio = TwilioSms::new(settings(&stand_in.url())).unwrap();
        Self { stand_in, twilio }
    }

    /// Checks that Twilio would accept every request.
    fn assert_no_faults(&self) {
        assert_eq!(self.stand_in.faults(), Vec::<String>::new());
    }
}

fn settings(base_url: &str) -> TwilioSettings {
    let settings = TwilioSettings::new(ACCOUNT_SID, AUTH_TOKEN, FROM, CALLBACK);
    TwilioSettings { base_url: base_url.to_owned(), ..settings }
}

fn id<E>(n: u128) -> Id<E> {
    Id::from_uuid(Uuid::from_u128(n))
}

fn sms(to: &str, text: &str) -> OutgoingSms {
    OutgoingSms {
        message: id(7),
        account: id(1),
        to: Address::parse(Channel::Sms, to).unwrap(),
        text: SmsText::new(text).unwrap(),
    }
}

#[tokio::test]
async fn message_is_taken_as_it_was_written() {
    let fixture = Fixture::new().await;
    assert_eq!(fixture.twilio.from(), FROM);
    let sid = fixture.twilio.answer(&sms("+491701234567", TEXT)).await.unwrap();
    let taken = fixture.stand_in.taken();
    assert_eq!(sid.as_deref(), Some(taken[0].sid.as_str()));
    assert_eq!((taken[0].to.as_str(), taken[0].from.as_str()), ("+491701234567", FROM));
    assert_eq!(taken[0].body, TEXT);
    let (account, message) = ("00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000007");
    assert_eq!(taken[0].status_callback, format!("{CALLBACK}?message={account}.{message}"));
    fixture.assert_no_faults();
}

#[tokio::test]
async fn longest_texts_are_taken() {
    let fixture = Fixture::new().await;
    for text in ["a".repeat(306), "ő".repeat(134), "€".repeat(152)] {
        assert!(fixture.twilio.answer(&sms("+61412345678", &text)).await.unwrap().is_some());
    }
    fixture.assert_no_faults();
}
