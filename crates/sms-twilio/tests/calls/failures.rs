//! The outcomes of calls that do not succeed.

use communications::{SmsError, SmsSender};
use serde_json::{Value, json};
use sms_twilio::{TwilioSettings, TwilioSms};
use tokio::net::TcpListener;

use crate::stand_in::{ACCOUNT_SID, AUTH_TOKEN, InjectedFault, error};
use crate::{Fixture, TEXT, settings, sms};

fn refused(text: &str) -> SmsError {
    SmsError::Refused(text.to_owned())
}

fn not_accepted(text: &str) -> SmsError {
    SmsError::NotAccepted(text.to_owned())
}

#[tokio::test]
async fn status_decides_whether_the_message_is_sent_again() {
    let fixture = Fixture::new().await;
    let keys = "check COUNTINGHOUSE_TWILIO_ACCOUNT_SID, COUNTINGHOUSE_TWILIO_AUTH_TOKEN and \
                COUNTINGHOUSE_TWILIO_FROM";
    let place = "check COUNTINGHOUSE_TWILIO_ACCOUNT_SID and COUNTINGHOUSE_TWILIO_URL";
    let invalid = "The 'To' number +61412345678 is not a valid phone number.";
    for (status, body, expected) in [
        (400, error(400, 21211, invalid), refused(&format!("Twilio answered 400: {invalid} (code 21211)"))),
        (
            400,
            error(400, 21610, "STOP"),
            SmsError::OptedOut("Twilio answered 400: STOP (code 21610)".to_owned()),
        ),
        (
            400,
            error(400, 21606, "No"),
            not_accepted("Twilio answered 400: No (code 21606); check COUNTINGHOUSE_TWILIO_FROM"),
        ),
        (
            400,
            error(400, 21659, "No"),
            not_accepted("Twilio answered 400: No (code 21659); check COUNTINGHOUSE_TWILIO_FROM"),
        ),
        (422, json!({"code": 1}), refused("Twilio answered 422 (code 1)")),
        (400, json!({}), not_accepted("Twilio answered 400")),
        (
            401,
            error(401, 20003, "No"),
            not_accepted(&format!("Twilio answered 401: No (code 20003); {keys}")),
        ),
        (403, json!("no"), not_accepted(&format!("Twilio answered 403; {keys}"))),
        (
            404,
            error(404, 20404, "No"),
            not_accepted(&format!("Twilio answered 404: No (code 20404); {place}")),
        ),
        (429, error(429, 20429, "Slow"), not_accepted("Twilio answered 429: Slow (code 20429)")),
        (500, error(500, 20500, "Oh"), not_accepted("Twilio answered 500: Oh (code 20500)")),
        (503, Value::Null, not_accepted("Twilio answered 503")),
        (302, json!({}), not_accepted("Twilio answered 302")),
        (200, json!({}), SmsError::Unknown("Twilio answered 200 without a message".to_owned())),
    ] {
        fixture.stand_in.next(InjectedFault::Respond(status, body));
        let answered = fixture.twilio.answer(&sms("+61412345678", TEXT)).await;
        assert_eq!(answered, Err(expected), "{status}");
    }
    assert!(fixture.stand_in.taken().is_empty());
    fixture.assert_no_faults();
}

#[tokio::test]
async fn message_whose_answer_is_lost_is_not_known_to_be_sent() {
    let fixture = Fixture::new().await;
    fixture.stand_in.next(InjectedFault::LoseResponse);
    let answered = fixture.twilio.answer(&sms("+61412345678", TEXT)).await;
    let Err(SmsError::Unknown(text)) = answered else { panic!("{answered:?}") };
    assert!(text.starts_with("no answer from Twilio: "), "{text}");
    assert!(!text.contains(ACCOUNT_SID), "{text}");
    assert_eq!((fixture.stand_in.taken().len(), fixture.stand_in.calls()), (1, 1), "it is not repeated");
    fixture.assert_no_faults();
}

#[tokio::test]
async fn message_that_was_taken_is_taken_whatever_the_answer_says() {
    let fixture = Fixture::new().await;
    let huge = vec![b' '; 64 * 1024 + 1];
    for body in [b"<html>".to_vec(), b"{}".to_vec(), br#"{"sid":"a b"}"#.to_vec(), huge.clone()] {
        fixture.stand_in.next(InjectedFault::RespondRaw(201, body));
        assert_eq!(fixture.twilio.answer(&sms("+61412345678", TEXT)).await, Ok(None));
    }
    fixture.stand_in.next(InjectedFault::RespondRaw(503, huge));
    let answered = fixture.twilio.answer(&sms("+61412345678", TEXT)).await;
    assert_eq!(answered, Err(not_accepted("Twilio answered 503")));
}

#[tokio::test]
async fn twilio_out_of_reach_did_not_take_the_message() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let twilio = TwilioSms::new(settings(&url)).unwrap();
    let answered = twilio.answer(&sms("+61412345678", TEXT)).await;
    let Err(SmsError::NotAccepted(text)) = answered else { panic!("{answered:?}") };
    assert!(text.starts_with("no answer from Twilio: the request was not sent: "), "{text}");
}

#[tokio::test]
async fn wrong_token_is_refused_without_being_shown() {
    let fixture = Fixture::new().await;
    let wrong =
        TwilioSettings { auth_token: "anotherSecret".to_owned(), ..settings(&fixture.stand_in.url()) };
    let answered = TwilioSms::new(wrong).unwrap().answer(&sms("+61412345678", TEXT)).await;
    let Err(SmsError::NotAccepted(text)) = answered else { panic!("{answered:?}") };
    assert!(text.contains("COUNTINGHOUSE_TWILIO_AUTH_TOKEN") && !text.contains("anotherSecret"), "{text}");

    fixture.stand_in.next(InjectedFault::Respond(400, error(400, 1, &format!("Token {AUTH_TOKEN}\nis odd"))));
    let answered = fixture.twilio.answer(&sms("+61412345678", TEXT)).await;
    assert_eq!(answered, Err(refused("Twilio answered 400: Token [token] is odd (code 1)")));
    assert!(!format!("{:?}", fixture.twilio).contains(AUTH_TOKEN));
}
