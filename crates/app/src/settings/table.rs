//! Every setting, and the rules over several of them.

use std::net::SocketAddr;
use std::num::{NonZeroU8, NonZeroU32};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use access::Quotas;
use anyhow::{Context as _, bail};
use confique::Config;
use kernel::{Clock, Currency, PublicUrls, SystemClock};
use mail_lettre::{SenderAddress, SmtpUrl};
use media_object_store::LogoLocation;
use ratelimit_redis::RedisAddress;
use store_diesel::Layout;
use webhooks::DeliverySchedule;

use super::values::{self, LogFilter, LogFormat, MasterKeyBytes, SandboxMode, Secret};
use crate::test_clock::TestClock;
use crate::tls;

/// A later instant would soon be none that a delivery can wait for.
const MAX_WEBHOOK_WAIT: time::Duration = time::Duration::days(365);

/// Every setting, under its name in `countinghouse.toml`. Its environment variable is that name in capitals
/// with the prefix `COUNTINGHOUSE_`; only `DATABASE_URL` and `RUST_LOG` have no prefix.
#[derive(Debug, Config)]
pub struct Settings {
    /// The database: sqlite://PATH, or postgres://user:password@host/db?sslmode=require. Default:
    /// countinghouse.db in the data directory
    #[config(deserialize_with = values::database_url)]
    pub database_url: Option<Secret>,
    /// Directory of the embedded database and the master key, and of mail, messages and media that are stored
    /// as files
    #[config(default = "data")]
    pub data_dir: PathBuf,
    /// Address and port to serve on; port 0 picks one and logs it
    #[config(default = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// Base of every URL that the service gives out; the API is at /api/v1 under it. Default: http://
    /// (https:// with a certificate or behind a TLS proxy) and the listen address
    #[config(deserialize_with = values::public_url)]
    pub public_url: Option<String>,
    /// PEM file of the certificate chain, to serve HTTPS directly
    pub tls_cert_file: Option<PathBuf>,
    /// PEM file of the certificate's private key
    pub tls_key_file: Option<PathBuf>,
    /// A proxy terminates TLS; requests that reached it over plain HTTP (X-Forwarded-Proto) are refused
    #[config(default = false)]
    pub behind_tls_proxy: bool,
    /// Behind a TLS proxy: which entry of X-Forwarded-For is the client's address, counted from the right
    #[config(default = 1)]
    pub proxy_hops: NonZeroU8,
    /// 32 bytes in base64. Default for SQLite: master.key in the data directory, created once; required for
    /// PostgreSQL
    #[config(deserialize_with = values::parsed)]
    pub master_key: Option<MasterKeyBytes>,
    /// The previous master key, for reading what was sealed under it; keep it until a day after
    /// `countinghouse rekey`, because waiting mail is not resealed
    #[config(deserialize_with = values::parsed)]
    pub master_key_previous: Option<MasterKeyBytes>,
    /// Bring a PostgreSQL schema up to date on start, safely beside other processes
    #[config(default = false)]
    pub migrate_on_start: bool,
    /// PostgreSQL is a Citus cluster, over which `countinghouse migrate` distributes the tables by account
    #[config(default = false)]
    pub citus: bool,
    /// Address and port of a separate listener for /metrics and /health over plain HTTP; /metrics is then
    /// served only there
    pub admin_listen: Option<SocketAddr>,
    /// Redis in which several processes share their quotas, redis://user:password@host:6379/0 or
    /// rediss://...; while it is unreachable, and by default, each process counts for itself
    #[config(deserialize_with = values::parsed)]
    pub redis_url: Option<RedisAddress>,
    /// Mail server, smtp://user:password@host:port or smtps://...; ?tls=required insists on STARTTLS.
    /// Default: .eml files in mail/ of the data directory
    #[config(deserialize_with = values::parsed)]
    pub smtp_url: Option<SmtpUrl>,
    /// Address that mail is sent from
    #[config(default = "invoices@localhost", deserialize_with = values::parsed)]
    pub mail_from: SenderAddress,
    /// GET and HEAD requests a minute for each key
    #[config(default = 120)]
    pub reads_per_minute: NonZeroU32,
    /// POST, PUT, PATCH and DELETE requests a minute for each key
    #[config(default = 30)]
    pub writes_per_minute: NonZeroU32,
    /// Time limit of one webhook attempt, in total
    #[config(default = "15s", deserialize_with = values::parsed)]
    pub webhook_timeout: Duration,
    /// Waits after webhook attempts 1 to 4
    #[config(default = "5m,30m,2h,12h", deserialize_with = values::parsed)]
    pub webhook_retry_waits: Vec<Duration>,
    /// Interval of clean-up and other periodic work
    #[config(default = "60s", deserialize_with = values::parsed)]
    pub worker_interval: Duration,
    /// For development: webhooks and logos may point at private addresses
    #[config(default = false)]
    pub allow_private_targets: bool,
    /// Sandbox for trying the service, on loopback only: auto (on with the embedded database), true (on with
    /// any database) or false
    #[config(default = "auto")]
    pub sandbox: SandboxMode,
    /// For tests: a file with one timestamp, such as 2026-12-01T09:00:00Z, that is used as the present time;
    /// needs the sandbox
    pub test_clock: Option<PathBuf>,
    /// PEM file of certificates trusted for outgoing connections, in addition to the system's
    pub extra_ca_file: Option<PathBuf>,
    /// Currency of new accounts (ISO 4217)
    #[config(default = "AUD", deserialize_with = values::parsed)]
    pub default_currency: Currency,
    /// Days from the invoice date to the due date where none is given
    #[config(default = 14)]
    pub payment_terms_days: u16,
    /// Delay until changed bank details or a replaced gateway key take effect; the earlier ones stay in force
    /// until then
    #[config(default = "24h", deserialize_with = values::parsed)]
    pub bank_details_delay: Duration,
    /// Domain whose mail this service receives, so that customers can reply by e-mail: replies go to
    /// reply+TOKEN@ this domain. Default: replies go to the owner's own mailbox
    pub inbound_domain: Option<String>,
    /// Secret part of the URL that raw mail is posted to, /inbound/mail/TOKEN
    pub inbound_token: Option<Secret>,
    /// How long received raw messages are kept
    #[config(default = "90d", deserialize_with = values::parsed)]
    pub raw_messages_kept: Duration,
    /// How long subjects and texts of received and sent messages are kept; at least as long as raw messages
    #[config(default = "730d", deserialize_with = values::parsed)]
    pub message_texts_kept: Duration,
    /// Account SID at Twilio, which sends text messages
    pub twilio_account_sid: Option<String>,
    /// Auth token at Twilio; its callbacks are signed with it
    pub twilio_auth_token: Option<Secret>,
    /// Number that text messages come from, such as +14155550123, or a name registered with Twilio
    pub twilio_from: Option<String>,
    /// Base of Twilio's API. Default: Twilio's own
    pub twilio_url: Option<String>,
    /// Base of the API of a language model with a chat completions endpoint: https://, or http:// of this
    /// machine. It reads messages that the rules are unsure of, if the owner agreed. Default: none
    pub language_model_url: Option<String>,
    /// Key of that API, if it needs one
    pub language_model_key: Option<Secret>,
    /// Name of the model there; required with LANGUAGE_MODEL_URL
    pub language_model_name: Option<String>,
    /// Base of Stripe's API: https://, or http:// of this machine, for a stand-in. Default: Stripe's own
    pub stripe_url: Option<String>,
    /// Client id of the Xero app through which invoices are entered in the ledger; without it there is no
    /// ledger
    pub xero_client_id: Option<String>,
    /// Client secret of the Xero app
    pub xero_client_secret: Option<Secret>,
    /// Xero organisation, if the app has access to several
    pub xero_tenant_id: Option<String>,
    /// Xero account code that lines are booked on
    pub xero_account_code: Option<String>,
    /// Address of the Xero Accounting API. Default: Xero's own
    pub xero_base_url: Option<String>,
    /// Address that Xero's access tokens come from. Default: Xero's own
    pub xero_token_url: Option<String>,
    /// OAuth scope to request. Default: accounting.transactions
    pub xero_scope: Option<String>,
    /// Bucket that logos are kept in, s3://bucket/prefix; needs a binary built with the feature s3, and takes
    /// credentials, region and endpoint from the usual AWS_ variables. Default: media/ in the data directory
    pub media_url: Option<String>,
    /// OpenTelemetry collector that request traces are sent to by OTLP over HTTP, such as
    /// http://127.0.0.1:4318; needs a binary built with the feature otlp
    #[config(deserialize_with = values::collector_url)]
    pub otlp_endpoint: Option<String>,
    /// What is logged, such as info or debug,actix_server=warn
    // actix-http logs each broken connection as an error, and any client can break as many as it likes.
    #[config(default = "info,actix_http=off", deserialize_with = values::parsed)]
    pub rust_log: LogFilter,
    /// Form of log lines: text or json
    #[config(default = "text")]
    pub log_format: LogFormat,
}

impl Settings {
    /// The URL of the database: the one that is set, else the embedded database in the data directory.
    #[must_use]
    pub fn database_url(&self) -> Secret {
        let embedded = || {
            let file = self.data_dir.join("countinghouse.db");
            Secret::new(format!("sqlite://{}", file.display()))
        };
        self.database_url.clone().unwrap_or_else(embedded)
    }

    /// The URLs that the service gives out, once its listen address is known.
    #[must_use]
    pub fn public_urls(&self, listening: SocketAddr) -> PublicUrls {
        // Behind a proxy that terminates TLS, callers use HTTPS, at an address that this process cannot know.
        let scheme = if self.has_tls() { "https" } else { "http" };
        match &self.public_url {
            Some(base) => PublicUrls::new(base),
            None => PublicUrls::new(&format!("{scheme}://{listening}")),
        }
    }

    /// Certificate chain and private key, to serve HTTPS directly.
    ///
    /// # Errors
    /// When only one of the two is set.
    pub fn tls(&self) -> anyhow::Result<Option<(&Path, &Path)>> {
        match (&self.tls_cert_file, &self.tls_key_file) {
            (Some(certificate), Some(key)) => Ok(Some((certificate, key))),
            (None, None) => Ok(None),
            _ => bail!("COUNTINGHOUSE_TLS_CERT_FILE and COUNTINGHOUSE_TLS_KEY_FILE must be set together"),
        }
    }

    /// Requests a minute for each key.
    #[must_use]
    pub fn quotas(&self) -> Quotas {
        Quotas { reads: self.reads_per_minute.get(), writes: self.writes_per_minute.get() }
    }

    /// The delay until new bank details are in force.
    ///
    /// # Errors
    /// When the delay is longer than a year.
    pub fn bank_details_delay(&self) -> anyhow::Result<time::Duration> {
        let delay = time::Duration::try_from(self.bank_details_delay).ok();
        let delay = delay.filter(|delay| *delay <= time::Duration::days(365));
        delay.context("COUNTINGHOUSE_BANK_DETAILS_DELAY must be at most 365d")
    }

    /// Where copies of logos are kept.
    ///
    /// # Errors
    /// When the URL does not name a bucket.
    pub fn media(&self) -> anyhow::Result<LogoLocation> {
        LogoLocation::parse(self.media_url.as_deref(), &self.data_dir)
            .map_err(|fault| anyhow::anyhow!("COUNTINGHOUSE_MEDIA_URL: {fault}"))
    }

    /// When webhook attempts are made, and how long one may take.
    ///
    /// # Errors
    /// When there are too many waits, or one is longer than a year.
    pub fn webhook_schedule(&self) -> anyhow::Result<DeliverySchedule> {
        let signed = |length: Duration| {
            let length = time::Duration::try_from(length).ok().filter(|length| *length <= MAX_WEBHOOK_WAIT);
            length.context("must be at most 365d")
        };
        let waits = self.webhook_retry_waits.iter().copied().map(signed);
        let waits = waits.collect::<Result<_, _>>().context("COUNTINGHOUSE_WEBHOOK_RETRY_WAITS")?;
        let timeout = signed(self.webhook_timeout).context("COUNTINGHOUSE_WEBHOOK_TIMEOUT")?;
        DeliverySchedule::new(waits, timeout).context("COUNTINGHOUSE_WEBHOOK_RETRY_WAITS")
    }

    /// The faults of rules over several settings, or over what a setting refers to.
    pub(super) fn faults_between(&self) -> Vec<String> {
        let checks = [
            self.tls().map(drop),
            self.check_exposure(),
            self.check_public_scheme(),
            self.media().map(drop),
            self.webhook_schedule().map(drop),
            self.extra_ca_pem().map(drop),
            self.xero().map(drop),
            self.twilio(String::new()).map(drop),
            self.language_model().map(drop),
            self.check_inbound(),
            self.stripe().map(drop),
            self.check_test_clock(),
            self.check_citus(),
            self.bank_details_delay().map(drop),
            self.kept_messages().map(drop),
        ];
        let faults = checks.into_iter().filter_map(Result::err);
        faults.map(|fault| format!("{fault:#}")).collect()
    }

    /// Whether the sandbox is on: it is for trying the service, and real customers must never reach it.
    #[must_use]
    pub fn has_sandbox(&self) -> bool {
        let is_embedded = self.database_url().reveal().starts_with("sqlite://");
        let is_wanted = match self.sandbox {
            SandboxMode::Auto => is_embedded,
            SandboxMode::On => true,
            SandboxMode::Off => false,
        };
        let public_is_loopback = self.public_url.as_deref().is_none_or(values::is_loopback);
        is_wanted && !self.has_tls() && self.listen.ip().is_loopback() && public_is_loopback
    }

    /// Checks that a test clock is set only with the sandbox, and can be read.
    fn check_test_clock(&self) -> anyhow::Result<()> {
        let Some(file) = &self.test_clock else {
            return Ok(());
        };
        if !self.has_sandbox() {
            bail!(
                "COUNTINGHOUSE_TEST_CLOCK needs the sandbox, which is off: it needs COUNTINGHOUSE_SANDBOX=true or the \
                 embedded database, a loopback listener and public URL, and no TLS"
            );
        }
        TestClock::open(file).map(drop).context("COUNTINGHOUSE_TEST_CLOCK")
    }

    /// How the tables are distributed over servers.
    #[must_use]
    pub const fn layout(&self) -> Layout {
        if self.citus { Layout::ByAccount } else { Layout::OneServer }
    }

    /// Checks that a Citus cluster is set only for PostgreSQL.
    ///
    /// # Errors
    /// When the database is SQLite.
    pub fn check_citus(&self) -> anyhow::Result<()> {
        if self.citus && self.database_url().reveal().starts_with("sqlite://") {
            bail!("COUNTINGHOUSE_CITUS wants a DATABASE_URL of PostgreSQL, with the extension citus");
        }
        Ok(())
    }

    /// The source of the present time.
    ///
    /// # Errors
    /// When the test clock cannot be read.
    pub fn clock(&self) -> anyhow::Result<Arc<dyn Clock>> {
        Ok(match &self.test_clock {
            Some(file) => Arc::new(TestClock::open(file).context("COUNTINGHOUSE_TEST_CLOCK")?),
            None => Arc::new(SystemClock),
        })
    }

    /// Checks that outside loopback TLS is terminated here or by a proxy.
    fn check_exposure(&self) -> anyhow::Result<()> {
        if self.listen.ip().is_loopback() || self.has_tls() {
            return Ok(());
        }
        bail!(
            "COUNTINGHOUSE_LISTEN is {}, which is not loopback: set COUNTINGHOUSE_TLS_CERT_FILE and _TLS_KEY_FILE, or \
             COUNTINGHOUSE_BEHIND_TLS_PROXY=true when a proxy terminates TLS",
            self.listen
        )
    }

    /// Checks that links do not lead to plain HTTP where it is refused.
    fn check_public_scheme(&self) -> anyhow::Result<()> {
        let is_plain = self.public_url.as_deref().is_some_and(|url| url.starts_with("http://"));
        if is_plain && self.has_tls() {
            bail!(
                "COUNTINGHOUSE_PUBLIC_URL must begin with https:// where a certificate or a TLS proxy is set"
            );
        }
        Ok(())
    }

    /// What is wrong where clients are told to use HTTPS, and no setting says who terminates it.
    pub(crate) fn fault_of_unnamed_proxy(&self) -> Option<&'static str> {
        let is_https = self.public_url.as_deref().is_some_and(|url| url.starts_with("https://"));
        (is_https && !self.has_tls()).then_some(
            "COUNTINGHOUSE_PUBLIC_URL begins with https://, but neither a certificate nor COUNTINGHOUSE_BEHIND_TLS_PROXY=true \
             is set: all clients of a proxy count as one address and are throttled together, and plain HTTP is accepted; \
             set it to true if the proxy sets X-Forwarded-For and X-Forwarded-Proto",
        )
    }

    /// Whether callers use HTTPS: of this process, or of a proxy before it.
    const fn has_tls(&self) -> bool {
        self.tls_cert_file.is_some() || self.behind_tls_proxy
    }

    /// The certificates that are trusted for outgoing connections, in addition to the system's.
    pub(crate) fn extra_ca_pem(&self) -> anyhow::Result<Option<Vec<u8>>> {
        let Some(file) = &self.extra_ca_file else {
            return Ok(None);
        };
        let name = file.display();
        let pem = std::fs::read(file)
            .with_context(|| format!("COUNTINGHOUSE_EXTRA_CA_FILE: cannot read {name}"))?;
        tls::check_authorities(&pem)
            .with_context(|| format!("COUNTINGHOUSE_EXTRA_CA_FILE: cannot use {name}"))?;
        Ok(Some(pem))
    }
}
