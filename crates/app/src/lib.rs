//! The `countinghouse` binary: settings, wiring, commands, workers.
//!
//! Only this crate knows every adapter. It reads the settings, opens the store, passes the adapters to the
//! use cases of the domain, and serves them or runs one command.

mod batches;
pub mod cli;
pub mod commands;
pub mod cursor_key;
pub mod first_run;
pub mod logging;
pub mod master_key;
mod message_language;
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
use tracing_subscriber::EnvFilter;

/// How long the process waits at its end for blocking calls that are still under way. Together with the
/// earlier waits (25 seconds for requests and workers, 2 for the last traces) this is less than the 30
/// seconds that supervisors are promised.
const LAST_WAIT: std::time::Duration = std::time::Duration::from_secs(2);

/// Runs the command of the command line.
pub async fn run(line: CommandLine) -> anyhow::Result<()> {
    let output = Output::new(line.json);
    let command = line.command.unwrap_or(Command::Serve);
    if !matches!(command, Command::Serve | Command::Migrate { .. }) {
        // What a command could not do, but need not fail for; and what it did that no audit entry records.
        logging::begin(EnvFilter::new("warn,app::commands=info"), false, None)?;
    }
    let done = run_command(command, output).await;
    commands::roll_backs_ended().await;
    done
}

async fn run_command(command: Command, output: Output) -> anyhow::Result<()> {
    match command {
        // The document does not depend on the settings.
        Command::Openapi => output.of_reading().line(&http_api::openapi_json()),
        Command::Doctor { serving } => commands::doctor::run(serving, output).await,
        Command::Backup { file } => commands::backup::run(&Settings::read()?, &file, output).await,
        Command::Restore { file } => commands::restore::run(&Settings::read()?, &file, output).await,
        Command::Serve => serve::serve(Settings::read()?, output).await,
        Command::Migrate { to, citus } => commands::migrate::run(Settings::read()?, to, citus, output).await,
        Command::Partner(command) => commands::partner::run(Settings::read()?, command, output).await,
        Command::Payment(command) => commands::payment::run(Settings::read()?, command, output).await,
        Command::Gateway(command) => commands::gateway::run(Settings::read()?, command, output).await,
        Command::Message(command) => commands::message::run(Settings::read()?, command, output).await,
        Command::Reminder(command) => commands::reminder::run(Settings::read()?, command, output).await,
        Command::Contact(command) => commands::contact::run(Settings::read()?, command, output).await,
        Command::Escalation(command) => commands::escalation::run(Settings::read()?, command, output).await,
        Command::Webhook(command) => commands::webhook::run(Settings::read()?, command, output).await,
        Command::Rekey => commands::rekey::run(Settings::read()?, output).await,
        Command::Audit(command) => commands::audit::run(Settings::read()?, command, output).await,
        Command::Account(command) => commands::account::run(Settings::read()?, command, output).await,
    }
}

/// Installs the TLS provider and runs `work` to its end on a new runtime: the body of a `main` function.
///
/// # Errors
/// Those of `work`.
pub fn block_on(work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    // One provider for all TLS, incoming and outgoing. A second call fails without harm.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let done = runtime.block_on(work);
    // A blocking call that outlasts the work, such as one to a hung disk, must not keep the process alive.
    runtime.shutdown_timeout(LAST_WAIT);
    done
}
