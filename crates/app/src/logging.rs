//! Log lines on standard error, as text for people or JSON for collectors.

use anyhow::Context as _;
use tracing_subscriber::EnvFilter;

/// What is logged unless `RUST_LOG` says otherwise. What clients do to their own connections is no error of the service, and nobody
/// may fill its log with it.
const DEFAULT: &str = "info,actix_http=off";

/// Begins logging. What is logged is said by `RUST_LOG`; `info` unless it is set.
///
/// # Errors
/// One line when `RUST_LOG` cannot be read.
pub fn begin(json: bool) -> anyhow::Result<()> {
    let wanted = std::env::var("RUST_LOG").unwrap_or_else(|_unset| DEFAULT.to_owned());
    let filter = EnvFilter::try_new(&wanted).with_context(|| format!("RUST_LOG is {wanted:?}"))?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    // A second call, as in tests, changes nothing.
    let begun = if json {
        lines.json().flatten_event(true).try_init()
    } else {
        lines.try_init()
    };
    drop(begun);
    Ok(())
}
