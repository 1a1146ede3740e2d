//! The use cases of sessions, logins and audit entries.

use std::sync::Arc;

use access::Passwords;
use kernel::SealingKeys;
use sessions::{Audit, FailuresInMemory, Logins, Sessions, Throttle};

use super::Dependencies;
use crate::passwords::HashingThreads;
use crate::tokio_pauses::TokioPauses;

impl Dependencies {
    /// The use cases that find and end sessions.
    #[must_use]
    pub fn sessions(&self) -> Sessions {
        Sessions { store: self.store.sessions.clone(), clock: self.clock.clone() }
    }

    /// The use cases that record audit entries.
    #[must_use]
    pub fn audit(&self) -> Audit {
        Audit { log: self.store.audit.clone(), clock: self.clock.clone(), ids: self.ids.clone() }
    }

    /// The use cases of logins. Failed sign-ins are counted in the memory of this process.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn logins(&self, keys: Arc<SealingKeys>) -> anyhow::Result<Logins> {
        let passwords = Arc::new(HashingThreads::start(self.random.clone())?);
        let throttle = Throttle::new(Arc::new(FailuresInMemory::default()), Arc::new(TokioPauses));
        Ok(self.logins_with(passwords, throttle, keys))
    }

    /// The same with passwords and a throttle that others use too.
    pub(super) fn logins_with(
        &self,
        passwords: Arc<dyn Passwords>,
        throttle: Throttle,
        keys: Arc<SealingKeys>,
    ) -> Logins {
        Logins {
            store: self.store.sessions.clone(),
            passwords,
            throttle,
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            random: self.random.clone(),
            keys,
        }
    }
}
