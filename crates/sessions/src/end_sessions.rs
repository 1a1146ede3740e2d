//! The owner's use cases that list and end the sessions of a login.

use kernel::{AccountId, StoreResult};
use serde_json::json;

use crate::audit::{Actor, AuditedChange};
use crate::logins::{InternalFailure, Logins};
use crate::origin::Origin;
use crate::session::{Session, SessionId, SessionRecord};

impl Logins {
    /// The sessions that have not ended, most recently used first.
    pub async fn live_sessions(&self, account: AccountId) -> StoreResult<Vec<Session>> {
        let now = self.clock.now();
        let mut sessions = self.store.sessions(account).await?;
        sessions.retain(|session| session.is_live(now) && !session.awaits_code);
        Ok(sessions)
    }

    /// Ends one session of the login. `false` when it has already ended.
    pub async fn end_session(
        &self,
        by: &SessionRecord,
        session: SessionId,
        origin: &Origin,
    ) -> Result<bool, InternalFailure> {
        let (account, now) = (by.session.account, self.clock.now());
        let mut tx = self.store.begin(account).await?;
        self.lock_signed_in(&mut *tx, by).await?;
        if !tx.logins().end_session(session).await? {
            return Ok(false);
        }
        let actor = Actor::Owner(by.email.clone());
        let ended = AuditedChange::of("session.ended").from(json!({"session_id": session.to_string()}));
        self.audit(&mut *tx, account, (&actor, Some(origin)), ended, now).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Ends every other session of the login. Returns how many.
    pub async fn end_other_sessions(
        &self,
        by: &SessionRecord,
        origin: &Origin,
    ) -> Result<u64, InternalFailure> {
        let (account, now) = (by.session.account, self.clock.now());
        let mut tx = self.store.begin(account).await?;
        self.lock_signed_in(&mut *tx, by).await?;
        let count = tx.logins().end_sessions(Some(by.session.id)).await?;
        let actor = Actor::Owner(by.email.clone());
        let ended = AuditedChange::of("sessions.ended").from(json!({"sessions": count}));
        self.audit(&mut *tx, account, (&actor, Some(origin)), ended, now).await?;
        tx.commit().await?;
        Ok(count)
    }
}
