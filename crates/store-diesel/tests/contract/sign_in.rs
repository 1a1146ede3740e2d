//! The use cases of logins over a store: what a password, a code and a link permit, and for how long.

use std::sync::Arc;

use access::{Password, PasswordError, PasswordHash, Passwords, SwitchedOffBy};
use kernel::{AccountId, Clock as _, EmailAddress, SealingKeys, SystemIds, SystemRandom};
use outbox::Due;
use partner_accounts::{Account, AccountChange, InvitationRefused, InvitationToken};
use sessions::{
    AcceptInvitationError, FailuresInMemory, Logins, NewSession, Origin, PasswordRefused, ResetPasswordError,
    ResetRefused, SessionError, SessionRecord, Sessions, SignInError, SignedIn, Throttle, TotpSecret,
    TurnOnError, Wait,
};
use store_diesel::Store;
use testkit::FixedClock;
use time::Duration;

use crate::database::{TestDatabase, on_both, on_sqlite};
use crate::fixtures::{NOW, OPERATOR, new_account, partner, stored};

/// Tests do not delay attempts.
struct NoPauses;

#[async_trait::async_trait]
impl sessions::Pauses for NoPauses {
    async fn pause(&self, _length: std::time::Duration) {}
}

/// Hashes on the calling thread.
struct OnTheSpot;

#[async_trait::async_trait]
impl Passwords for OnTheSpot {
    async fn hash(&self, password: Password) -> Result<PasswordHash, PasswordError> {
        password.hash(&SystemRandom::default())
    }

    async fn matches(&self, password: Password, hash: PasswordHash) -> Result<bool, PasswordError> {
        hash.is_of(&password)
    }
}

pub(crate) const PASSWORD: &str = "correct horse battery";

/// The hash of [`PASSWORD`] with a salt of zeros and cheaper parameters: 1 MiB, one pass.
const CHEAP: &str =
    "$argon2id$v=19$m=1024,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$Si+qS5vWfkPuhQF3bHDrVOuTP78C6eI1JZzMWtrCKLM";

/// The use cases of logins over a store.
pub(crate) fn logins(store: &Store, clock: FixedClock) -> Logins {
    Logins {
        store: store.sessions.clone(),
        passwords: Arc::new(OnTheSpot),
        throttle: Throttle::new(Arc::new(FailuresInMemory::default()), Arc::new(NoPauses)),
        clock: Arc::new(clock),
        ids: Arc::new(SystemIds::default()),
        random: Arc::new(SystemRandom::default()),
        keys: Arc::new(SealingKeys::new(&[7; 32], None)),
    }
}

struct Scene<'a> {
    db: &'a TestDatabase,
    clock: FixedClock,
    logins: Logins,
    sessions: Sessions,
    account: Account,
}

impl<'a> Scene<'a> {
    /// Requests a password reset and handles the request.
    async fn ask_for_reset(&self, email: &str) {
        let request = self.logins.request_reset(EmailAddress::parse(email).unwrap()).await.unwrap();
        self.logins.answer_request(&request).await.unwrap();
    }

    async fn new(db: &'a TestDatabase) -> Self {
        let partner = partner(&db.store).await;
        let account = new_account(partner);
        stored(&db.store, partner, &account).await;
        let clock = FixedClock::default();
        let logins = logins(&db.store, clock.clone());
        let sessions = Sessions { store: db.store.sessions.clone(), clock: Arc::new(clock.clone()) };
        Self { db, clock, logins, sessions, account }
    }

    /// A scene whose owner accepted the invitation and has a password.
    async fn invited(db: &'a TestDatabase) -> (Self, NewSession) {
        let scene = Self::new(db).await;
        let token = scene.invite().await;
        let accepted = scene.logins.accept_invitation(&token, PASSWORD, &origin("Firefox on Linux")).await;
        let SignedIn::Done(new) = accepted.unwrap() else { panic!("no second factor is on") };
        (scene, new)
    }

    fn id(&self) -> AccountId {
        self.account.id
    }

    async fn invite(&self) -> InvitationToken {
        self.logins.invite(OPERATOR, self.id()).await.unwrap().1
    }

    async fn sign_in(&self, password: &str) -> Result<SignedIn, SignInError> {
        let email = self.account.email.as_str();
        self.logins.sign_in(email, password, &origin("Firefox on Linux")).await
    }

    async fn session_record(&self, new: &NewSession) -> Result<SessionRecord, SessionError> {
        self.sessions.authenticate(new.token.reveal()).await
    }

    /// Leases the mails queued since the previous call.
    async fn mails(&self) -> Vec<(mail::MailId, serde_json::Value)> {
        let now = self.clock.now();
        let due = Due { kind: "mail", now, lease_for: Duration::DAY * 30, limit: 100, held_at_most: None };
        let leased = self.db.store.jobs.lease_due(due).await.unwrap();
        leased.iter().map(|job| (job.lease.id, serde_json::from_str(&job.payload).unwrap())).collect()
    }

    async fn actions(&self) -> Vec<String> {
        let entries = self.db.store.audit.list(self.id(), None, 100).await.unwrap();
        entries.into_iter().map(|entry| entry.action).collect()
    }

    /// Turns the second factor on. Returns its secret and the recovery codes.
    async fn turn_on(&self, session: &SessionRecord) -> (TotpSecret, Vec<String>) {
        let secret = self.logins.propose_second_factor(session).await.unwrap().unwrap();
        let origin = origin("Firefox on Linux");
        let wrong = self.logins.turn_on_second_factor(session, "000000", &origin).await;
        assert!(matches!(wrong, Err(TurnOnError::Wrong)));
        let codes = self.logins.turn_on_second_factor(session, &self.code(&secret), &origin).await.unwrap();
        (secret, codes.iter().map(|code| code.reveal()).collect())
    }

    fn code(&self, secret: &TotpSecret) -> String {
        secret.code(self.clock.now().unix_timestamp() / 30)
    }
}

pub(crate) fn origin(browser: &str) -> Origin {
    Origin { address: "192.0.2.1".parse().unwrap(), browser: browser.to_owned() }
}

fn done(signed_in: Result<SignedIn, SignInError>) -> NewSession {
    match signed_in.unwrap() {
        SignedIn::Done(new) => new,
        SignedIn::CodeNeeded(_) => panic!("no second factor is on"),
    }
}

fn code_needed(signed_in: Result<SignedIn, SignInError>) -> NewSession {
    match signed_in.unwrap() {
        SignedIn::CodeNeeded(new) => new,
        SignedIn::Done(_) => panic!("the second factor is on"),
    }
}

#[test]
fn invitation_sets_a_password_once_and_signs_in() {
    on_both(async |db| {
        let scene = Scene::new(db).await;
        let token = scene.invite().await;
        let accept =
            async |password| scene.logins.accept_invitation(&token, password, &origin("Firefox")).await;
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
        let unknown = scene.logins.invited(&InvitationToken::presented("x")).await;
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
        let expired = scene.logins.accept_invitation(&token, PASSWORD, &origin("Firefox")).await;
        assert!(matches!(expired, Err(AcceptInvitationError::Refused(InvitationRefused::Expired))));
        scene.logins.renew_invitation(&token).await.unwrap();
        scene.logins.renew_invitation(&token).await.unwrap();
        assert_eq!(scene.mails().await.len(), 1);
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
        let token = reset_token(&scene).await;
        scene.logins.reset_password(&token, "another good password", &origin("Firefox")).await.unwrap();
        done(scene.sign_in("another good password").await);
    });
}

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
        assert_eq!(scene.logins.answer_left_over_requests().await.unwrap(), 0);
        assert_eq!(stored().await.len(), 2);
        scene.clock.advance(Duration::MINUTE);
        assert_eq!(scene.logins.answer_left_over_requests().await.unwrap(), 2);
        assert_eq!(stored().await, []);
        let mails = scene.mails().await;
        let resets = mails.iter().filter(|(_, mail)| mail["template"] == "password_reset").count();
        assert_eq!(resets, 1);
    });
}

/// The token of the latest mailed reset.
async fn reset_token(scene: &Scene<'_>) -> String {
    let mails = scene.mails().await;
    let (id, mail) = mails.iter().rfind(|(_, mail)| mail["template"] == "password_reset").unwrap();
    let sealed = mail["payload"]["sealed_token"].as_str().unwrap();
    let token = mail::SealedSecret::open_base64(&scene.logins.keys, *id, sealed).unwrap();
    token.to_string()
}

#[test]
fn reset_works_once_within_an_hour_ends_sessions_and_keeps_the_second_factor() {
    on_both(async |db| {
        let (scene, new) = Scene::invited(db).await;
        let (secret, _) = scene.turn_on(&scene.session_record(&new).await.unwrap()).await;
        let email = scene.account.email.as_str().to_uppercase();
        scene.ask_for_reset(&email).await;
        scene.ask_for_reset("nobody@example.com").await;
        let late = reset_token(&scene).await;
        scene.clock.advance(Duration::HOUR);
        let expired = scene.logins.reset_password(&late, PASSWORD, &origin("Firefox")).await;
        assert!(matches!(expired, Err(ResetPasswordError::Refused(ResetRefused::Expired))));

        scene.ask_for_reset(&email).await;
        let token = reset_token(&scene).await;
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
            "second_factor.turned_on",
            "recovery_code.used",
            "recovery_codes.replaced",
            "second_factor.reset",
        ] {
            assert!(actions.iter().any(|done| done == action), "{action} in {actions:?}");
        }
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
        let (secret, _) = scene.turn_on(&scene.session_record(&new).await.unwrap()).await;
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
