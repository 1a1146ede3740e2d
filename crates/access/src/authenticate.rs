//! Authenticates presented API keys.

use std::sync::Arc;

use kernel::StoreError;

use crate::caller::{AccountCaller, PartnerCaller, SwitchedOffBy};
use crate::key::{ApiKey, KeySpace};
use crate::ports::Credentials;

/// Authenticates API keys and returns their callers.
#[derive(Clone)]
pub struct Authenticator {
    credentials: Arc<dyn Credentials>,
}

/// Why a request is refused (contract, "Authentication", 7).
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// No key was presented, or not as a bearer token.
    #[error("send your API key as `Authorization: Bearer <key>`")]
    Unauthenticated,
    /// The key is unknown, revoked, misspelled, or of the other key space.
    #[error("the API key is not valid here")]
    InvalidKey,
    /// The key is valid, but its account is switched off.
    #[error("the account was switched off by {0}")]
    AccountDisabled(SwitchedOffBy),
    /// The key is valid, but its partner is switched off.
    #[error("the partner was switched off by the operator of this service")]
    PartnerDisabled,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Authenticator {
    #[must_use]
    pub fn new(credentials: Arc<dyn Credentials>) -> Self {
        Self { credentials }
    }

    /// Authenticates an account key.
    ///
    /// # Errors
    /// An [`AccessError`]; a key of the wrong form or space is refused without a look-up.
    pub async fn account(&self, presented: &str) -> Result<AccountCaller, AccessError> {
        let key =
            ApiKey::parse(KeySpace::Account, presented).map_err(|_not_a_key| AccessError::InvalidKey)?;
        let key_record = self.credentials.account_key(&key.hash()).await?;
        let key_record = key_record.ok_or(AccessError::InvalidKey)?;
        match key_record.switched_off_by {
            Some(by) => Err(AccessError::AccountDisabled(by)),
            None => Ok(AccountCaller { key: key_record.key, scope: key_record.scope }),
        }
    }

    /// Authenticates a partner key.
    ///
    /// # Errors
    /// An [`AccessError`]; a key of the wrong form or space is refused without a look-up.
    pub async fn partner(&self, presented: &str) -> Result<PartnerCaller, AccessError> {
        let key =
            ApiKey::parse(KeySpace::Partner, presented).map_err(|_not_a_key| AccessError::InvalidKey)?;
        let key_record = self.credentials.partner_key(&key.hash()).await?;
        let key_record = key_record.ok_or(AccessError::InvalidKey)?;
        if key_record.switched_off {
            return Err(AccessError::PartnerDisabled);
        }
        Ok(PartnerCaller { key: key_record.key, scope: key_record.scope })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caller::AccountKeyRecord;
    use crate::ports::MockCredentials;
    use kernel::SystemRandom;

    fn key_record(switched_off_by: Option<SwitchedOffBy>) -> AccountKeyRecord {
        AccountKeyRecord { switched_off_by, ..AccountKeyRecord::of_some_key() }
    }

    fn authenticator(set: impl FnOnce(&mut MockCredentials)) -> Authenticator {
        let mut credentials = MockCredentials::new();
        set(&mut credentials);
        Authenticator::new(Arc::new(credentials))
    }

    fn key(space: KeySpace) -> String {
        ApiKey::generate(space, &SystemRandom::default()).reveal().to_owned()
    }

    #[tokio::test]
    async fn keys_of_the_wrong_space_or_checksum_are_not_looked_up() {
        // The mock panics on any call.
        let authenticator = authenticator(|_| {});
        for text in [
            key(KeySpace::Partner),
            "ct_live_00000000000000000000000000000000".into(),
            "x".into(),
            String::new(),
        ] {
            assert!(matches!(authenticator.account(&text).await, Err(AccessError::InvalidKey)), "{text}");
        }
        assert!(matches!(authenticator.partner(&key(KeySpace::Account)).await, Err(AccessError::InvalidKey)));
    }

    #[tokio::test]
    async fn a_revoked_key_is_invalid_and_a_valid_one_is_a_caller() {
        let unknown = authenticator(|mock| {
            mock.expect_account_key().returning(|_| Ok(None));
        });
        assert!(matches!(unknown.account(&key(KeySpace::Account)).await, Err(AccessError::InvalidKey)));
        let known = key_record(None);
        let scope = known.scope.clone();
        let valid = authenticator(|mock| {
            mock.expect_account_key().times(1).return_once(move |_| Ok(Some(known)));
        });
        assert_eq!(valid.account(&key(KeySpace::Account)).await.unwrap().scope(), &scope);
    }

    #[tokio::test]
    async fn the_message_says_who_switched_the_account_off() {
        for (by, words) in [(SwitchedOffBy::Partner, "partner"), (SwitchedOffBy::Operator, "operator")] {
            let off = authenticator(|mock| {
                mock.expect_account_key().return_once(move |_| Ok(Some(key_record(Some(by)))));
            });
            let error = off.account(&key(KeySpace::Account)).await.unwrap_err();
            assert!(matches!(error, AccessError::AccountDisabled(_)) && error.to_string().contains(words));
        }
    }
}
