//! Settings: read from the environment, then `countinghouse.toml`, then defaults, and checked before anything starts.
//!
//! An unknown or malformed setting stops the start with one line that names it: a typing error in a setting is otherwise
//! found when it hurts.

pub mod addresses;
pub mod ledger;
pub mod names;
pub mod values;
pub mod written;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use access::Quotas;
use anyhow::{Context as _, bail};
use confique::Config as _;
use kernel::{Currency, PublicUrls};
use ledger_xero::XeroSettings;
use media_object_store::Place;
use ratelimit_redis::RedisAddress;
use webhooks::Schedule;

use self::addresses::check_otlp_endpoint;
use self::values::{Secret, Wait, Waits};
use self::written::Written;

/// Where settings are looked for beside the environment.
const FILE: &str = "countinghouse.toml";

/// Settings that are right.
#[derive(Debug)]
pub struct Settings {
    /// The address of the database.
    pub database_url: Secret,
    /// Directory of what the service keeps in files.
    pub data_dir: PathBuf,
    /// Where to serve.
    pub listen: SocketAddr,
    /// Where those who watch over the service are served, if on a listener of their own.
    pub admin_listen: Option<SocketAddr>,
    /// Where the traces of requests are sent, if anywhere.
    pub otlp_endpoint: Option<String>,
    /// The base of every address handed out, if it was set.
    pub public_url: Option<String>,
    /// Certificate chain and private key, to serve HTTPS directly.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// Whether a proxy terminates TLS.
    pub behind_tls_proxy: bool,
    /// The master key, if it was set.
    pub master_key: Option<Secret>,
    /// The one before it, which secrets may still be sealed under.
    pub master_key_previous: Option<Secret>,
    /// Whether PostgreSQL is migrated on start.
    pub migrate_on_start: bool,
    /// Requests a minute for each key.
    pub quotas: Quotas,
    /// The Redis in which processes share them, if there is one.
    pub redis: Option<RedisAddress>,
    /// How often the workers look.
    pub worker_interval: Duration,
    /// Where logos are kept.
    pub media: Place,
    /// The mail server, if there is one.
    pub smtp_url: Option<Secret>,
    /// The address that mail is sent from.
    pub mail_from: String,
    /// The ledger, if there is one.
    pub xero: Option<XeroSettings>,
    /// When webhook attempts are made, and how long one may take.
    pub webhook_schedule: Schedule,
    /// Whether webhooks may point at addresses that are not public.
    pub allow_private_targets: bool,
    /// Certificates trusted beside the system's.
    pub extra_ca_file: Option<PathBuf>,
    /// Currency of new accounts.
    pub default_currency: Currency,
    /// Days until an invoice is due.
    pub payment_terms_days: u16,
    /// Whether log lines are JSON.
    pub json_logs: bool,
}

impl Settings {
    /// Reads and checks all settings.
    ///
    /// # Errors
    /// One line that names the setting and says what would be right.
    pub fn read() -> anyhow::Result<Self> {
        refuse_unknown_variables(
            std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()),
        )?;
        refuse_unknown_keys(Path::new(FILE))?;
        let written = Written::builder()
            .env()
            .file(FILE)
            .load()
            .map_err(|error| one_line(&error))?;
        Self::check(written)
    }

    fn check(written: Written) -> anyhow::Result<Self> {
        let tls = match (written.tls_cert_file.clone(), written.tls_key_file.clone()) {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            (None, None) => None,
            _ => bail!(
                "COUNTINGHOUSE_TLS_CERT_FILE and COUNTINGHOUSE_TLS_KEY_FILE must be set together"
            ),
        };
        let exposed =
            !written.listen.ip().is_loopback() && tls.is_none() && !written.behind_tls_proxy;
        if exposed {
            bail!(
                "COUNTINGHOUSE_LISTEN is {}, which is not loopback: set COUNTINGHOUSE_TLS_CERT_FILE and _TLS_KEY_FILE, or \
                 COUNTINGHOUSE_BEHIND_TLS_PROXY=true when a proxy terminates TLS",
                written.listen
            );
        }
        let json_logs = match written.log_format.as_str() {
            "text" => false,
            "json" => true,
            other => bail!("COUNTINGHOUSE_LOG_FORMAT is {other:?}: it must be text or json"),
        };
        if written.reads_per_minute == 0 || written.writes_per_minute == 0 {
            bail!(
                "COUNTINGHOUSE_READS_PER_MINUTE and COUNTINGHOUSE_WRITES_PER_MINUTE must be above 0"
            );
        }
        let default_currency = Currency::parse(&written.default_currency).with_context(|| {
            format!(
                "COUNTINGHOUSE_DEFAULT_CURRENCY is {:?}",
                written.default_currency
            )
        })?;
        let default_url = || {
            format!(
                "sqlite://{}",
                written.data_dir.join("countinghouse.db").display()
            )
        };
        check_files(&written)?;
        let xero = ledger::check(&written)?;
        Ok(Self {
            database_url: written
                .database_url
                .unwrap_or_else(|| Secret::new(default_url())),
            public_url: written.public_url.map(check_public_url).transpose()?,
            tls,
            behind_tls_proxy: written.behind_tls_proxy,
            master_key: written.master_key,
            master_key_previous: written.master_key_previous,
            migrate_on_start: written.migrate_on_start,
            quotas: Quotas {
                reads: written.reads_per_minute,
                writes: written.writes_per_minute,
            },
            redis: check_redis_url(written.redis_url)?,
            worker_interval: written.worker_interval.0,
            xero,
            media: check_media_url(written.media_url.as_deref(), &written.data_dir)?,
            smtp_url: written.smtp_url,
            mail_from: written.mail_from,
            webhook_schedule: check_webhooks(
                &written.webhook_retry_waits,
                &written.webhook_timeout,
            )?,
            allow_private_targets: written.allow_private_targets,
            extra_ca_file: written.extra_ca_file,
            default_currency,
            payment_terms_days: written.payment_terms_days,
            json_logs,
            data_dir: written.data_dir,
            admin_listen: written.admin_listen,
            otlp_endpoint: written.otlp_endpoint.map(check_otlp_endpoint).transpose()?,
            listen: written.listen,
        })
    }

    /// The addresses that are handed out, once it is known where the service listens.
    #[must_use]
    pub fn public_urls(&self, listening: SocketAddr) -> PublicUrls {
        // Behind a proxy that terminates TLS, callers come by HTTPS, at an address that only the operator knows.
        let scheme = if self.tls.is_some() || self.behind_tls_proxy {
            "https"
        } else {
            "http"
        };
        match &self.public_url {
            Some(base) => PublicUrls::new(base),
            None => PublicUrls::new(&format!("{scheme}://{listening}")),
        }
    }
}

fn check_webhooks(waits: &Waits, timeout: &Wait) -> anyhow::Result<Schedule> {
    let long = "is too long";
    let waits = waits.0.iter().map(|wait| time::Duration::try_from(*wait));
    let waits: Result<Vec<_>, _> = waits.collect();
    let waits = waits
        .context(long)
        .context("COUNTINGHOUSE_WEBHOOK_RETRY_WAITS")?;
    let timeout = time::Duration::try_from(timeout.0)
        .context(long)
        .context("COUNTINGHOUSE_WEBHOOK_TIMEOUT")?;
    Schedule::new(waits, timeout).context("COUNTINGHOUSE_WEBHOOK_RETRY_WAITS")
}

fn check_public_url(url: String) -> anyhow::Result<String> {
    let url = url.trim().trim_end_matches('/');
    let rest = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"));
    match rest {
        Some(rest) if !rest.is_empty() && !rest.contains(['?', '#', '@', ' ']) => {
            Ok(url.to_owned())
        }
        _ => bail!(
            "COUNTINGHOUSE_PUBLIC_URL is {url:?}: it must be an http:// or https:// address without a query"
        ),
    }
}

fn check_files(written: &Written) -> anyhow::Result<()> {
    if let Some(file) = &written.extra_ca_file {
        std::fs::read(file).with_context(|| {
            format!(
                "COUNTINGHOUSE_EXTRA_CA_FILE: cannot read {}",
                file.display()
            )
        })?;
    }
    Ok(())
}

fn check_media_url(url: Option<&str>, data_dir: &Path) -> anyhow::Result<Place> {
    Place::parse(url, data_dir).map_err(|fault| anyhow::anyhow!("COUNTINGHOUSE_MEDIA_URL {fault}"))
}

fn check_redis_url(url: Option<Secret>) -> anyhow::Result<Option<RedisAddress>> {
    // The address may hold a password, so the message does not repeat it.
    url.map(|url| RedisAddress::parse(url.reveal()))
        .transpose()
        .map_err(|fault| anyhow::anyhow!("COUNTINGHOUSE_REDIS_URL {fault}"))
}

fn refuse_unknown_variables(mut names: impl Iterator<Item = String>) -> anyhow::Result<()> {
    let unknown =
        names.find(|name| name.starts_with("COUNTINGHOUSE_") && !names::is_known_variable(name));
    match unknown {
        Some(name) => bail!("{name} is not a setting; `countinghouse serve --help` lists them all"),
        None => Ok(()),
    }
}

fn refuse_unknown_keys(file: &Path) -> anyhow::Result<()> {
    if !file.exists() {
        return Ok(());
    }
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let table: toml::Table = toml::from_str(&text)
        .map_err(|error| anyhow::anyhow!("{} is not TOML: {}", file.display(), error.message()))?;
    match table.keys().find(|key| !names::is_known_key(key)) {
        Some(key) => bail!(
            "{key} in {} is not a setting; `countinghouse serve --help` lists them all",
            file.display()
        ),
        None => Ok(()),
    }
}

/// The library's message spans lines and names our own types; operators read one line that names the setting.
fn one_line(error: &confique::Error) -> anyhow::Error {
    let text = format!("{error:#}");
    let words = text
        .split_whitespace()
        .filter(|word| !word.contains("Written::"));
    let line = words.collect::<Vec<_>>().join(" ");
    anyhow::anyhow!(
        "{}",
        line.replace("failed to deserialize value from", "cannot read")
    )
}

#[cfg(test)]
mod tests;
