//! Adapters that need only settings: limits, the outgoing client, the store of logos, live gateways, mail
//! transport, language model.

use std::sync::Arc;

use ::sessions::{Failures, FailuresInMemory};
use access::{AttemptLimiter, AttemptWindow, RateLimiter, RollingWindows};
use anyhow::Context as _;
use communications::LanguageModel;
use gateway_stripe::Stripe;
use kernel::{Clock, Ids};
use language_model_http::HttpLanguageModel;
use mail::MailTransport;
use mail_lettre::{EmlTransport, SmtpTransport};
use media_object_store::Media;
use payments::PaymentGateway;
use ratelimit_redis::SharedLimits;
use store_diesel::DatabaseKind;
use webhook_reqwest::{Client, Reach};

use crate::master_key::MasterKey;
use crate::settings::Settings;

/// Makes the limiters: shared in Redis if it is set, else in the memory of this process.
#[derive(Clone)]
pub struct Limiters(Option<SharedLimits>);

impl Limiters {
    /// Connects to Redis if it is set; succeeds also when Redis does not answer.
    ///
    /// # Errors
    /// One line that says what is wrong with `COUNTINGHOUSE_REDIS_URL`.
    pub async fn open(settings: &Settings) -> anyhow::Result<Self> {
        Ok(Self(shared_limits(settings).await?))
    }

    /// The limiter of API keys' quotas.
    pub(super) fn quotas(&self) -> Arc<dyn RateLimiter> {
        match &self.0 {
            Some(shared) => Arc::new(shared.windows()),
            None => Arc::new(RollingWindows::default()),
        }
    }

    /// The limiter of one kind of attempt by clients without a key.
    pub(super) fn attempts(&self, window: AttemptWindow) -> Arc<dyn AttemptLimiter> {
        match &self.0 {
            Some(shared) => Arc::new(shared.attempts(window)),
            None => Arc::new(window.in_memory()),
        }
    }

    /// The counter of failed sign-ins.
    pub(super) fn failures(&self) -> Arc<dyn Failures> {
        match &self.0 {
            Some(shared) => Arc::new(shared.failures()),
            None => Arc::new(FailuresInMemory::default()),
        }
    }
}

/// The limiters in Redis, if it is set; succeeds also when Redis does not answer.
///
/// # Errors
/// One line that says what is wrong with `COUNTINGHOUSE_REDIS_URL`.
pub async fn shared_limits(settings: &Settings) -> anyhow::Result<Option<SharedLimits>> {
    let Some(address) = &settings.redis_url else {
        return Ok(None);
    };
    let options = ratelimit_redis::Options {
        extra_ca_file: settings.extra_ca_file.clone(),
        ..ratelimit_redis::Options::default()
    };
    let shared = SharedLimits::connect(address, options).await;
    shared.context("COUNTINGHOUSE_REDIS_URL").map(Some)
}

/// The client that calls the URLs which accounts name.
///
/// # Errors
/// One line that names the setting that cannot be used.
pub fn webhook_client(settings: &Settings) -> anyhow::Result<Client> {
    let reach = if settings.allow_private_targets { Reach::Anywhere } else { Reach::Public };
    Client::new(reach, settings.extra_ca_pem()?.as_deref()).context("COUNTINGHOUSE_EXTRA_CA_FILE")
}

/// Opens the store of logo copies. Creates and calls nothing.
///
/// # Errors
/// One line that names the setting that cannot be used.
pub fn open_media(settings: &Settings) -> anyhow::Result<Media> {
    let extra_ca = settings.extra_ca_file.as_deref();
    Media::open(&settings.media()?, extra_ca).context("COUNTINGHOUSE_MEDIA_URL")
}

/// The gateways that move real money.
///
/// # Errors
/// One line that names the setting that cannot be used.
pub fn live_gateways(
    settings: &Settings,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
) -> anyhow::Result<Vec<Arc<dyn PaymentGateway>>> {
    let stripe = Stripe::new(&settings.stripe()?, clock, ids).context("COUNTINGHOUSE_EXTRA_CA_FILE")?;
    Ok(vec![Arc::new(stripe)])
}

/// The transport to the mail server that is set, else into files of the data directory.
///
/// # Errors
/// One line that names the setting that cannot be used.
pub(super) fn mail_transport(
    settings: &Settings,
    kind: DatabaseKind,
) -> anyhow::Result<Arc<dyn MailTransport>> {
    let from = settings.mail_from.clone();
    let from = match MasterKey::present(settings, kind)? {
        Some(key) => from.with_id_key(&key.derive("countinghouse message ids v1")),
        None => from,
    };
    Ok(match &settings.smtp_url {
        Some(url) => {
            let extra_ca = settings.extra_ca_file.as_deref();
            Arc::new(SmtpTransport::new(url.clone(), from, extra_ca).context("COUNTINGHOUSE_SMTP_URL")?)
        }
        None => Arc::new(EmlTransport::new(settings.data_dir.join("mail"), from)?),
    })
}

/// The language model that the operator has set, if any.
///
/// # Errors
/// One line that names the setting that cannot be used.
pub fn language_model(settings: &Settings) -> anyhow::Result<Option<Arc<dyn LanguageModel>>> {
    let Some(model) = settings.language_model()? else {
        return Ok(None);
    };
    Ok(Some(Arc::new(HttpLanguageModel::new(model).context("COUNTINGHOUSE_LANGUAGE_MODEL_*")?)))
}
