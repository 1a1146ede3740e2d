//! Signing in, and the records of a login.

use sessions::SignedIn;
use testkit::FixedClock;

use super::{Operations, Rows};
use crate::fixtures::sign_in::{PASSWORD, logins, origin};
use crate::fixtures::{NOW, OPERATOR, audit_entry};
use crate::routing::logs::Sent;

impl<F: Fn(&str, Rows, &Sent)> Operations<'_, F> {
    pub(super) async fn logins(&mut self) {
        let (store, account) = (&self.requests.store, self.prepared.scope.id);
        let logins = logins(store, FixedClock::default());
        let (read, changed) = (Rows::EverywhereRead, Rows::EverywhereChanged);
        let browser = origin("Firefox on Linux");
        let invite = logins.invite(OPERATOR, account);
        let (_, token) = self.during("inviting an owner", changed, invite).await.unwrap();
        self.during("the page of an invitation", read, logins.invited(token.reveal())).await.unwrap();
        let accept = logins.accept_invitation(token.reveal(), PASSWORD, &browser);
        self.during("accepting an invitation", changed, accept).await.unwrap();
        let email = self.prepared.email.as_str();
        let sign_in = logins.sign_in(email, PASSWORD, &browser);
        let signed_in = self.during("signing in", Rows::OfAccountAndLock, sign_in).await.unwrap();
        let SignedIn::Done(session) = signed_in else { panic!("no second factor is on") };
        let session_record = store.sessions.session_record(&session.token).await.unwrap().unwrap();
        self.during("the login of an owner", read, store.sessions.login(account)).await.unwrap().unwrap();
        let (other, _) = crate::sessions::begin(store, account).await;
        let end = logins.end_session(&session_record, other.id, &browser);
        self.during("ending a session", Rows::OfAccountAndLock, end).await.unwrap();
        let end = logins.end_other_sessions(&session_record, &browser);
        self.during("ending other sessions", Rows::OfAccountAndLock, end).await.unwrap();
        let propose = logins.propose_second_factor(&session_record);
        self.during("proposing a second factor", changed, propose).await.unwrap();
        let change = logins.change_password(&session_record, "another horse battery", &browser);
        self.during("changing a password", changed, change).await.unwrap();
        let request = logins.request_reset(self.prepared.email.clone());
        self.during("asking for a new password", changed, request).await.unwrap();
    }

    pub(super) async fn sessions(&mut self) {
        let (store, account, rows) = (&self.requests.store, self.prepared.scope.id, Rows::OfAccount);
        let (session, token) = crate::sessions::begin(store, account).await;
        let sessions = &store.sessions;
        self.during("recording the use of a session", rows, sessions.record_use(account, session.id, NOW))
            .await
            .unwrap();
        self.during("the sessions of a login", rows, sessions.sessions(account)).await.unwrap();
        self.during("recovery codes", rows, sessions.recovery_codes_left(account)).await.unwrap();
        self.during("the page of a new password", rows, sessions.password_reset(&token)).await.unwrap();
        self.during("signing out", rows, sessions.end(&token)).await.unwrap();
        let entry = audit_entry(account, "login.signed_in");
        self.during("an audit entry", rows, store.audit.record(&entry)).await.unwrap();
        self.during("the list of audit entries", rows, store.audit.list(account, None, 25)).await.unwrap();
    }
}
