//! No catch-all files: a file is named after its content.

use std::collections::BTreeSet;

use super::breach::Breach;
use super::tree::Tree;

const CATCH_ALL_NAMES: [&str; 6] = ["utils", "util", "helpers", "helper", "common", "misc"];

pub(super) fn check(tree: &Tree) -> Vec<Breach> {
    let catch_alls: BTreeSet<String> = tree.paths().filter_map(catch_all).collect();
    catch_alls
        .iter()
        .map(|path| Breach::new(path, 1, "name it for the noun or the verb that it holds"))
        .collect()
}

/// The path up to and including the first part with a catch-all name.
fn catch_all(path: &str) -> Option<String> {
    let mut upto = Vec::new();
    for part in path.split('/') {
        upto.push(part);
        let stem = part.split('.').next().unwrap_or(part);
        if CATCH_ALL_NAMES.contains(&stem.to_ascii_lowercase().as_str()) {
            return Some(upto.join("/"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn catch_all_name_is_reported_once_and_longer_names_are_not() {
        let tree = Tree::from([
            ("crates/kernel/src/utils.rs", ""),
            ("tests/common/mod.rs", ""),
            ("tests/common/client.rs", ""),
            ("docs/Misc.md", ""),
            ("crates/kernel/src/commonwealth.rs", ""),
        ]);
        let found: Vec<String> = check(&tree).into_iter().map(|breach| breach.path).collect();
        assert_eq!(found, ["crates/kernel/src/utils.rs", "docs/Misc.md", "tests/common"]);
    }
}
