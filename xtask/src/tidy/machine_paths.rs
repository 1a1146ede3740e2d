//! No paths that exist on one machine only.

use super::breach::{Breach, in_lines};
use super::tree::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Breach> {
    let any = |_: &str| true;
    in_lines(tree, any, |line| {
        let found = machine_path(line)?;
        Some(format!("{found} is on one machine only: write it relative to the repository, or as a setting"))
    })
}

/// The first absolute path on the line that leads into a person's or a machine's own folders.
fn machine_path(line: &str) -> Option<String> {
    line.match_indices('/').find_map(|(at, _)| {
        let (before, path) = line.split_at_checked(at)?;
        // A slash in the middle of a longer path or URL is not a root.
        let is_root = !before.ends_with(|c: char| c.is_alphanumeric() || "._-/}*$~".contains(c));
        let mut parts = path.split('/').skip(1);
        let (first, second) = (parts.next()?, parts.next()?);
        let own = match first {
            "work" | "root" => true,
            "home" | "Users" => second.starts_with(char::is_alphanumeric) && parts.next().is_some(),
            _ => false,
        };
        (is_root && own).then(|| format!("/{first}/"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds the slash, since this file is checked too.
    fn line(text: &str) -> String {
        text.replace('|', "/")
    }

    #[test]
    fn paths_of_one_machine_are_caught() {
        for text in ["cd |work|main", "path = \"|root|.cargo\"", "(|home|ann|src)", "|Users|ann|src"] {
            let text = format!("fine\n{}\n", line(text));
            let found = check(&Tree::from([("README.md", text.as_str())]));
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!(found[0].line, 2);
        }
    }

    #[test]
    fn addresses_and_paths_in_the_repository_are_fine() {
        for text in [
            "https:||x.example|work|1", "crates|work|src", "|usr|lib|x", "|home|", "`$dir|root|x`",
            "a | work",
        ] {
            assert_eq!(machine_path(&line(text)), None, "{text}");
        }
    }
}
