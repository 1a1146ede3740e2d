//! The settings as they are written: their names, defaults and help, in one table.
//!
//! The table is what `serve --help` prints and what an unknown name is held against, so that it cannot go out of date.

use std::net::SocketAddr;
use std::path::PathBuf;

use confique::Config;

use super::values::{Secret, Wait, Waits};

/// Every setting, by the name that it has in `countinghouse.toml`; the environment's name is the same in capitals, with
/// `COUNTINGHOUSE_` in state.
#[derive(Debug, Config)]
pub struct Written {
    /// The database: sqlite://PATH, or postgres://user:password@host/db?sslmode=require. Default: countinghouse.db in the data directory
    #[config(env = "DATABASE_URL")]
    pub database_url: Option<Secret>,
    /// Directory of the embedded database, the master key, mail and media
    #[config(env = "COUNTINGHOUSE_DATA_DIR", default = "data")]
    pub data_dir: PathBuf,
    /// Address and port to serve on; port 0 picks one and logs it
    #[config(env = "COUNTINGHOUSE_LISTEN", default = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// Base of every address handed out; the API is under /api/v1 of it. Default: http:// (https:// with a certificate) and the listen address
    #[config(env = "COUNTINGHOUSE_PUBLIC_URL")]
    pub public_url: Option<String>,
    /// PEM file of the certificate chain, to serve HTTPS directly
    #[config(env = "COUNTINGHOUSE_TLS_CERT_FILE")]
    pub tls_cert_file: Option<PathBuf>,
    /// PEM file of the certificate's private key
    #[config(env = "COUNTINGHOUSE_TLS_KEY_FILE")]
    pub tls_key_file: Option<PathBuf>,
    /// A proxy terminates TLS; requests that it got by plain HTTP (X-Forwarded-Proto) are refused
    #[config(env = "COUNTINGHOUSE_BEHIND_TLS_PROXY", default = false)]
    pub behind_tls_proxy: bool,
    /// 32 bytes in base64. Default: master.key in the data directory, made once, for SQLite; required for PostgreSQL
    #[config(env = "COUNTINGHOUSE_MASTER_KEY")]
    pub master_key: Option<Secret>,
    /// The master key before the present one, readable until `countinghouse rekey` has rewritten every secret
    #[config(env = "COUNTINGHOUSE_MASTER_KEY_PREVIOUS")]
    pub master_key_previous: Option<Secret>,
    /// Bring a PostgreSQL schema up to date on start, safely beside other processes
    #[config(env = "COUNTINGHOUSE_MIGRATE_ON_START", default = false)]
    pub migrate_on_start: bool,
    /// Address and port of a listener of its own for /metrics and /health, by plain HTTP; /metrics is then nowhere else
    #[config(env = "COUNTINGHOUSE_ADMIN_LISTEN")]
    pub admin_listen: Option<SocketAddr>,
    /// Redis in which several processes share their quotas, redis://user:password@host:6379/0 or rediss://...; while it is away each counts for itself. Default: each counts for itself
    #[config(env = "COUNTINGHOUSE_REDIS_URL")]
    pub redis_url: Option<Secret>,
    /// Mail server, smtp://user:password@host:port or smtps://...; ?tls=required insists on STARTTLS. Default: .eml files in mail/ of the data directory
    #[config(env = "COUNTINGHOUSE_SMTP_URL")]
    pub smtp_url: Option<Secret>,
    /// Address that mail is sent from
    #[config(env = "COUNTINGHOUSE_MAIL_FROM", default = "invoices@localhost")]
    pub mail_from: String,
    /// GET and HEAD requests a minute for each key
    #[config(env = "COUNTINGHOUSE_READS_PER_MINUTE", default = 120)]
    pub reads_per_minute: u32,
    /// POST, PUT, PATCH and DELETE requests a minute for each key
    #[config(env = "COUNTINGHOUSE_WRITES_PER_MINUTE", default = 30)]
    pub writes_per_minute: u32,
    /// One webhook attempt, in total
    #[config(env = "COUNTINGHOUSE_WEBHOOK_TIMEOUT", default = "15s")]
    pub webhook_timeout: Wait,
    /// Waits after webhook attempts 1 to 4
    #[config(env = "COUNTINGHOUSE_WEBHOOK_RETRY_WAITS", default = "5m,30m,2h,12h")]
    pub webhook_retry_waits: Waits,
    /// How often clean-up and whatever falls due are looked at
    #[config(env = "COUNTINGHOUSE_WORKER_INTERVAL", default = "60s")]
    pub worker_interval: Wait,
    /// For development: webhooks and logos may point at private addresses
    #[config(env = "COUNTINGHOUSE_ALLOW_PRIVATE_TARGETS", default = false)]
    pub allow_private_targets: bool,
    /// PEM file of certificates trusted beside the system's for outgoing connections
    #[config(env = "COUNTINGHOUSE_EXTRA_CA_FILE")]
    pub extra_ca_file: Option<PathBuf>,
    /// Currency of new accounts (ISO 4217)
    #[config(env = "COUNTINGHOUSE_DEFAULT_CURRENCY", default = "AUD")]
    pub default_currency: String,
    /// Days from the invoice date to the due date where none is given
    #[config(env = "COUNTINGHOUSE_PAYMENT_TERMS_DAYS", default = 14)]
    pub payment_terms_days: u16,
    /// Client id of the Xero app that invoices are kept in the ledger through; without it nothing is
    #[config(env = "COUNTINGHOUSE_XERO_CLIENT_ID")]
    pub xero_client_id: Option<String>,
    /// Client secret of the Xero app
    #[config(env = "COUNTINGHOUSE_XERO_CLIENT_SECRET")]
    pub xero_client_secret: Option<Secret>,
    /// Xero organisation, where the app has access to several
    #[config(env = "COUNTINGHOUSE_XERO_TENANT_ID")]
    pub xero_tenant_id: Option<String>,
    /// Xero account code that lines are booked on
    #[config(env = "COUNTINGHOUSE_XERO_ACCOUNT_CODE")]
    pub xero_account_code: Option<String>,
    /// Address of the Xero Accounting API. Default: Xero's own
    #[config(env = "COUNTINGHOUSE_XERO_BASE_URL")]
    pub xero_base_url: Option<String>,
    /// Address that Xero's access tokens come from. Default: Xero's own
    #[config(env = "COUNTINGHOUSE_XERO_TOKEN_URL")]
    pub xero_token_url: Option<String>,
    /// OAuth scope that is asked for. Default: accounting.transactions
    #[config(env = "COUNTINGHOUSE_XERO_SCOPE")]
    pub xero_scope: Option<String>,
    /// Bucket that logos are kept in, s3://bucket/prefix; wants a binary that is built with the feature s3, and takes credentials, region and endpoint from the usual AWS_ variables. Default: media/ in the data directory
    #[config(env = "COUNTINGHOUSE_MEDIA_URL")]
    pub media_url: Option<String>,
    /// OpenTelemetry collector that request traces are sent to by OTLP over HTTP, such as http://127.0.0.1:4318; wants a binary that is built with the feature otlp
    #[config(env = "COUNTINGHOUSE_OTLP_ENDPOINT")]
    pub otlp_endpoint: Option<String>,
    /// Form of log lines: text or json
    #[config(env = "COUNTINGHOUSE_LOG_FORMAT", default = "text")]
    pub log_format: String,
}
