//! The front page of every crate (its root doc comment) says what the crate is for and shows an example.

use super::breach::Breach;
use super::tree::Tree;

/// Examples of these are elsewhere: in the repository's README, and in every test.
const WITHOUT_EXAMPLE: [&str; 2] = ["app", "testkit"];

pub(super) fn check(tree: &Tree) -> Vec<Breach> {
    tree.crates().filter_map(|name| front_page(tree, name)).collect()
}

fn front_page(tree: &Tree, name: &str) -> Option<Breach> {
    let library = format!("crates/{name}/src/lib.rs");
    let program = format!("crates/{name}/src/main.rs");
    let path = if tree.text(&library).is_some() { library } else { program };
    let text = tree.text(&path).unwrap_or_default();
    if !text.starts_with("//!") {
        return Some(Breach::new(
            &path,
            1,
            "open with `//!`: what the crate is for, and its part in the whole",
        ));
    }
    let example = text.lines().any(|line| line.starts_with("//! ```"));
    let readme = tree.text(&format!("crates/{name}/README.md"));
    if example || readme.is_some() || WITHOUT_EXAMPLE.contains(&name) {
        return None;
    }
    Some(Breach::new(&path, 1, "show on the front page, in a ``` block, how the crate is used"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = "//! A crate.\n//!\n//! ```\n//! assert!(true);\n//! ```\n";

    fn check_one(name: &str, text: &str) -> Vec<Breach> {
        let (manifest, library) = (format!("crates/{name}/Cargo.toml"), format!("crates/{name}/src/lib.rs"));
        check(&Tree::from([(manifest.as_str(), ""), (library.as_str(), text)]))
    }

    #[test]
    fn a_front_page_with_an_example_is_fine() {
        assert!(check_one("kernel", EXAMPLE).is_empty());
        assert!(check_one("app", "//! The program.\n").is_empty());
        assert!(
            check(&Tree::from([
                ("crates/mail/Cargo.toml", ""),
                ("crates/mail/README.md", "Mail."),
                ("crates/mail/src/lib.rs", "//! Mail.\n"),
            ]))
            .is_empty()
        );
    }

    #[test]
    fn a_missing_page_or_example_is_caught() {
        assert!(check_one("kernel", "pub mod money;\n")[0].what.contains("open with"));
        assert!(check_one("kernel", "//! A crate.\n// ```\n")[0].what.contains("block"));
        assert!(check(&Tree::from([("crates/mail/Cargo.toml", "")]))[0].what.contains("open with"));
    }
}
