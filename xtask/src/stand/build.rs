//! From a development build to a build of the same command as it is installed (profile `dist`).

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, bail};

/// The cargo profile of the container image.
const PROFILE: &str = "dist";

/// Builds the service and this program with the profile of the image, and runs this command from there.
pub(crate) fn rerun_optimised(root: &Path) -> anyhow::Result<ExitCode> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let built = Command::new(cargo)
        .args([
            "build",
            "--profile",
            PROFILE,
            "--package",
            "app",
            "--package",
            "xtask",
        ])
        .current_dir(root)
        .status()
        .context("cannot run cargo")?;
    if !built.success() {
        bail!("the optimised build failed");
    }
    let optimised = profile_folder()?.with_file_name(PROFILE);
    let mut again = Command::new(optimised.join("xtask"));
    // What somebody has set for a service of their own, in the environment or in a file here, is not for this one.
    again
        .args(std::env::args_os().skip(1))
        .current_dir(&optimised);
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("COUNTINGHOUSE_") || name == "DATABASE_URL" {
            again.env_remove(name.as_ref());
        }
    }
    let status = again.status().context("cannot run the optimised build")?;
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
