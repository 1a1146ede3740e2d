//! The repository's own chores, run as `cargo xtask <chore>`: one module for each.

mod tidy;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
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
    /// Checks what the compiler cannot: who may know whom, names, sizes, migrations, front pages.
    Tidy,
}

fn main() -> anyhow::Result<ExitCode> {
    match Arguments::parse().chore {
        Chore::Tidy => tidy::run(&root()?),
    }
}

/// The root of the repository: the folder around this package, wherever the chore is called from.
fn root() -> anyhow::Result<PathBuf> {
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .context("run this as `cargo xtask`, so that it finds the repository")?;
    let package = PathBuf::from(package);
    let root = package.parent().context("this package has a parent")?;
    Ok(root.to_path_buf())
}
