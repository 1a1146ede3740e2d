use kernel::{AccountToken, EmailAddress, Id, SystemRandom};
use testkit::FixedClock;
use uuid::Uuid;

use super::*;
use crate::login::{Login, OwnerNames};

fn login_record(company_name: &str) -> LoginRecord {
    LoginRecord {
        login: Login {
            account: Id::from_uuid(Uuid::from_u128(1)),
            email: EmailAddress::parse("owner@example.com").unwrap(),
            password: None,
            second_factor: None,
            proposed_secret: None,
        },
        owner: OwnerNames {
            company_name: company_name.to_owned(),
            first_name: Some("Grace".to_owned()),
            last_name: None,
        },
        switched_off_by: None,
    }
}

const URLS: &str = "https://books.example.com";

fn id() -> MailId {
    Id::from_uuid(Uuid::from_u128(9))
}

#[tokio::test]
async fn notice_says_what_when_and_from_where() {
    let origin = Origin { address: "192.0.2.7".parse().unwrap(), browser: "Firefox on Linux".to_owned() };
    let login_record = login_record("Harbour & <Sons>");
    let mail =
        security_mail(&login_record, SecurityNotice::NewBrowser, Some(&origin), id(), FixedClock::START);
    assert_eq!(mail.audience, Audience::Owner, "no switch of the account holds it");
    let message = SecurityEmail { urls: PublicUrls::new(URLS) }.render(&mail.into()).await.unwrap();
    assert_eq!(message.subject.as_str(), "Sign-in from a new browser: Harbour & <Sons>");
    for text in [
        "Hello Grace,",
        "20 November 2026, 02:09 UTC, from Firefox on Linux at 192.0.2.7.",
        "https://books.example.com/password/forgot",
    ] {
        assert!(message.text.contains(text) && message.html.contains(text), "{text}: {}", message.text);
    }
    assert!(message.html.contains("Harbour &#38; &#60;Sons&#62;"), "{}", message.html);
}

#[tokio::test]
async fn every_notice_is_worded_and_the_operators_name_the_operator() {
    for notice in [
        SecurityNotice::NewBrowser,
        SecurityNotice::PasswordChanged,
        SecurityNotice::SecondFactorOn,
        SecurityNotice::SecondFactorOff,
        SecurityNotice::RecoveryCodeUsed,
        SecurityNotice::RecoveryCodesReplaced,
    ] {
        let mail = security_mail(&login_record("Example"), notice, None, id(), FixedClock::START);
        let message = SecurityEmail { urls: PublicUrls::new(URLS) }.render(&mail.into()).await.unwrap();
        assert!(message.text.contains("by the operator of this service"), "{}", message.text);
        assert!(message.text.contains(notice.words().1), "{}", message.text);
    }
}

#[tokio::test]
async fn advice_names_the_operator_where_a_new_password_is_not_enough() {
    let origin = Origin { address: "192.0.2.7".parse().unwrap(), browser: "Firefox on Linux".to_owned() };
    let advice = async |notice, origin| {
        let mail = security_mail(&login_record("Example"), notice, origin, id(), FixedClock::START);
        let message = SecurityEmail { urls: PublicUrls::new(URLS) }.render(&mail.into()).await.unwrap();
        message.text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let on = advice(SecurityNotice::SecondFactorOn, Some(&origin)).await;
    assert!(on.contains("If this was you") && on.contains("ask the operator of this service to turn it off"));
    let off = advice(SecurityNotice::SecondFactorOff, None).await;
    assert!(off.contains("If you asked for this") && off.contains("Tell the operator too"), "{off}");
    let changed = advice(SecurityNotice::PasswordChanged, Some(&origin)).await;
    assert!(!changed.contains("operator"), "{changed}");
}

#[tokio::test]
async fn link_of_a_reset_is_in_the_mail_and_not_in_the_queue() {
    let keys = Arc::new(SealingKeys::new(&[7; 32], None));
    let (login_record, random) = (login_record("Example"), SystemRandom::default());
    let token = AccountToken::generate(login_record.login.account, &random);
    let reset = PasswordReset::new(Id::from_uuid(Uuid::from_u128(3)), &token, FixedClock::START);
    let mail = reset_mail(&login_record, &reset, &token, id(), &keys, &random);
    assert!(!mail.payload.to_string().contains(token.reveal()));
    let clock = FixedClock::default();
    let template = PasswordResetEmail { keys, urls: PublicUrls::new(URLS), clock: Arc::new(clock.clone()) };
    let mail = QueuedMail::from(mail);
    let message = template.render(&mail).await.unwrap();
    let link = format!("https://books.example.com/password/reset/{}", token.reveal());
    assert!(message.text.contains(&link) && message.html.contains(&link), "{}", message.text);
    assert!(message.text.contains("until 20 November 2026, 03:09 UTC"), "{}", message.text);
    // The mail server accepts it no sooner.
    clock.advance(PasswordReset::LASTS);
    assert!(matches!(template.render(&mail).await, Err(RenderError::Expired)));
    assert!(!RenderError::Expired.may_pass(), "it is given up");
}
