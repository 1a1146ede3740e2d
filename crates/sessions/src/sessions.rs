//! Looks up the session of a request by the token of its cookie.

use std::sync::Arc;

use access::SwitchedOffBy;
use kernel::{AccountToken, Clock, StoreError, StoreResult};

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
    /// The session of a token, with its account. Records the use of the session, at most once a minute.
    pub async fn authenticate(&self, presented: &str) -> Result<SessionRecord, SessionError> {
        let session_record = self.find(presented, false).await?;
        if let Some(by) = session_record.switched_off_by {
            return Err(SessionError::AccountDisabled(by));
        }
        let (session, now) = (&session_record.session, self.clock.now());
        if session.needs_use_update(now) {
            self.store.note_use(session.account, session.id, now).await?;
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
