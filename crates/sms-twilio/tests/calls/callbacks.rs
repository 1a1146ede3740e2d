//! Callbacks of Twilio: signed, parsed, and matched to the message.

use communications::{MessageState, SmsSender};
use sms_twilio::{Callback, ReceiptStatus, callback_subject, is_signed};

use crate::stand_in::AUTH_TOKEN;
use crate::stand_in::callbacks::SignedForm;
use crate::{CALLBACK, Fixture, TEXT, id, sms};

fn is_right(form: &SignedForm) -> bool {
    is_signed(AUTH_TOKEN, &form.url, &form.pairs(), &form.signature)
}

#[tokio::test]
async fn receipt_is_signed_and_leads_to_its_message() {
    let fixture = Fixture::new().await;
    let sid = fixture.twilio.answer(&sms("+61412345678", TEXT)).await.unwrap().unwrap();
    let message = &fixture.stand_in.taken()[0];
    let form = fixture.stand_in.receipt(message, "undelivered", Some("30003"));
    assert!(is_right(&form));
    let Ok(Callback::Receipt(receipt)) = Callback::parse(&form.pairs()) else { panic!() };
    assert_eq!((receipt.sid, receipt.status), (sid, ReceiptStatus::Undelivered));
    assert_eq!(receipt.error_code.as_deref(), Some("30003"));
    assert_eq!(receipt.status.state(), Some(MessageState::Failed));
    let (base, query) = form.url.split_once('?').unwrap();
    assert_eq!(base, CALLBACK);
    let subject = callback_subject(query.strip_prefix("message=").unwrap());
    assert_eq!(subject, Some((id(1), id(7))));
}

#[tokio::test]
async fn message_that_came_in_is_signed_and_read() {
    let fixture = Fixture::new().await;
    let form = fixture.stand_in.inbound(CALLBACK, "+61412345678", "Paid yesterday ✓ + 5 %");
    assert!(is_right(&form));
    let Ok(Callback::Inbound(inbound)) = Callback::parse(&form.pairs()) else { panic!() };
    assert_eq!((inbound.from.as_str(), inbound.text.as_str()), ("+61412345678", "Paid yesterday ✓ + 5 %"));
    let next = fixture.stand_in.inbound(CALLBACK, "+61412345678", "Again");
    let Ok(Callback::Inbound(next)) = Callback::parse(&next.pairs()) else { panic!() };
    assert_ne!(next.sid, inbound.sid);
}

#[tokio::test]
async fn form_that_was_changed_on_its_way_is_not_signed() {
    let fixture = Fixture::new().await;
    let form = fixture.stand_in.inbound(CALLBACK, "+61412345678", "STOP");
    let changed = |change: fn(&mut SignedForm)| {
        let mut form = SignedForm {
            url: form.url.clone(),
            fields: form.fields.clone(),
            signature: form.signature.clone(),
        };
        change(&mut form);
        is_right(&form)
    };
    assert!(changed(|form| form.fields.reverse()), "the order of fields does not count");
    assert!(!changed(|form| form.url.push_str("?message=1")));
    assert!(!changed(|form| form.fields.push(("Extra".to_owned(), String::new()))));
    assert!(!changed(|form| form.fields.truncate(3)));
    assert!(!changed(|form| form.signature.clear()));
    assert!(!is_signed("another", &form.url, &form.pairs(), &form.signature));
}
