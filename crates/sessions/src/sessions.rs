//! Looks up the session of a request by the token of its cookie.

use std::sync::Arc;

use access::SwitchedOffBy;
use kernel::{AccountToken, Clock, StoreError, StoreResult, error_chain};

use crate::ports::SessionsStore;
use crate::session::{Session, SessionRecord};

/// Finds and ends sessions.
#[derive(Clone)]
pub struct Sessions {
    pub store: Arc<dyn SessionsStore>,
    pub clock: Arc<dyn Clock>,
}

/// Why a token is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// There is no such session, or it has ended, or it still waits for a code.
    #[error("sign in first")]
    NotSignedIn,
    #[error("the account was switched off by {0}")]
    AccountDisabled(SwitchedOffBy),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Sessions {
    /// The session of a token, with its account. Records the use of the session, at most once a minute. While
    /// that cannot be stored, for instance because the disk is full, pages can still be read; the session may
    /// then count as unused too early.
    pub async fn authenticate(&self, presented: &str) -> Result<SessionRecord, SessionError> {
        let session_record = self.find(presented, false).await?;
        if let Some(by) = session_record.switched_off_by {
            return Err(SessionError::AccountDisabled(by));
        }
        let (session, now) = (&session_record.session, self.clock.now());
        if session.needs_use_update(now)
            && let Err(error) = self.store.record_use(session.account, session.id, now).await
        {
            let (account, error) = (session.account, error_chain(&error));
            tracing::warn!(%account, error, "the use of a session was not stored");
        }
        Ok(session_record)
    }

    /// The session of a token, if it waits for the code of the second factor.
    pub async fn awaiting_code(&self, presented: &str) -> Result<SessionRecord, SessionError> {
        self.find(presented, true).await
    }

    /// Ends the session of a token, if there is one.
    pub async fn end(&self, presented: &str) -> StoreResult<()> {
        match AccountToken::parse(presented) {
            Some(token) => self.store.end(&token).await,
            None => Ok(()),
        }
    }

    async fn find(&self, presented: &str, awaits_code: bool) -> Result<SessionRecord, SessionError> {
        let token = AccountToken::parse(presented).ok_or(SessionError::NotSignedIn)?;
        let found = self.store.session_record(&token).await?;
        let now = self.clock.now();
        let is_open = |session: &Session| session.is_live(now) && session.awaits_code == awaits_code;
        found.filter(|found| is_open(&found.session)).ok_or(SessionError::NotSignedIn)
    }
}

#[cfg(test)]
mod tests {
    use kernel::{AccountScope, Currency, EmailAddress, Id, SystemRandom, TimeZone};
    use testkit::FixedClock;
    use uuid::Uuid;

    use super::*;
    use crate::origin::Origin;
    use crate::ports::MockSessionsStore;

    #[tokio::test]
    async fn session_is_found_although_its_use_cannot_be_stored() {
        let account = Id::from_uuid(Uuid::from_u128(1));
        let token = AccountToken::generate(account, &SystemRandom::default());
        let id = Id::from_uuid(Uuid::from_u128(2));
        let found = SessionRecord {
            session: Session::begin(id, &token, Origin::unknown(), false, FixedClock::START),
            scope: AccountScope {
                id: account,
                time_zone: TimeZone::utc(),
                currency: Currency::parse("EUR").unwrap(),
                invoice_prefix: None,
                communications_enabled: true,
                monthly_invoice_limit: None,
            },
            switched_off_by: None,
            email: EmailAddress::parse("owner@example.com").unwrap(),
            company_name: "Example Company".to_owned(),
        };
        let mut store = MockSessionsStore::new();
        let stored = found.clone();
        store.expect_session_record().return_once(move |_| Ok(Some(stored)));
        let full = || StoreError::Failed("database or disk is full".into());
        store.expect_record_use().once().returning(move |_, _, _| Err(full()));
        let clock = FixedClock::at(FixedClock::START + Session::SEEN_EVERY);
        let sessions = Sessions { store: Arc::new(store), clock: Arc::new(clock) };
        assert_eq!(sessions.authenticate(token.reveal()).await.unwrap(), found);
    }
}
