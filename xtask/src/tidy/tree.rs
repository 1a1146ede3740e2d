//! The files that the rules check.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::Context;

use super::code::{Token, shipped};

/// The files of the repository by path, with `/` between the folders.
#[derive(Debug)]
pub(super) struct Tree {
    /// The text of each file; `None` if a file is not text.
    texts: BTreeMap<String, Option<String>>,
    /// The shipped code of each Rust file.
    code: BTreeMap<String, Vec<Token>>,
}

impl Tree {
    /// Reads the files that git tracks or would track; in a copy without git, everything except build output.
    pub(super) fn read(root: &Path) -> anyhow::Result<Self> {
        let paths = match tracked(root) {
            Some(paths) => paths,
            None => walked(root)?,
        };
        let mut files = BTreeMap::new();
        for path in paths {
            // A file that is deleted and not yet committed is still listed.
            if let Ok(bytes) = std::fs::read(root.join(&path)) {
                files.insert(path, String::from_utf8(bytes).ok());
            }
        }
        Ok(Self::new(files))
    }

    fn new(texts: BTreeMap<String, Option<String>>) -> Self {
        let rust = texts.iter().filter(|(path, _)| path.ends_with(".rs"));
        let code = rust.filter_map(|(path, text)| Some((path.clone(), shipped(text.as_ref()?))));
        Self { code: code.collect(), texts }
    }

    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.texts.keys().map(String::as_str)
    }

    /// Every text file, as path and text.
    pub(super) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts.iter().filter_map(|(path, text)| Some((path.as_str(), text.as_deref()?)))
    }

    /// Every Rust file, as path and shipped code.
    pub(super) fn code(&self) -> impl Iterator<Item = (&str, &[Token])> {
        self.code.iter().map(|(path, code)| (path.as_str(), code.as_slice()))
    }

    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.texts.get(path)?.as_deref()
    }

    /// The folders under `crates/` that contain a manifest.
    pub(super) fn crates(&self) -> impl Iterator<Item = &str> {
        self.paths().filter_map(|path| {
            let folder = path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")?;
            (!folder.contains('/')).then_some(folder)
        })
    }
}

/// The crate to whose sources this file belongs: `crates/<crate>/src/...`.
pub(super) fn crate_of_source(path: &str) -> Option<&str> {
    let (name, rest) = path.strip_prefix("crates/")?.split_once('/')?;
    rest.starts_with("src/").then_some(name)
}

/// Whether a file contains only tests: `tests.rs`, or anything in a folder `tests`.
pub(super) fn is_test_file(path: &str) -> bool {
    path.split('/').any(|part| part == "tests" || part == "tests.rs")
}

fn tracked(root: &Path) -> Option<Vec<String>> {
    // A copy unpacked inside another repository does not belong to that repository.
    if !root.join(".git").exists() {
        return None;
    }
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .ok()
        .filter(|listed| listed.status.success())?;
    let listed = String::from_utf8(listed.stdout).ok()?;
    Some(listed.split_terminator('\0').map(str::to_owned).collect())
}

fn walked(root: &Path) -> anyhow::Result<Vec<String>> {
    const MADE: [&str; 3] = [".git", "target", "data"];
    let mut folders = vec![String::new()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        let at = root.join(&folder);
        let entries = at.read_dir().with_context(|| at.display().to_string())?;
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type()?;
            let path = format!("{folder}{name}");
            if kind.is_file() {
                files.push(path);
            } else if kind.is_dir() && !(folder.is_empty() && MADE.contains(&name.as_str())) {
                folders.push(format!("{path}/"));
            }
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    impl From<Vec<(String, String)>> for Tree {
        fn from(files: Vec<(String, String)>) -> Self {
            Self::new(files.into_iter().map(|(path, text)| (path, Some(text))).collect())
        }
    }

    impl<const N: usize> From<[(&str, &str); N]> for Tree {
        fn from(files: [(&str, &str); N]) -> Self {
            Self::from(files.map(|(path, text)| (path.to_owned(), text.to_owned())).to_vec())
        }
    }

    fn write(root: &Path, path: &str, text: &[u8]) {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn a_folder() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), ".gitignore", b"/target\n/data\n");
        write(root.path(), "crates/kernel/Cargo.toml", b"[package]");
        write(root.path(), "crates/kernel/src/data/lib.rs", b"//! A crate.");
        write(root.path(), "logo.png", &[0xFF, 0xFE, 0]);
        write(root.path(), "target/debug/made.rs", b"");
        root
    }

    fn look(root: &Path) {
        let tree = Tree::read(root).unwrap();
        assert_eq!(tree.len(), 4);
        assert_eq!(tree.crates().collect::<Vec<_>>(), ["kernel"]);
        assert_eq!(tree.code().count(), 1);
        assert_eq!(tree.texts().count(), 3);
    }

    #[test]
    fn a_copy_without_git_is_walked() {
        look(a_folder().path());
    }

    #[test]
    fn a_new_file_is_looked_at_before_it_is_committed() {
        let root = a_folder();
        let git = |args: &[&str]| {
            let mut git = Command::new("git");
            git.args(args).current_dir(root.path());
            // In a git hook, these variables would refer to the real repository.
            for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
                git.env_remove(name);
            }
            git.output()
        };
        if git(&["init"]).is_err() {
            return; // Without git, the folder is walked, which the test above covers.
        }
        write(root.path(), "gone.rs", b"");
        git(&["add", "gone.rs"]).unwrap();
        std::fs::remove_file(root.path().join("gone.rs")).unwrap();
        look(root.path());
    }

    #[test]
    fn sources_and_tests_are_told_apart() {
        assert_eq!(crate_of_source("crates/kernel/src/money.rs"), Some("kernel"));
        assert_eq!(crate_of_source("crates/kernel/tests/money.rs"), None);
        assert!(is_test_file("crates/store-diesel/src/queries/tests.rs"));
        assert!(is_test_file("tests/contacts/create.rs"));
        assert!(!is_test_file("crates/testkit/src/lib.rs"));
    }
}
