//! The rate-limit port over Redis, with the process's own window behind it.

use std::fmt;
use std::io;
use std::sync::Arc;

use access::{Bucket, KeyId, QuotaDecision, RateLimiter, RollingWindows};
use async_trait::async_trait;
use redis::{Client, RedisError, TlsCertificates};
use time::OffsetDateTime;

use crate::address::RedisAddress;
use crate::redis_link::{Link, LiveConnection, Options};
use crate::take::window_name;
use crate::trust;

/// Rolling windows that every process with the same Redis shares.
///
/// Redis decides while it is there. What it allows is noted in the process's own window too: that one decides
/// while Redis is away, and in the first minute after has a say beside Redis, which knows nothing of the
/// requests in between.
pub struct SharedWindows {
    link: Arc<Link>,
    own: RollingWindows,
}

/// Why the limiter cannot be set up. That Redis does not answer is no reason.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The file of certificates cannot be used.
    #[error("cannot use the certificates beside the system's: {0}")]
    Certificates(#[from] io::Error),
    #[error("cannot set TLS up: {0}")]
    Tls(#[from] RedisError),
}

impl SharedWindows {
    /// Connects to Redis. When it does not answer, this logs a warning and connects in the background.
    ///
    /// Call it on the runtime that lives as long as the process, since that drives the connection. A
    /// `rediss://` address needs the process's TLS provider.
    ///
    /// # Errors
    /// A [`SetupError`] when the certificates cannot be used.
    pub async fn connect(address: &RedisAddress, options: Options) -> Result<Self, SetupError> {
        let client = match &options.extra_ca_file {
            Some(file) if address.is_tls() => {
                let certificates =
                    TlsCertificates { client_tls: None, root_cert: Some(trust::beside_the_systems(file)?) };
                Client::build_with_tls(address.info(), certificates)?
            }
            _ => Client::open(address.info())?,
        };
        Ok(Self {
            link: Link::open(client, address.to_string(), options).await,
            own: RollingWindows::default(),
        })
    }

    /// Whether Redis answered last.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.link.live().is_some()
    }

    async fn take_shared(
        &self,
        live: LiveConnection,
        (key, bucket): (KeyId, Bucket),
        quota: u32,
        now: OffsetDateTime,
    ) -> Option<QuotaDecision> {
        let was_down = self.link.was_down(&live);
        if was_down && let Some(refusal) = self.own.refusal(key, bucket, quota, now) {
            return Some(refusal);
        }
        let name = window_name(key, bucket);
        let shared = self.link.take(live, &name, quota).await?.decision(quota, now);
        if !shared.allowed {
            return Some(shared);
        }
        let own = self.own.take(key, bucket, quota, now).await;
        let remaining = if was_down { shared.remaining.min(own.remaining) } else { shared.remaining };
        Some(QuotaDecision { remaining, ..shared })
    }
}

#[async_trait]
impl RateLimiter for SharedWindows {
    async fn take(&self, key: KeyId, bucket: Bucket, quota: u32, now: OffsetDateTime) -> QuotaDecision {
        if let Some(live) = self.link.live()
            && let Some(decision) = self.take_shared(live, (key, bucket), quota, now).await
        {
            return decision;
        }
        self.own.take(key, bucket, quota, now).await
    }
}

impl fmt::Debug for SharedWindows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedWindows").field("is_shared", &self.is_shared()).finish_non_exhaustive()
    }
}
