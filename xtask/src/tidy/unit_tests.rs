//! A library without unit tests sets `test = false` and `bench = false`, because otherwise the whole library
//! is compiled again for them. A library with unit tests must not set `test = false`.

use super::breach::Breach;
use super::manifest::Manifest;
use super::tree::{Tree, crate_of_source};

pub(super) fn check(tree: &Tree) -> Vec<Breach> {
    tree.crates().filter_map(|name| check_crate(tree, name)).collect()
}

fn check_crate(tree: &Tree, name: &str) -> Option<Breach> {
    let path = format!("crates/{name}/Cargo.toml");
    let manifest = Manifest::parse(tree.text(&path)?).ok()?;
    let sources = tree.texts().filter(|(path, _)| crate_of_source(path) == Some(name));
    let tests = sources.filter(|(_, text)| text.lines().any(|line| is_for_tests(line.trim())));
    match tests.map(|(path, _)| path).next() {
        Some(test) if !manifest.has_unit_tests() => {
            let what =
                format!("the tests of {test} are never run: remove `test = false` under [lib], or move them");
            Some(Breach::new(&path, 1, what))
        }
        None if manifest.is_compiled_for_tests() => {
            let what = "there are no unit tests: say `test = false` and `bench = false` under [lib], so that none are \
                        compiled";
            Some(Breach::new(&path, 1, what))
        }
        _ => None,
    }
}

/// Whether a line makes what follows part of the unit tests, such as `#[cfg(all(test, unix))]`.
fn is_for_tests(line: &str) -> bool {
    let is_word = |word: &str| word.trim() == "test";
    line.starts_with("#[cfg(") && !line.contains("not(test)") && line.split(['(', ',', ')']).any(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITH: &str = "fn one() {}\n#[cfg(test)]\nmod tests {}\n";
    const WITHOUT: &str = "fn one() {}\n";
    const SWITCHED_OFF: &str = "[package]\nname = \"kernel\"\n[lib]\ntest = false\nbench = false\n";
    const HALF: &str = "[package]\nname = \"kernel\"\n[lib]\ntest = false\n";
    const SWITCHED_ON: &str = "[package]\nname = \"kernel\"\n";

    fn found(manifest: &str, source: &str) -> Vec<Breach> {
        check(&Tree::from([("crates/kernel/Cargo.toml", manifest), ("crates/kernel/src/one.rs", source)]))
    }

    #[test]
    fn tests_are_run_and_where_there_are_none_nothing_is_compiled_for_them() {
        assert_eq!(found(SWITCHED_ON, WITH), []);
        assert_eq!(found(SWITCHED_OFF, WITHOUT), []);
        for source in [WITH, "#[cfg(all(test, unix))]\nmod tests {}\n"] {
            let unrun = found(SWITCHED_OFF, source);
            assert!(unrun[0].what.contains("crates/kernel/src/one.rs are never run"), "{unrun:?}");
        }
        for manifest in [SWITCHED_ON, HALF] {
            let needless = found(manifest, WITHOUT);
            assert!(needless[0].what.contains("no unit tests"), "{needless:?}");
        }
    }
}
