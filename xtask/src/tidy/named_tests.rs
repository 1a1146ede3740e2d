//! Every file and test that the documentation names exists.

use super::breach::Breach;
use super::tree::Tree;

/// The folders of the repository whose files the pages name.
const FOLDERS: [&str; 4] = ["crates/", "tests/", "xtask/", "migrations/"];

pub(super) fn check(tree: &Tree) -> Vec<Breach> {
    let is_page = |path: &&str| path.ends_with(".md") && (!path.contains('/') || path.starts_with("docs/"));
    tree.paths().filter(is_page).flat_map(|page| check_page(tree, page)).collect()
}

fn check_page(tree: &Tree, page: &str) -> Vec<Breach> {
    let text = tree.text(page).unwrap_or_default();
    let mut breaches = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for quoted in line.split('`').skip(1).step_by(2) {
            let missing = missing(tree, quoted);
            breaches.extend(missing.map(|what| Breach::new(page, index + 1, what)));
        }
    }
    breaches
}

/// The fault of a path, or a `path::test`, that a page names; other quoted words are not checked, such as
/// paths with a placeholder.
fn missing(tree: &Tree, quoted: &str) -> Option<String> {
    let is_path = FOLDERS.iter().any(|folder| quoted.starts_with(folder));
    if !is_path || quoted.contains([' ', '<', '*']) {
        return None;
    }
    let Some((path, test)) = quoted.split_once("::") else {
        let folder = format!("{}/", quoted.trim_end_matches('/'));
        let there = tree.paths().any(|path| path == quoted || path.starts_with(&folder));
        return (!there).then(|| format!("{quoted} is not there: name what took its place"));
    };
    let text = tree.text(path).unwrap_or_default();
    (!has_test(text, test))
        .then(|| format!("{path} has no test {test}: name the one that shows this now, or write it again"))
}

/// Whether a file has a test function with this name that is not ignored: a test attribute is above it, with
/// only other attributes in between, none of which is `ignore`.
fn has_test(text: &str, name: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines.iter().enumerate().any(|(place, line)| {
        let line = line.trim_start_matches("async ");
        let is_it = line
            .strip_prefix("fn ")
            .and_then(|rest| rest.strip_prefix(name))
            .is_some_and(|rest| rest.starts_with('('));
        let above = lines.get(..place).unwrap_or_default().iter().rev();
        let attributes: Vec<_> = above.take_while(|line| line.starts_with("#[")).collect();
        let is_test = attributes.iter().any(|line| line.contains("test"));
        let is_ignored = attributes.iter().any(|line| line.starts_with("#[ignore"));
        is_it && is_test && !is_ignored
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TESTS: &str = "fn holds() {}\n\n#[test]\nfn it_holds() {}\n\n    #[tokio::test(start_paused = true)]\n    #[allow(clippy::unwrap_used)]\n    async fn it_waits() {}\n\n\
        #[test]\n#[ignore = \"slow\"]\nfn it_sleeps() {}\n";

    fn found(page: &str) -> Vec<Breach> {
        check(&Tree::from([
            ("SECURITY.md", page),
            ("crates/kernel/src/page.rs", TESTS),
            ("tests/run.py", ""),
        ]))
    }

    #[test]
    fn existing_tests_and_files_are_accepted() {
        let page = "`crates/kernel/src/page.rs::it_holds`, `crates/kernel/src/page.rs::it_waits`\n`tests/run.py` `crates/kernel/src/`\n\
            `pay_url` `python3 tests/run.py --cases 9` `kernel::Money`";
        assert_eq!(found(page), []);
        assert_eq!(check(&Tree::from([("README.md", "")])), []);
    }

    #[test]
    fn missing_test_or_file_is_reported() {
        for gone in [
            "crates/kernel/src/page.rs::it_held",
            "crates/kernel/src/page.rs::it_hold",
            "crates/kernel/src/page.rs::holds",
            "crates/kernel/src/page.rs::it_sleeps",
            "crates/kernel/src/pages.rs::it_holds",
            "crates/kernel/src/pages.rs",
            "tests/run",
        ] {
            let breaches = found(&format!("Fine.\n| a | `{gone}` |"));
            assert_eq!(breaches.len(), 1, "{gone}");
            assert_eq!((breaches[0].path.as_str(), breaches[0].line), ("SECURITY.md", 2));
        }
    }
}
