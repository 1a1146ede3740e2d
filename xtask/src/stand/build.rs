//! From a development build to a release build of the same command.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, bail};

/// Builds the binary and this program for release, and runs this command there.
pub(crate) fn again_in_release(root: &Path) -> anyhow::Result<ExitCode> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let built = Command::new(cargo)
        .args([
            "build",
            "--release",
            "--package",
            "app",
            "--package",
            "xtask",
        ])
        .current_dir(root)
        .status()
        .context("cannot run cargo")?;
    if !built.success() {
        bail!("the release build failed");
    }
    let release = profile_folder()?.with_file_name("release");
    let mut again = Command::new(release.join("xtask"));
    // What somebody has set for a service of their own, in the environment or in a file here, is not for this one.
    again
        .args(std::env::args_os().skip(1))
        .current_dir(&release);
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("COUNTINGHOUSE_") || name == "DATABASE_URL" {
            again.env_remove(name.as_ref());
        }
    }
    let status = again.status().context("cannot run the release build")?;
    // What went wrong has been said by then.
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The service's binary, beside this program.
pub(crate) fn service() -> anyhow::Result<PathBuf> {
    let binary = profile_folder()?.join("countinghouse");
    if !binary.is_file() {
        bail!(
            "there is no {}: run this as `cargo xtask`, which builds it",
            binary.display()
        );
    }
    Ok(binary)
}

fn profile_folder() -> anyhow::Result<PathBuf> {
    let program = std::env::current_exe()?;
    let folder = program.parent().context("a program is in a folder")?;
    Ok(folder.to_path_buf())
}
