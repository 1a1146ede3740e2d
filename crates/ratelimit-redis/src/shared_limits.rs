//! All limits of one process that are shared through one Redis, over one connection.

use std::io;
use std::sync::Arc;

use access::AttemptWindow;
use redis::{Client, RedisError, TlsCertificates};

use crate::address::RedisAddress;
use crate::redis_link::{Options, RedisLink};
use crate::shared_attempts::SharedAttempts;
use crate::shared_failures::SharedFailures;
use crate::shared_windows::SharedWindows;
use crate::trust;

/// The connection to Redis, which creates the limits.
#[derive(Clone)]
pub struct SharedLimits(Arc<RedisLink>);

/// Why the limits cannot be set up. An unreachable Redis is not a reason.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The file of certificates cannot be used.
    #[error("cannot use the certificates beside the system's: {0}")]
    Certificates(#[from] io::Error),
    #[error("cannot set TLS up: {0}")]
    Tls(#[from] RedisError),
}

impl SharedLimits {
    /// Connects to Redis. If it does not respond, this logs a warning and connects in the background.
    ///
    /// Call this on the runtime that lives as long as the process, since that runtime drives the connection.
    /// A `rediss://` URL needs the process's TLS provider.
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
        Ok(Self(RedisLink::open(client, address.to_string(), options).await))
    }

    /// Whether the latest call to Redis succeeded.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.0.live().is_some()
    }

    /// The limiter for the quotas of API keys.
    #[must_use]
    pub fn windows(&self) -> SharedWindows {
        SharedWindows::of_keys(self.0.clone())
    }

    /// The limiter for one kind of attempt of callers without a key.
    #[must_use]
    pub fn attempts(&self, window: AttemptWindow) -> SharedAttempts {
        SharedAttempts::new(self.0.clone(), window)
    }

    /// The counter of failed sign-ins.
    #[must_use]
    pub fn failures(&self) -> SharedFailures {
        SharedFailures::new(self.0.clone())
    }
}
