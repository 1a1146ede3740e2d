//! Finding the machine's PostgreSQL, and running queries with `psql`.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The paths of the server's programs and of `psql`.
#[derive(Debug, Clone)]
pub(super) struct Binaries {
    /// The directory of `initdb`, `pg_ctl` and `postgres`.
    pub(super) server: PathBuf,
    psql: PathBuf,
}

impl Binaries {
    /// The programs on `PATH`, or else the highest version that Debian's packages have installed.
    pub(super) fn find() -> Option<Self> {
        let on_path: Vec<PathBuf> =
            std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
        Self::find_in(&on_path, Path::new("/usr/lib/postgresql"))
    }

    fn find_in(on_path: &[PathBuf], installed: &Path) -> Option<Self> {
        let candidates = on_path.iter().filter_map(|dir| home_of_initdb(dir));
        let server = candidates.chain(versions(installed)).find(|dir| is_server(dir))?;
        let psql = std::iter::once(&server)
            .chain(on_path)
            .map(|dir| dir.join("psql"))
            .find(|psql| psql.is_file())?;
        Some(Self { server, psql })
    }

    /// A client tool, which is beside `psql` or beside the server.
    pub(super) fn tool(&self, name: &str) -> Option<PathBuf> {
        [self.psql.parent(), Some(self.server.as_path())]
            .into_iter()
            .flatten()
            .map(|dir| dir.join(name))
            .find(|tool| tool.is_file())
    }

    /// Runs statements, each in a transaction of its own, and returns what they print.
    pub(super) fn query(&self, url: &str, statements: &[&str]) -> String {
        let mut psql = Command::new(&self.psql);
        psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url]);
        for statement in statements {
            psql.args(["-c", statement]);
        }
        // The user's own settings (PGOPTIONS, PGSSLMODE, PGSERVICE) are for other servers.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("PG") {
                psql.env_remove(name);
            }
        }
        let answer = psql.output().expect("psql starts");
        assert!(
            answer.status.success(),
            "{statements:?} failed: {}",
            String::from_utf8_lossy(&answer.stderr)
        );
        String::from_utf8_lossy(&answer.stdout).trim().to_owned()
    }
}

/// The directory of the real `initdb`: the other programs are beside that file, not beside a link to it.
fn home_of_initdb(dir: &Path) -> Option<PathBuf> {
    let initdb = dir.join("initdb").canonicalize().ok()?;
    initdb.parent().map(Path::to_path_buf)
}

fn is_server(dir: &Path) -> bool {
    ["initdb", "pg_ctl", "postgres"].iter().all(|program| dir.join(program).is_file())
}

/// The `bin` directories of all installed versions, highest first.
fn versions(installed: &Path) -> Vec<PathBuf> {
    let Ok(entries) = installed.read_dir() else {
        return Vec::new();
    };
    let mut versions: Vec<(u32, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| {
            let version = entry.file_name().to_str()?.split('.').next()?.parse().ok()?;
            Some((version, entry.path().join("bin")))
        })
        .collect();
    versions.sort();
    versions.into_iter().rev().map(|(_, bin)| bin).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn install(dir: &Path, programs: &[&str]) {
        fs::create_dir_all(dir).unwrap();
        for program in programs {
            fs::write(dir.join(program), "").unwrap();
        }
    }

    const ALL: [&str; 4] = ["initdb", "pg_ctl", "postgres", "psql"];

    #[test]
    fn the_highest_complete_version_is_taken() {
        let root = tempfile::tempdir().unwrap();
        install(&root.path().join("9.6/bin"), &ALL);
        install(&root.path().join("15/bin"), &ALL);
        install(&root.path().join("16/bin"), &["psql"]);
        let found = Binaries::find_in(&[], root.path()).unwrap();
        assert_eq!(found.server, root.path().join("15/bin"));
        assert!(Binaries::find_in(&[], &root.path().join("none")).is_none());
    }

    #[test]
    fn a_link_on_the_path_leads_to_its_neighbours() {
        let root = tempfile::tempdir().unwrap();
        let (real, linked) = (root.path().join("real"), root.path().join("linked"));
        install(&real, &ALL[..3]);
        install(&linked, &["psql"]);
        std::os::unix::fs::symlink(real.join("initdb"), linked.join("initdb")).unwrap();
        let found = Binaries::find_in(std::slice::from_ref(&linked), root.path()).unwrap();
        assert_eq!(found.server, real.canonicalize().unwrap());
        assert_eq!(found.psql, linked.join("psql"));
    }
}
