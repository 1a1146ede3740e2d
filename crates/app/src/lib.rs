//! The `countinghouse` binary: settings, wiring, commands, workers.
//!
//! The one crate that knows every adapter. It reads the settings, opens the store, hands the adapters to the
//! domain's use cases, and serves them or runs one command on them.

mod batches;
pub mod cli;
pub mod commands;
pub mod cursor_key;
pub mod first_run;
pub mod logging;
pub mod master_key;
pub mod metrics;
pub mod new_file;
pub mod output;
pub mod passwords;
pub mod serve;
pub mod settings;
pub mod test_clock;
pub mod tls;
pub mod tokio_pauses;
pub mod traces;
pub mod wiring;
pub mod workers;

use cli::{Command, CommandLine};
use output::Output;
use settings::Settings;

/// How long the process stays for blocking calls that are still under way when its work is done. With what
/// goes before (25 seconds for requests and workers, 2 for the last traces) it comes to less than the 30 that
/// supervisors are promised.
const LAST_WAIT: std::time::Duration = std::time::Duration::from_secs(2);

/// Does what the command line says.
///
/// # Errors
/// What went wrong, in words for the operator.
pub async fn run(line: CommandLine) -> anyhow::Result<()> {
    let output = Output { json: line.json };
    match line.command.unwrap_or(Command::Serve) {
        // The document is the same whatever the settings.
        Command::Openapi => output.line(&http_api::openapi_json()),
        Command::Doctor { serving } => commands::doctor::run(serving, output).await,
        Command::Backup { file } => commands::backup::run(&Settings::read()?, &file, output).await,
        Command::Restore { file } => commands::restore::run(&Settings::read()?, &file, output).await,
        Command::Serve => serve::serve(Settings::read()?, output).await,
        Command::Migrate { to, citus } => commands::migrate::run(Settings::read()?, to, citus, output).await,
        Command::Partner(command) => commands::partner::run(&Settings::read()?, command, output).await,
        Command::Payment(command) => commands::payment::run(&Settings::read()?, command, output).await,
        Command::Gateway(command) => commands::gateway::run(&Settings::read()?, command, output).await,
        Command::Message(command) => commands::message::run(&Settings::read()?, command, output).await,
        Command::Reminder(command) => commands::reminder::run(&Settings::read()?, command, output).await,
        Command::Contact(command) => commands::contact::run(&Settings::read()?, command, output).await,
        Command::Escalation(command) => commands::escalation::run(&Settings::read()?, command, output).await,
        Command::Webhook(command) => commands::webhook::run(&Settings::read()?, command, output).await,
        Command::Rekey => commands::rekey::run(&Settings::read()?, output).await,
        Command::Audit(command) => commands::audit::run(&Settings::read()?, command, output).await,
        Command::Account(command) => commands::account::run(&Settings::read()?, command, output).await,
    }
}

/// Runs something of this crate to its end on a runtime of its own, with TLS made ready: what `main`
/// functions are made of.
///
/// # Errors
/// Those of `work`.
pub fn block_on(work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    // One provider for all TLS, in and out; a second install is impossible here and would be harmless.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let done = runtime.block_on(work);
    // A blocking call that nobody waits for any more, such as one to a disk that does not answer, does not
    // keep the process.
    runtime.shutdown_timeout(LAST_WAIT);
    done
}
