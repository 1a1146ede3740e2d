//! Chores of this repository, run as `cargo xtask <chore>`: one module for each.

mod bench;
mod classify;
mod fixtures;
mod scale;
mod seed;
mod tidy;
mod torture;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use app::cli::{Command, CommandLine, MigrateTo};
use clap::{Parser, Subcommand};

/// Chores of the Countinghouse repository.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Debug, Subcommand)]
enum Chore {
    /// Applies the pending migrations to the database in DATABASE_URL, or else to the embedded one, reverts
    /// the last one, or lists them.
    Migrate {
        /// What to do.
        #[arg(value_enum, default_value_t = MigrateTo::Up)]
        to: MigrateTo,
        /// Distribute the tables over a Citus cluster.
        #[arg(long)]
        citus: bool,
    },
    /// Fills the database in DATABASE_URL, or else the embedded one, with invented accounts, contacts and
    /// invoices, the same at every run. Their keys can be guessed: never seed a database with real accounts.
    Seed(seed::Options),
    /// Measures how fast the service is, each figure compared with its floor in the same run.
    Bench(bench::Options),
    /// Computes from measured costs the servers needed for a number of invoices a second.
    Scale(scale::Options),
    /// Fault injection: puts load on the service while its environment fails, and checks the stored records.
    Torture(torture::Options),
    /// Prints how well the rules classify the held-out messages; fails if a goal is missed.
    Classify,
    /// Writes openapi.json from the code.
    Openapi,
    /// Checks rules that the compiler cannot: dependencies between crates, names, sizes, migrations, front
    /// pages.
    Tidy,
}

fn main() -> anyhow::Result<ExitCode> {
    match Arguments::parse().chore {
        Chore::Classify => return classify::run(&root()?),
        Chore::Tidy => return tidy::run(&root()?),
        Chore::Bench(options) => return bench::run(&root()?, &options),
        Chore::Scale(options) => scale::run(&options)?,
        Chore::Torture(options) => return torture::run(&root()?, &options),
        Chore::Openapi => {
            let file = root()?.join("openapi.json");
            std::fs::write(&file, http_api::openapi_json())
                .with_context(|| format!("cannot write {}", file.display()))?;
        }
        Chore::Migrate { to, citus } => {
            let command = Some(Command::Migrate { to, citus });
            app::block_on(app::run(CommandLine { command, json: false }))?;
        }
        Chore::Seed(options) => app::block_on(seed::run(options))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The root of the repository: the parent folder of this package, independent of the working directory.
fn root() -> anyhow::Result<PathBuf> {
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .context("run this as `cargo xtask`, so that it finds the repository")?;
    let package = PathBuf::from(package);
    let root = package.parent().context("this package has a parent")?;
    Ok(root.to_path_buf())
}
