//! Rebuilds the crate when a migration is added, since the macro that embeds migrations notices only changes
//! of existing ones. Also lists PostgreSQL's migrations with their SQL, for clusters, which apply them
//! statement by statement.

use std::io::{Error, Result};
use std::path::{Path, PathBuf};

fn main() -> Result<()> {
    println!("cargo::rerun-if-changed=../../migrations");
    let package = variable("CARGO_MANIFEST_DIR")?;
    let migrations = package.join("../../migrations");
    let mut folders = Vec::new();
    for folder in ["postgres", "both"] {
        for entry in migrations.join(folder).read_dir()? {
            let path = entry?.path();
            if path.join("up.sql").is_file() {
                folders.push(path);
            }
        }
    }
    folders.sort_by_key(|path| path.file_name().map(ToOwned::to_owned));
    let listed: Result<Vec<String>> = folders.iter().map(|path| migration(path)).collect();
    let list = format!("&[{}]", listed?.join(",\n"));
    std::fs::write(variable("OUT_DIR")?.join("postgres_migrations.rs"), list)
}

fn variable(name: &str) -> Result<PathBuf> {
    std::env::var_os(name).map(PathBuf::from).ok_or_else(|| Error::other(format!("{name} is not set")))
}

/// The Rust expression of a migration: its name and its SQL.
fn migration(path: &Path) -> Result<String> {
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| Error::other("a migration's name is no text"))?;
    let (up, down) = (path.join("up.sql").canonicalize()?, path.join("down.sql").canonicalize()?);
    Ok(format!("Migration {{ name: {name:?}, up: include_str!({up:?}), down: include_str!({down:?}) }}"))
}
