//! The use cases of logins over a store: what a password, a code and a link permit, and for how long.

use access::{PasswordHash, SwitchedOffBy};
use kernel::{AccountToken, Clock as _, SystemRandom};
use partner_accounts::{AccountChange, InvitationRefused};
use sessions::{AcceptInvitationError, PasswordRefused, SessionError, SignInError, SignedIn, Wait};
use time::Duration;

use crate::database::{on_both, on_sqlite};
use crate::fixtures::sign_in::{PASSWORD, Scene, code_needed, done, origin};
use crate::fixtures::{NOW, OPERATOR};

/// The hash of [`PASSWORD`] with a salt of zeros and cheaper parameters: 1 MiB, one pass.
const CHEAP: &str =
    "$argon2id$v=19$m=1024,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$Si+qS5vWfkPuhQF3bHDrVOuTP78C6eI1JZzMWtrCKLM";

#[test]
fn invitation_sets_a_password_once_and_signs_in() {
    on_both(async |db| {
        let scene = Scene::new(db).await;
        let token = scene.invite().await;
        let accept = async |password| {
            scene.logins.accept_invitation(token.reveal(), password, &origin("Firefox")).await
        };
        for (password, fault) in [
            ("short", PasswordRefused::Length(access::PasswordFault::TooShort)),
            ("password123", PasswordRefused::Common),
            (scene.account.profile.company_name.as_str(), PasswordRefused::OwnWords),
        ] {
            let refused = accept(password).await;
            assert!(
                matches!(refused, Err(AcceptInvitationError::Password(found)) if found == fault),
                "{password}"
            );
        }
        assert!(matches!(scene.sign_in(PASSWORD).await, Err(SignInError::Wrong)));
        let Ok(SignedIn::Done(new)) = accept(PASSWORD).await else { panic!("it is valid") };
        assert_eq!(scene.session_record(&new).await.unwrap().scope.id, scene.id());
        let again = accept("another good password").await;
        assert!(matches!(again, Err(AcceptInvitationError::Refused(InvitationRefused::Used))));
        done(scene.sign_in(PASSWORD).await);
        let made_up = AccountToken::generate(scene.id(), &SystemRandom::default());
        let unknown = scene.logins.invited(made_up.reveal()).await;
        assert!(matches!(unknown, Err(AcceptInvitationError::Unknown)));
        assert_eq!(scene.actions().await, ["password.set", "account.invited"]);
    });
}

#[test]
fn expired_invitation_is_renewed_by_mail_and_not_twice_at_once() {
    on_both(async |db| {
        let scene = Scene::new(db).await;
        let token = scene.invite().await;
        scene.clock.advance(Duration::days(7));
        let expired = scene.logins.accept_invitation(token.reveal(), PASSWORD, &origin("Firefox")).await;
        assert!(matches!(expired, Err(AcceptInvitationError::Refused(InvitationRefused::Expired))));
        scene.logins.renew_invitation(token.reveal()).await.unwrap();
        scene.logins.renew_invitation(token.reveal()).await.unwrap();
        assert_eq!(scene.mails().await.len(), 1);
    });
}

#[test]
fn invitation_by_the_operator_withdraws_the_links_before_it() {
    on_both(async |db| {
        let scene = Scene::new(db).await;
        let older = scene.invite().await;
        scene.clock.advance(Duration::days(7));
        let newer = scene.invite().await;
        let renewed = scene.logins.renew_invitation(older.reveal()).await;
        assert!(
            matches!(renewed, Err(AcceptInvitationError::Refused(InvitationRefused::Used))),
            "no mail is promised that is not sent: {renewed:?}"
        );
        assert!(scene.logins.invited(newer.reveal()).await.is_ok());
    });
}

#[test]
fn session_ends_idle_at_the_latest_and_at_once_when_the_account_is_switched_off() {
    on_both(async |db| {
        let (scene, new) = Scene::invited(db).await;
        for _ in 0..28 {
            scene.clock.advance(Duration::hours(12) - Duration::SECOND);
            assert!(scene.session_record(&new).await.is_ok(), "its use is noted");
        }
        scene.clock.advance(Duration::minutes(1));
        assert!(matches!(scene.session_record(&new).await, Err(SessionError::NotSignedIn)), "14 days");
        let new = done(scene.sign_in(PASSWORD).await);
        scene.clock.advance(Duration::hours(12));
        assert!(matches!(scene.session_record(&new).await, Err(SessionError::NotSignedIn)), "12 hours");

        let new = done(scene.sign_in(PASSWORD).await);
        let off = |off| {
            let change = AccountChange::OffByOperator(off);
            db.store.operator.change_account(OPERATOR, scene.id(), change, NOW)
        };
        off(true).await.unwrap();
        let by_operator = SwitchedOffBy::Operator;
        let refused = scene.session_record(&new).await;
        assert!(matches!(refused, Err(SessionError::AccountDisabled(by)) if by == by_operator));
        let refused = scene.sign_in(PASSWORD).await;
        assert!(matches!(refused, Err(SignInError::AccountDisabled(by)) if by == by_operator));
        assert!(matches!(scene.sign_in("wrong password").await, Err(SignInError::Wrong)));
        off(false).await.unwrap();
        assert!(scene.session_record(&new).await.is_ok());
        scene.sessions.end(new.token.reveal()).await.unwrap();
        assert!(matches!(scene.session_record(&new).await, Err(SessionError::NotSignedIn)));
    });
}

#[test]
fn use_of_a_session_is_written_once_a_minute() {
    on_both(async |db| {
        let (scene, new) = Scene::invited(db).await;
        let seen = async || scene.session_record(&new).await.unwrap().session.last_seen_at;
        scene.clock.advance(Duration::seconds(59));
        seen().await;
        assert_eq!(seen().await, NOW);
        scene.clock.advance(Duration::SECOND);
        seen().await;
        assert_eq!(seen().await, NOW + Duration::MINUTE);
    });
}

#[test]
fn fifth_failure_makes_the_right_password_wait_until_a_reset() {
    on_both(async |db| {
        let (scene, _) = Scene::invited(db).await;
        for _ in 0..5 {
            assert!(matches!(scene.sign_in("wrong password").await, Err(SignInError::Wrong)));
        }
        let waits = scene.sign_in(PASSWORD).await;
        assert!(matches!(waits, Err(SignInError::Wait(wait)) if wait == Wait(Duration::MINUTE)));
        scene.ask_for_reset(scene.account.email.as_str()).await;
        let token = scene.reset_token().await;
        scene.logins.reset_password(&token, "another good password", &origin("Firefox")).await.unwrap();
        done(scene.sign_in("another good password").await);
    });
}

#[test]
fn code_is_needed_is_taken_once_and_a_recovery_code_once() {
    on_both(async |db| {
        let (scene, new) = Scene::invited(db).await;
        let session = scene.session_record(&new).await.unwrap();
        let (secret, codes) = scene.turn_on(&session).await;
        let enter = async |code: &str| {
            let waiting = code_needed(scene.sign_in(PASSWORD).await);
            assert!(matches!(scene.session_record(&waiting).await, Err(SessionError::NotSignedIn)));
            let waiting = scene.sessions.awaiting_code(waiting.token.reveal()).await.unwrap();
            scene.logins.enter_code(&waiting, code, &origin("Firefox on Linux")).await
        };
        let used = scene.code(&secret);
        assert!(matches!(enter(&used).await, Err(SignInError::Wrong)), "it turned the second factor on");
        scene.clock.advance(Duration::seconds(30));
        let fresh = scene.code(&secret);
        assert!(scene.session_record(&enter(&fresh).await.unwrap()).await.is_ok());
        assert!(matches!(enter(&fresh).await, Err(SignInError::Wrong)));
        let typed = codes[0].to_uppercase().replace('-', " ");
        assert!(enter(&typed).await.is_ok());
        assert!(matches!(enter(&typed).await, Err(SignInError::Wrong)));
        assert_eq!(scene.logins.store.recovery_codes_left(scene.id()).await.unwrap(), 9);

        let renewed = scene.logins.renew_recovery_codes(&session, &origin("Firefox")).await.unwrap().unwrap();
        assert!(matches!(enter(&codes[1]).await, Err(SignInError::Wrong)));
        assert!(enter(&renewed[0].reveal()).await.is_ok());
        assert!(scene.logins.reset_second_factor(OPERATOR, scene.id()).await.unwrap());
        done(scene.sign_in(PASSWORD).await);
        let actions = scene.actions().await;
        for action in [
            "second_factor.turned_on", "recovery_code.used", "recovery_codes.replaced", "second_factor.reset",
        ] {
            assert!(actions.iter().any(|done| done == action), "{action} in {actions:?}");
        }
    });
}

#[test]
fn session_that_waits_for_a_code_is_completed_once_the_second_factor_was_reset() {
    on_both(async |db| {
        let (scene, new) = Scene::invited(db).await;
        scene.turn_on(&scene.session_record(&new).await.unwrap()).await;
        let waiting = code_needed(scene.sign_in(PASSWORD).await);
        let waiting = scene.sessions.awaiting_code(waiting.token.reveal()).await.unwrap();
        assert!(scene.logins.reset_second_factor(OPERATOR, scene.id()).await.unwrap());
        let enter = async || {
            let browser = origin("Firefox on Linux");
            scene.logins.enter_code(&waiting, "000000", &browser).await
        };
        assert!(scene.session_record(&enter().await.unwrap()).await.is_ok());
        assert!(matches!(enter().await, Err(SignInError::Wrong)), "once");
    });
}

#[test]
fn codes_are_throttled_and_a_right_password_forgets_nothing() {
    on_sqlite(async |db| {
        let (scene, new) = Scene::invited(db).await;
        scene.turn_on(&scene.session_record(&new).await.unwrap()).await;
        let waiting = code_needed(scene.sign_in(PASSWORD).await);
        let waiting = scene.sessions.awaiting_code(waiting.token.reveal()).await.unwrap();
        for _ in 0..5 {
            code_needed(scene.sign_in(PASSWORD).await);
            let wrong = scene.logins.enter_code(&waiting, "000000", &origin("Firefox")).await;
            assert!(matches!(wrong, Err(SignInError::Wrong)));
        }
        let waits = scene.logins.enter_code(&waiting, "000000", &origin("Firefox")).await;
        assert!(matches!(waits, Err(SignInError::Wait(_))));
    });
}

#[test]
fn confirming_makes_authentication_recent_again() {
    on_both(async |db| {
        let (scene, new) = Scene::invited(db).await;
        let (secret, codes) = scene.turn_on(&scene.session_record(&new).await.unwrap()).await;
        let is_recent = async || {
            let session_record = scene.session_record(&new).await.unwrap();
            session_record.session.is_recently_authenticated(scene.clock.now())
        };
        assert!(is_recent().await);
        scene.clock.advance(Duration::minutes(10));
        assert!(!is_recent().await);
        let session_record = scene.session_record(&new).await.unwrap();
        let confirm = async |password: &str, code: &str| {
            scene.logins.confirm(&session_record, password, code, &origin("Firefox")).await
        };
        for (password, code) in [("wrong password", ""), ("", "000000"), ("", "")] {
            assert!(matches!(confirm(password, code).await, Err(SignInError::Wrong)));
            assert!(!is_recent().await);
        }
        confirm(PASSWORD, "").await.unwrap();
        assert!(is_recent().await);
        scene.clock.advance(Duration::minutes(10));
        confirm("", &scene.code(&secret)).await.unwrap();
        assert!(is_recent().await);
        scene.mails().await;
        scene.clock.advance(Duration::minutes(10));
        confirm("", &codes[0]).await.unwrap();
        assert!(is_recent().await);
        assert!(matches!(confirm("", &codes[0]).await, Err(SignInError::Wrong)));
        let actions = scene.actions().await;
        let used = actions.iter().filter(|action| *action == "recovery_code.used");
        assert_eq!(used.count(), 1, "{actions:?}");
        let mails = scene.mails().await;
        let notices: Vec<_> = mails.iter().map(|(_, mail)| &mail["payload"]["notice"]).collect();
        assert_eq!(notices, ["recovery_code_used"]);
    });
}

#[test]
fn new_password_ends_every_session_but_the_one_that_it_begins() {
    on_both(async |db| {
        let (scene, one) = Scene::invited(db).await;
        let other = done(scene.sign_in(PASSWORD).await);
        let session = scene.session_record(&one).await.unwrap();
        let new = scene.logins.change_password(&session, "another good password", &origin("Firefox")).await;
        for ended in [&one, &other] {
            assert!(matches!(scene.session_record(ended).await, Err(SessionError::NotSignedIn)));
        }
        assert!(scene.session_record(&new.unwrap()).await.is_ok());
        assert!(matches!(scene.sign_in(PASSWORD).await, Err(SignInError::Wrong)));
    });
}

#[test]
fn owner_is_written_to_when_a_browser_is_new() {
    on_both(async |db| {
        let (scene, _) = Scene::invited(db).await;
        done(scene.sign_in(PASSWORD).await);
        assert!(scene.mails().await.is_empty(), "the browser of the invitation is known");
        let email = scene.account.email.as_str();
        for _ in 0..2 {
            done(scene.logins.sign_in(email, PASSWORD, &origin("Chrome on Windows")).await);
        }
        let mails = scene.mails().await;
        assert_eq!(mails.len(), 1, "once");
        let payload = &mails[0].1["payload"];
        assert_eq!(
            (&payload["notice"], &payload["browser"]),
            (&"new_browser".into(), &"Chrome on Windows".into())
        );
    });
}

#[test]
fn outdated_hash_is_replaced_at_the_next_sign_in() {
    on_both(async |db| {
        let (scene, _) = Scene::invited(db).await;
        let stored = async || scene.logins.store.login(scene.id()).await.unwrap().unwrap().login;
        let mut login = stored().await;
        login.password = Some(PasswordHash::from_stored(CHEAP.to_owned()));
        let mut tx = db.store.sessions.begin(scene.id()).await.unwrap();
        tx.logins().update(&login).await.unwrap();
        tx.commit().await.unwrap();
        assert!(matches!(scene.sign_in("wrong password").await, Err(SignInError::Wrong)));
        assert_eq!(stored().await.password.unwrap().as_str(), CHEAP);
        done(scene.sign_in(PASSWORD).await);
        assert!(!stored().await.password.unwrap().is_outdated());
        done(scene.sign_in(PASSWORD).await);
    });
}
