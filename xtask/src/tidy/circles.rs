//! Files of a crate, or of `xtask`, must not import each other in a circle.
//!
//! A file is a module; an edge is a path (`crate::`, `super::`, `self::`, or one that begins with a child
//! module) that leads to another file of the same crate. Tests are left out: they may import from any file.

use std::collections::{BTreeMap, BTreeSet};

use super::breach::Breach;
use super::code::Token;
use super::tree::{Tree, is_test_file};

/// The files of one crate by module path, each with its path and its code; the root is the empty path.
type Modules<'a> = BTreeMap<Vec<&'a str>, (&'a str, &'a [Token])>;

pub(super) fn check(tree: &Tree) -> Vec<Breach> {
    let sources = tree.crates().map(|name| format!("crates/{name}/src/")).chain(["xtask/src/".to_owned()]);
    sources.flat_map(|folder| circles(&modules(tree, &folder))).collect()
}

fn modules<'a>(tree: &'a Tree, sources: &str) -> Modules<'a> {
    let files = tree
        .code()
        .filter(|(path, _)| path.starts_with(sources) && !is_test_file(path) && !path.ends_with("/main.rs"));
    let mut modules = Modules::new();
    for (path, code) in files {
        let Some(inside) = path.strip_prefix(sources) else { continue };
        let Some(module) = module_of(inside) else { continue };
        for (name, folder) in folders_elsewhere(path, tree.text(path).unwrap_or_default()) {
            modules.extend(in_folder(tree, &folder).filter_map(|(inside, path, code)| {
                Some(([&module[..], &[name], &module_of(inside)?].concat(), (path, code)))
            }));
        }
        modules.insert(module, (path, code));
    }
    modules
}

/// The module path of a file, by its place in the folder of the root.
fn module_of(inside: &str) -> Option<Vec<&str>> {
    let mut names: Vec<&str> = inside.strip_suffix(".rs")?.split('/').collect();
    if matches!(names.last(), Some(&("mod" | "lib"))) {
        names.pop();
    }
    Some(names)
}

/// The modules of a file that have a `#[path]`, each with the folder of its `mod.rs`.
fn folders_elsewhere<'a>(path: &str, text: &'a str) -> Vec<(&'a str, String)> {
    let lines = text.lines().zip(text.lines().skip(1));
    let folders = lines.filter_map(|(attribute, module)| {
        let to = attribute.trim().strip_prefix("#[path = \"")?.strip_suffix("/mod.rs\"]")?;
        let name = module.trim().strip_suffix(';')?.rsplit(' ').next()?;
        let mut folder: Vec<&str> = path.split('/').collect();
        folder.pop();
        for part in to.split('/') {
            if part == ".." {
                folder.pop();
            } else {
                folder.push(part);
            }
        }
        Some((name, folder.join("/")))
    });
    folders.collect()
}

/// The files of a folder: each file's path within the folder, its full path and its code.
fn in_folder<'a>(tree: &'a Tree, folder: &str) -> impl Iterator<Item = (&'a str, &'a str, &'a [Token])> {
    tree.code()
        .filter_map(move |(path, code)| Some((path.strip_prefix(folder)?.strip_prefix('/')?, path, code)))
}

/// One breach for each circle, at its first file.
fn circles(modules: &Modules<'_>) -> Vec<Breach> {
    let edges: BTreeMap<&str, BTreeSet<&str>> =
        modules.iter().map(|(module, (path, code))| (*path, targets(modules, module, path, code))).collect();
    let reach: BTreeMap<&str, BTreeSet<&str>> =
        edges.keys().map(|from| (*from, reachable(&edges, from))).collect();
    let reaches = |from: &str, to: &str| reach.get(from).is_some_and(|seen| seen.contains(to));
    let mut done = BTreeSet::new();
    let mut breaches = Vec::new();
    for path in edges.keys().filter(|path| reaches(path, path)) {
        if !done.insert(*path) {
            continue;
        }
        let circle: Vec<&str> =
            edges.keys().filter(|other| reaches(path, other) && reaches(other, path)).copied().collect();
        done.extend(&circle);
        let what = format!("{} files import each other in a circle: {}", circle.len(), circle.join(", "));
        breaches.push(Breach::new(path, 1, what));
    }
    breaches
}

fn reachable<'a>(edges: &BTreeMap<&'a str, BTreeSet<&'a str>>, from: &str) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&str> = edges.get(from).into_iter().flatten().copied().collect();
    while let Some(path) = open.pop() {
        if seen.insert(path) {
            open.extend(edges.get(path).into_iter().flatten());
        }
    }
    seen
}

/// The other files to which the paths in a file lead.
fn targets<'a>(modules: &Modules<'a>, module: &[&str], path: &str, code: &[Token]) -> BTreeSet<&'a str> {
    let tokens: Vec<&str> = code.iter().map(|token| token.text.as_str()).collect();
    let mut found = BTreeSet::new();
    for start in (0..tokens.len()).filter(|start| *start == 0 || tokens.get(start - 1) != Some(&"::")) {
        let path = tokens.get(start..).unwrap_or_default();
        let is_child = |name| modules.contains_key(&[module, &[name]].concat());
        match path {
            ["crate", "::", rest @ ..] => follow(modules, &[], rest, &mut found),
            ["self", "::", rest @ ..] => follow(modules, module, rest, &mut found),
            ["super", "::", ..] => follow(modules, module, path, &mut found),
            [first, "::", ..] if is_child(*first) => follow(modules, module, path, &mut found),
            _ => {}
        }
    }
    found.remove(path);
    found
}

/// Follows a path, or each path of a group in braces, as long as it names files.
fn follow<'a>(modules: &Modules<'a>, base: &[&str], tokens: &[&str], found: &mut BTreeSet<&'a str>) {
    match tokens {
        ["super", "::", rest @ ..] => {
            let (_, up) = base.split_last().unwrap_or((&"", &[]));
            follow(modules, up, rest, found);
        }
        ["{", rest @ ..] => {
            let (mut depth, mut begins) = (1_u32, true);
            for (at, token) in rest.iter().enumerate() {
                match *token {
                    "{" => depth += 1,
                    "}" => depth -= 1,
                    _ if begins && depth == 1 => {
                        follow(modules, base, rest.get(at..).unwrap_or_default(), found);
                    }
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
                begins = *token == ",";
            }
        }
        [name, rest @ ..] => {
            let longer = [base, &[*name]].concat();
            match (modules.get(&longer), rest) {
                (Some(_), ["::", rest @ ..]) => follow(modules, &longer, rest, found),
                (Some((path, _)), _) => {
                    found.insert(path);
                }
                (None, _) => found.extend(modules.get(base).map(|(path, _)| *path)),
            }
        }
        [] => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_files(files: &[(&str, &str)]) -> Vec<Breach> {
        let mut paths = vec![("crates/kernel/Cargo.toml".to_owned(), String::new())];
        paths.extend(
            files.iter().map(|(path, text)| (format!("crates/kernel/src/{path}"), (*text).to_owned())),
        );
        check(&Tree::from(paths))
    }

    #[test]
    fn files_that_import_each_other_are_reported_once() {
        let found = check_files(&[
            ("lib.rs", "pub mod a;\npub mod b;\n"),
            ("a.rs", "use crate::{b::B, c};\npub struct A;\n"),
            ("b.rs", "pub struct B(super::a::A);\n"),
        ]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].path, "crates/kernel/src/a.rs");
        assert!(found[0].what.contains("2 files") && found[0].what.contains("src/b.rs"));
    }

    #[test]
    fn a_module_that_imports_what_the_root_reexports_closes_a_circle() {
        let found = check_files(&[
            ("lib.rs", "mod a;\nmod b;\npub use a::A;\npub use b::B;\n"),
            ("a.rs", "pub struct A;\n"),
            ("b.rs", "use crate::A;\npub struct B(A);\n"),
        ]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].what.contains("lib.rs"));
    }

    #[test]
    fn files_of_xtask_are_read_too() {
        let files = [("xtask/src/a.rs", "use super::b::B;\n"), ("xtask/src/b.rs", "use super::a::A;\n")];
        let tree = Tree::from(files.map(|(path, text)| (path.to_owned(), text.to_owned())).to_vec());
        assert_eq!(check(&tree).len(), 1);
    }

    #[test]
    fn modules_that_stand_elsewhere_are_followed() {
        let found = check_files(&[
            ("lib.rs", "mod a;\n#[path = \"../../kernel/src/shared/mod.rs\"]\nmod elsewhere;\n"),
            ("a.rs", "use super::elsewhere::b::B;\npub struct A;\n"),
            ("shared/mod.rs", "pub mod b;\n"),
            ("shared/b.rs", "use super::super::a::A;\npub struct B(A);\n"),
        ]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].what.contains("src/a.rs, crates/kernel/src/shared/b.rs"), "{found:?}");
    }

    #[test]
    fn imports_in_one_direction_and_in_tests_are_fine() {
        let found = check_files(&[
            ("lib.rs", "mod a;\nmod b;\npub use a::A;\n"),
            ("a.rs", "mod c;\nuse crate::b::B;\nfn f() { c::f() }\n"),
            ("a/c.rs", "use crate::b::B;\npub(super) fn f() {}\n"),
            ("b.rs", "pub struct B;\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n"),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }
}
