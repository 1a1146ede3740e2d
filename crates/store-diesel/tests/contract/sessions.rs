//! Sessions, logins and audit entries: found in their own account only, ended at once, links used once.

use access::{Password, SwitchedOffBy};
use futures_util::future::join_all;
use kernel::{AccountId, AccountToken, SystemRandom};
use partner_accounts::{Account, AccountChange, Invitation};
use serde_json::json;
use sessions::{
    Actor, Audit, AuditedChange, BrowserSeen, Origin, PasswordReset, RecoveryCode, SealedLogin,
    SealedTotpSecret, SecondFactor, Session,
};
use std::sync::Arc;
use store_diesel::Store;
use testkit::{CountingIds, FixedClock};
use time::Duration;

use crate::database::{TestDatabase, on_both};
use crate::fixtures::{NOW, OPERATOR, RANDOM, id, new_account, partner, stored};

async fn account(db: &TestDatabase) -> Account {
    let partner = partner(&db.store).await;
    let account = new_account(partner);
    stored(&db.store, partner, &account).await;
    account
}

pub(crate) async fn begin(store: &Store, account: AccountId) -> (Session, AccountToken) {
    let token = AccountToken::generate(account, &*RANDOM);
    let session = Session::begin(id(), &token, Origin::unknown(), false, NOW);
    let mut tx = store.sessions.begin(account).await.unwrap();
    tx.logins().insert_session(&session).await.unwrap();
    tx.commit().await.unwrap();
    (session, token)
}

#[test]
fn session_is_found_by_its_token_with_its_account_until_it_is_ended() {
    on_both(async |db| {
        let account = account(db).await;
        let (session, token) = begin(&db.store, account.id).await;
        let other = db.another_process().await;
        let session_record = other.sessions.session_record(&token).await.unwrap().unwrap();
        assert_eq!(session_record.session, session);
        assert_eq!((session_record.scope.id, session_record.switched_off_by), (account.id, None));
        assert_eq!(session_record.email, account.email);
        assert_eq!(session_record.company_name, account.profile.company_name.as_str());
        let made_up = AccountToken::generate(account.id, &*RANDOM);
        assert!(other.sessions.session_record(&made_up).await.unwrap().is_none());

        let off = AccountChange::OffByOperator(true);
        db.store.operator.change_account(OPERATOR, account.id, off, NOW).await.unwrap();
        let session_record = other.sessions.session_record(&token).await.unwrap().unwrap();
        assert_eq!(session_record.switched_off_by, Some(SwitchedOffBy::Operator));

        let later = NOW + Duration::minutes(3);
        other.sessions.record_use(account.id, session.id, later).await.unwrap();
        let seen = db.store.sessions.sessions(account.id).await.unwrap();
        assert_eq!((seen.len(), seen[0].last_seen_at), (1, later));
        db.store.sessions.end(&token).await.unwrap();
        assert!(other.sessions.session_record(&token).await.unwrap().is_none());
    });
}

#[test]
fn session_of_another_account_is_neither_found_nor_ended() {
    on_both(async |db| {
        let (one, two) = (account(db).await, account(db).await);
        let (session, token) = begin(&db.store, one.id).await;
        let mut tx = db.store.sessions.begin(two.id).await.unwrap();
        assert!(!tx.logins().end_session(session.id).await.unwrap());
        assert!(!tx.logins().set_authenticated(session.id, NOW).await.unwrap());
        assert_eq!(tx.logins().end_sessions(None).await.unwrap(), 0);
        tx.commit().await.unwrap();
        let mut tx = db.store.sessions.begin(two.id).await.unwrap();
        assert!(tx.logins().insert_session(&session).await.is_err());
        assert!(db.store.sessions.session_record(&token).await.unwrap().is_some());
        assert!(db.store.sessions.sessions(two.id).await.unwrap().is_empty());
    });
}

#[test]
fn sessions_of_a_login_end_together_but_one() {
    on_both(async |db| {
        let account = account(db).await;
        let (kept, _) = begin(&db.store, account.id).await;
        begin(&db.store, account.id).await;
        begin(&db.store, account.id).await;
        let mut tx = db.store.sessions.begin(account.id).await.unwrap();
        assert_eq!(tx.logins().end_sessions(Some(kept.id)).await.unwrap(), 2);
        assert!(tx.logins().set_authenticated(kept.id, NOW + Duration::HOUR).await.unwrap());
        tx.commit().await.unwrap();
        let left = db.store.sessions.sessions(account.id).await.unwrap();
        assert_eq!((left.len(), left[0].authenticated_at), (1, NOW + Duration::HOUR));
    });
}

#[test]
fn login_keeps_the_fifty_sessions_used_last_and_fifty_browsers() {
    on_both(async |db| {
        let account = account(db).await;
        let session = |awaits_code, now| {
            let token = AccountToken::generate(account.id, &*RANDOM);
            Session::begin(id(), &token, Origin::unknown(), awaits_code, now)
        };
        let (used_last, waiting) = (session(false, NOW + Duration::HOUR), session(true, NOW));
        let mut tx = db.store.sessions.begin(account.id).await.unwrap();
        tx.logins().insert_session(&used_last).await.unwrap();
        tx.logins().insert_session(&waiting).await.unwrap();
        let unused = session(false, NOW);
        tx.logins().insert_session(&unused).await.unwrap();
        for n in 2..50 {
            tx.logins().insert_session(&session(false, NOW)).await.unwrap();
            assert!(tx.logins().has_session(unused.id).await.unwrap(), "{n}");
        }
        tx.commit().await.unwrap();
        begin(&db.store, account.id).await;
        let kept = db.store.sessions.sessions(account.id).await.unwrap();
        let is_kept = [&used_last, &waiting, &unused].map(|session| kept.contains(session));
        assert_eq!((kept.len(), is_kept), (51, [true, true, false]));

        let mut tx = db.store.sessions.begin(account.id).await.unwrap();
        for n in 0..51 {
            let seen_at = NOW + Duration::seconds(n);
            tx.logins().record_browser(&format!("Browser {n}"), seen_at).await.unwrap();
        }
        for (name, seen) in [("Browser 1", BrowserSeen::Before), ("Browser 0", BrowserSeen::New)] {
            let found = tx.logins().record_browser(name, NOW + Duration::MINUTE).await.unwrap();
            assert_eq!(found, seen, "{name}");
        }
    });
}

#[test]
fn login_is_read_as_it_was_written() {
    on_both(async |db| {
        let account = account(db).await;
        let found = db.store.sessions.login_with_email(&account.email).await.unwrap().unwrap();
        assert_eq!((found.login.account, &found.login.password), (account.id, &None));
        let password = Password::choose("correct horse battery").unwrap();
        let mut login = found.login.clone();
        login.password = Some(password.hash(&SystemRandom::default()).unwrap());
        login.second_factor =
            Some(SecondFactor { secret: SealedTotpSecret(vec![1, 2]), since: NOW, last_step: 7 });
        login.proposed_secret = Some(SealedTotpSecret(vec![3]));
        let mut tx = db.store.sessions.begin(account.id).await.unwrap();
        assert_eq!(tx.logins().lock().await.unwrap(), Some(found));
        tx.logins().update(&login).await.unwrap();
        tx.commit().await.unwrap();
        let found = db.store.sessions.login(account.id).await.unwrap().unwrap();
        assert_eq!(found.login, login);

        let sealed = |key_prefix| {
            db.store.sealed_second_factors.sealed_under_other_keys(OPERATOR, key_prefix, None, 10)
        };
        let old = SealedLogin {
            account: account.id,
            secret: Some(SealedTotpSecret(vec![1, 2])),
            proposed: Some(SealedTotpSecret(vec![3])),
        };
        assert_eq!(sealed(&[1]).await.unwrap(), std::slice::from_ref(&old), "of the proposed secret");
        let new = SealedLogin { secret: Some(SealedTotpSecret(vec![9, 2])), proposed: None, ..old.clone() };
        let store = &db.store.sealed_second_factors;
        assert!(store.replace(OPERATOR, &old, &new).await.unwrap());
        assert!(!store.replace(OPERATOR, &old, &new).await.unwrap());
        assert!(sealed(&[9]).await.unwrap().is_empty());
    });
}

#[test]
fn invitation_is_used_once_and_ends_the_others() {
    on_both(async |db| {
        let account = account(db).await;
        let invite = || {
            let token = AccountToken::generate(account.id, &SystemRandom::default());
            (Invitation::new(id(), &token, NOW), token)
        };
        let ((one, token), (other, other_token)) = (invite(), invite());
        let mut tx = db.store.sessions.begin(account.id).await.unwrap();
        assert_eq!(tx.logins().last_invited_at().await.unwrap(), None);
        tx.logins().insert_invitation(&one).await.unwrap();
        tx.logins().insert_invitation(&other).await.unwrap();
        assert_eq!(tx.logins().last_invited_at().await.unwrap(), Some(NOW));
        tx.commit().await.unwrap();
        let found = db.store.sessions.invitation(&token).await.unwrap();
        assert_eq!(found.as_ref(), Some(&one));
        let made_up = AccountToken::generate(account.id, &SystemRandom::default());
        assert_eq!(db.store.sessions.invitation(&made_up).await.unwrap(), None);

        let stores = [db.another_process().await, db.another_process().await];
        let later = NOW + Duration::HOUR;
        let using = (0..8).map(async |n| {
            let mut tx = stores[n % 2].sessions.begin(account.id).await.unwrap();
            let used = tx.logins().use_invitation(&one, later).await.unwrap();
            if used {
                tx.logins().end_links(later).await.unwrap();
            }
            tx.commit().await.unwrap();
            used
        });
        let used = join_all(using).await;
        assert_eq!(used.iter().filter(|one| **one).count(), 1);
        for token in [token, other_token] {
            let found = db.store.sessions.invitation(&token).await.unwrap();
            assert_eq!(found.unwrap().used_at, Some(later));
        }
    });
}

#[test]
fn password_reset_is_used_once_and_found_in_its_account_alone() {
    on_both(async |db| {
        let (account, other) = (account(db).await, account(db).await);
        let token = AccountToken::generate(account.id, &*RANDOM);
        let reset = PasswordReset::new(id(), &token, NOW);
        let mut tx = db.store.sessions.begin(account.id).await.unwrap();
        tx.logins().insert_reset(&reset).await.unwrap();
        assert_eq!(tx.logins().resets_since(NOW).await.unwrap(), 1);
        assert_eq!(tx.logins().resets_since(NOW + Duration::SECOND).await.unwrap(), 0);
        tx.commit().await.unwrap();
        assert_eq!(db.store.sessions.password_reset(&token).await.unwrap(), Some(reset.clone()));
        let mut tx = db.store.sessions.begin(other.id).await.unwrap();
        assert!(!tx.logins().use_reset(&reset, NOW).await.unwrap());
        tx.commit().await.unwrap();
        for is_first in [true, false] {
            let mut tx = db.store.sessions.begin(account.id).await.unwrap();
            assert_eq!(tx.logins().use_reset(&reset, NOW).await.unwrap(), is_first);
            tx.commit().await.unwrap();
        }
        let (kept, ended) =
            (AccountToken::generate(other.id, &*RANDOM), AccountToken::generate(account.id, &*RANDOM));
        for (account, token) in [(&other, &kept), (&account, &ended)] {
            let mut tx = db.store.sessions.begin(account.id).await.unwrap();
            let reset = PasswordReset::new(id(), token, NOW);
            tx.logins().insert_reset(&reset).await.unwrap();
            tx.commit().await.unwrap();
        }
        let mut tx = db.store.sessions.begin(account.id).await.unwrap();
        tx.logins().end_links(NOW).await.unwrap();
        tx.commit().await.unwrap();
        let used_at = async |token: &AccountToken| {
            db.store.sessions.password_reset(token).await.unwrap().unwrap().used_at
        };
        assert_eq!(used_at(&ended).await, Some(NOW));
        assert_eq!(used_at(&kept).await, None, "that of another account");
    });
}

#[test]
fn recovery_code_is_taken_once() {
    on_both(async |db| {
        let account = account(db).await;
        let codes = RecoveryCode::generate_all(&SystemRandom::default());
        let hashes: Vec<_> = codes.iter().map(|code| code.hash(account.id)).collect();
        let mut tx = db.store.sessions.begin(account.id).await.unwrap();
        tx.logins().replace_recovery_codes(&hashes[5..]).await.unwrap();
        tx.logins().replace_recovery_codes(&hashes[..2]).await.unwrap();
        assert!(!tx.logins().take_recovery_code(&hashes[7]).await.unwrap());
        assert!(tx.logins().take_recovery_code(&hashes[0]).await.unwrap());
        assert!(!tx.logins().take_recovery_code(&hashes[0]).await.unwrap());
        tx.commit().await.unwrap();
        assert_eq!(db.store.sessions.recovery_codes_left(account.id).await.unwrap(), 1);
    });
}

#[test]
fn browser_is_new_until_its_second_use() {
    on_both(async |db| {
        let account = account(db).await;
        let mut tx = db.store.sessions.begin(account.id).await.unwrap();
        for (name, seen) in [
            ("Firefox on Linux", BrowserSeen::First),
            ("Firefox on Linux", BrowserSeen::Before),
            ("Chrome on Linux", BrowserSeen::New),
            ("Chrome on Linux", BrowserSeen::Before),
        ] {
            assert_eq!(tx.logins().record_browser(name, NOW).await.unwrap(), seen, "{name}");
        }
    });
}

#[test]
fn audit_entries_are_listed_newest_first_and_stay_in_their_account() {
    on_both(async |db| {
        let (account, other) = (account(db).await, account(db).await);
        let audit = Audit {
            log: db.store.audit.clone(),
            clock: Arc::new(FixedClock::default()),
            ids: Arc::new(CountingIds::default()),
        };
        let owner = Actor::Owner(account.email.clone());
        let changed = AuditedChange::of("bank_details.changed").from(json!({"iban": "…1"})).to("set");
        let address = Some("192.0.2.1".parse().unwrap());
        audit.record(account.id, &owner, address, changed).await.unwrap();
        audit.record(account.id, &Actor::Operator, None, AuditedChange::of("a.b")).await.unwrap();
        let list = |account, before, limit| db.store.audit.list(account, before, limit);
        let entries = list(account.id, None, 10).await.unwrap();
        let shown: Vec<_> = entries.iter().map(|entry| (&*entry.actor, &*entry.action)).collect();
        assert_eq!(shown, [("operator", "a.b"), (account.email.as_str(), "bank_details.changed")]);
        assert_eq!(entries[1].before, Some(json!({"iban": "…1"})));
        assert_eq!((&entries[1].after, entries[1].at), (&Some(json!("set")), NOW));
        assert_eq!(entries[1].address.as_deref(), Some("192.0.2.1"));
        assert_eq!(list(account.id, None, 1).await.unwrap().len(), 1);
        assert_eq!(list(account.id, Some(entries[0].id), 10).await.unwrap(), entries[1..]);
        assert!(list(other.id, None, 10).await.unwrap().is_empty());
    });
}

#[test]
fn what_has_ended_is_removed_in_batches() {
    on_both(async |db| {
        let account = account(db).await;
        let (_, token) = begin(&db.store, account.id).await;
        for _ in 0..2 {
            begin(&db.store, account.id).await;
        }
        let reset_token = AccountToken::generate(account.id, &*RANDOM);
        let mut tx = db.store.sessions.begin(account.id).await.unwrap();
        let reset = PasswordReset::new(id(), &reset_token, NOW);
        tx.logins().insert_reset(&reset).await.unwrap();
        tx.commit().await.unwrap();
        let store = &db.store.sessions;
        assert_eq!(store.prune(NOW, NOW, 2).await.unwrap(), 0);
        let later = NOW + Duration::SECOND;
        assert_eq!(store.prune(later, NOW, 2).await.unwrap(), 2);
        assert_eq!(store.prune(NOW, later, 2).await.unwrap(), 1);
        assert!(store.session_record(&token).await.unwrap().is_none());
        assert_eq!(store.prune(NOW + Duration::hours(2), NOW, 2).await.unwrap(), 1);
        assert!(store.password_reset(&reset_token).await.unwrap().is_none());
    });
}
