//! The permit for a text message.

use async_trait::async_trait;
use communications::{Address, Channel, OutgoingSms, Permit, SmsError, SmsSender, SmsText, permit};

use crate::samples::{DUE, NOW, account, contact, id, invoice};

/// Accepts every message.
struct Accepting;

#[async_trait]
impl SmsSender for Accepting {
    fn from(&self) -> &str {
        "Acme"
    }

    async fn answer(&self, _sms: &OutgoingSms) -> Result<Option<String>, SmsError> {
        Ok(None)
    }
}

fn sms(to: &str) -> OutgoingSms {
    OutgoingSms {
        message: id(7),
        account: id(1),
        to: Address::parse(Channel::Sms, to).unwrap(),
        text: SmsText::new("Invoice 7").unwrap(),
    }
}

fn permit_for(channel: Channel) -> Permit {
    permit(&account("1:sms"), &contact(), &invoice(10, DUE), channel, NOW).unwrap()
}

#[tokio::test]
async fn permit_for_another_message_is_refused() {
    let refused = Err(SmsError::Refused("the permit is for another message".to_owned()));
    let right = sms("+491701234567");
    assert_eq!(Accepting.remind(permit_for(Channel::Sms), &right).await, Ok(None));
    assert_eq!(Accepting.remind(permit_for(Channel::Sms), &sms("+61412345678")).await, refused);
    assert_eq!(Accepting.remind(permit_for(Channel::Email), &right).await, refused);
    let of_another = OutgoingSms { account: id(9), ..right };
    assert_eq!(Accepting.remind(permit_for(Channel::Sms), &of_another).await, refused);
}
