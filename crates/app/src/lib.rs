//! The `countinghouse` binary: settings, wiring, commands, workers.
//!
//! The one crate that knows every adapter. It reads the settings, opens the store, hands the adapters to the domain's use cases,
//! and serves them or runs one command on them.

pub mod cli;
pub mod commands;
pub mod first_run;
pub mod logging;
pub mod master_key;
pub mod metrics;
pub mod output;
pub mod passwords;
pub mod serve;
pub mod settings;
pub mod tls;
pub mod traces;
pub mod wiring;
pub mod workers;

use cli::{Command, CommandLine};
use output::Output;
use settings::Settings;

/// Does what the command line says.
///
/// # Errors
/// What went wrong, in words for the operator.
pub async fn run(line: CommandLine) -> anyhow::Result<()> {
    let output = Output { json: line.json };
    match line.command.unwrap_or(Command::Serve) {
        // The document is the same whatever the settings.
        Command::Openapi => output.line(&http_actix::openapi_json()),
        Command::Serve => serve::serve(Settings::read()?, output).await,
        Command::Migrate { to } => commands::migrate::run(&Settings::read()?, to, output).await,
        Command::Partner(command) => {
            commands::partner::run(&Settings::read()?, command, output).await
        }
        Command::Payment(command) => {
            commands::payment::run(&Settings::read()?, command, output).await
        }
        Command::Account(command) => {
            commands::account::run(&Settings::read()?, command, output).await
        }
    }
}

/// Runs something of this crate to its end on a runtime of its own, with TLS made ready: what `main` functions are made of.
///
/// # Errors
/// Those of `work`.
pub fn block_on(work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    // One provider for all TLS, in and out; a second install is impossible here and would be harmless.
    let _ = rustls::crypto::ring::default_provider().install_default();
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(work)
}
