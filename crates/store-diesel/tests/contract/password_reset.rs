//! Resetting a password: the stored request, and its link.

use kernel::{Clock as _, EmailAddress};
use partner_accounts::InvitationRefused;
use sessions::{
    AcceptInvitationError, ChangePasswordError, InternalFailure, ResetPasswordError, ResetRefused,
    SessionError, SignInError, TurnOnError,
};
use time::Duration;

use crate::database::on_both;
use crate::fixtures::sign_in::{PASSWORD, Scene, code_needed, done, origin};

#[test]
fn request_for_a_reset_survives_a_crash_and_is_stored_for_unknown_addresses_too() {
    on_both(async |db| {
        let (scene, _) = Scene::invited(db).await;
        let stored = async || db.store.sessions.reset_requests(scene.clock.now(), 10).await.unwrap();
        for email in [scene.account.email.as_str(), "nobody@example.com"] {
            scene.logins.request_reset(EmailAddress::parse(email).unwrap()).await.unwrap();
        }
        // Requests that were just stored are left to the process that stored them.
        scene.clock.advance(Duration::seconds(30));
        assert_eq!(scene.logins.carry_out_left_over_requests().await.unwrap(), 0);
        assert_eq!(stored().await.len(), 2);
        scene.clock.advance(Duration::MINUTE);
        assert_eq!(scene.logins.carry_out_left_over_requests().await.unwrap(), 2);
        assert_eq!(stored().await, []);
        let mails = scene.mails().await;
        let resets = mails.iter().filter(|(_, mail)| mail["template"] == "password_reset").count();
        assert_eq!(resets, 1);
        // The service was down for longer than a link lasts.
        scene.logins.request_reset(scene.account.email.clone()).await.unwrap();
        scene.clock.advance(Duration::HOUR);
        assert_eq!(scene.logins.carry_out_left_over_requests().await.unwrap(), 0);
        assert_eq!(stored().await, []);
        assert!(scene.mails().await.is_empty());
    });
}

#[test]
fn reset_works_once_within_an_hour_ends_sessions_and_keeps_the_second_factor() {
    on_both(async |db| {
        let (scene, new) = Scene::invited(db).await;
        let (secret, _) = scene.turn_on(&scene.session_record(&new).await.unwrap()).await;
        let email = scene.account.email.as_str().to_uppercase();
        scene.ask_for_reset(&email).await;
        scene.ask_for_reset("nobody@example.com").await;
        let late = scene.reset_token().await;
        scene.clock.advance(Duration::HOUR);
        let expired = scene.logins.reset_password(&late, PASSWORD, &origin("Firefox")).await;
        assert!(matches!(expired, Err(ResetPasswordError::Refused(ResetRefused::Expired))));

        scene.ask_for_reset(&email).await;
        let token = scene.reset_token().await;
        let reset = async |password| scene.logins.reset_password(&token, password, &origin("Firefox")).await;
        assert!(matches!(reset("short").await, Err(ResetPasswordError::Password(_))));
        reset("another good password").await.unwrap();
        let again = reset("yet another password").await;
        assert!(matches!(again, Err(ResetPasswordError::Refused(ResetRefused::Used))));
        assert!(matches!(scene.logins.find_reset("x").await, Err(ResetPasswordError::Unknown)));
        assert!(matches!(scene.session_record(&new).await, Err(SessionError::NotSignedIn)));
        assert!(matches!(scene.sign_in(PASSWORD).await, Err(SignInError::Wrong)));
        let waiting = code_needed(scene.sign_in("another good password").await);
        let waiting = scene.sessions.awaiting_code(waiting.token.reveal()).await.unwrap();
        let entered = scene.logins.enter_code(&waiting, &scene.code(&secret), &origin("Firefox")).await;
        assert!(scene.session_record(&entered.unwrap()).await.is_ok());
    });
}

#[test]
fn password_replaced_with_an_invitation_is_mailed_to_the_owner_and_ends_the_throttle() {
    on_both(async |db| {
        let (scene, _) = Scene::invited(db).await;
        assert!(scene.mails().await.is_empty(), "a first password replaces none");
        for _ in 0..5 {
            assert!(matches!(scene.sign_in("wrong password").await, Err(SignInError::Wrong)));
        }
        let (token, browser) = (scene.invite().await, origin("Firefox on Linux"));
        scene.logins.accept_invitation(token.reveal(), "another good password", &browser).await.unwrap();
        let mails = scene.mails().await;
        let notices: Vec<_> = mails.iter().map(|(_, mail)| &mail["payload"]["notice"]).collect();
        assert_eq!(notices, ["password_changed"]);
        done(scene.sign_in("another good password").await);
    });
}

#[test]
fn what_an_ended_session_began_before_is_refused() {
    on_both(async |db| {
        let (scene, new) = Scene::invited(db).await;
        // Read as a request begins; meanwhile the owner resets the password.
        let ended = scene.session_record(&new).await.unwrap();
        scene.ask_for_reset(scene.account.email.as_str()).await;
        let token = scene.reset_token().await;
        let browser = origin("Firefox");
        scene.logins.reset_password(&token, "another good password", &browser).await.unwrap();
        let before = scene.actions().await;

        let logins = &scene.logins;
        let changed = logins.change_password(&ended, "of an intruder", &browser).await;
        assert!(matches!(changed, Err(ChangePasswordError::Failure(InternalFailure::SessionEnded))));
        let on = logins.turn_on_second_factor(&ended, "000000", &browser).await;
        assert!(matches!(on, Err(TurnOnError::Failure(InternalFailure::SessionEnded))));
        let refused = [
            logins.propose_second_factor(&ended).await.map(drop),
            logins.turn_off_second_factor(&ended, &browser).await.map(drop),
            logins.renew_recovery_codes(&ended, &browser).await.map(drop),
            logins.end_session(&ended, ended.session.id, &browser).await.map(drop),
            logins.end_other_sessions(&ended, &browser).await.map(drop),
        ];
        for result in refused {
            assert!(matches!(result, Err(InternalFailure::SessionEnded)), "{result:?}");
        }
        assert_eq!(scene.actions().await, before);
        assert!(scene.sign_in("another good password").await.is_ok());
    });
}

#[test]
fn of_two_links_that_are_used_at_once_one_works() {
    on_both(async |db| {
        let (scene, _) = Scene::invited(db).await;
        for round in 0..10 {
            scene.clock.advance(Duration::DAY);
            let invitation = scene.invite().await;
            scene.ask_for_reset(scene.account.email.as_str()).await;
            let reset = scene.reset_token().await;
            let browser = origin("Firefox");
            let (invited, reset) = futures_util::join!(
                scene.logins.accept_invitation(invitation.reveal(), "by the invitation", &browser),
                scene.logins.reset_password(&reset, "by the reset", &browser),
            );
            match (&invited, &reset) {
                (Ok(_), Err(ResetPasswordError::Refused(ResetRefused::Used)))
                | (Err(AcceptInvitationError::Refused(InvitationRefused::Used)), Ok(())) => {}
                _ => panic!("round {round}: {invited:?}, {reset:?}"),
            }
        }
    });
}
