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
    let listed: Result<Vec<String>> =
        folders.iter().map(|path| migration(path.strip_prefix(&package).unwrap_or(path))).collect();
    let list = format!("&[{}]", listed?.join(",\n"));
    std::fs::write(variable("OUT_DIR")?.join("postgres_migrations.rs"), list)
}

fn variable(name: &str) -> Result<PathBuf> {
    std::env::var_os(name).map(PathBuf::from).ok_or_else(|| Error::other(format!("{name} is not set")))
}

/// The Rust expression of a migration: its name and its SQL. `path` is relative to this package, so that a
/// build in a copy of the workspace that shares the target directory does not read the files of the first.
fn migration(path: &Path) -> Result<String> {
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| Error::other("a migration's name is no text"))?;
    let sql = |file: &str| {
        let path = Path::new("/").join(path).join(file);
        format!("include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {path:?}))")
    };
    Ok(format!("Migration {{ name: {name:?}, up: {}, down: {} }}", sql("up.sql"), sql("down.sql")))
}
