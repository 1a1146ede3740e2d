//! Both databases have the same migrations, and each can be reverted.

use std::collections::{BTreeMap, BTreeSet};

use super::breach::Breach;
use super::tree::Tree;

const DATABASES: [&str; 2] = ["postgres", "sqlite"];

/// The folder of migrations whose SQL is the same on both databases.
const BOTH: &str = "both";

pub(super) fn check(tree: &Tree) -> Vec<Breach> {
    let own: BTreeSet<&str> = DATABASES.iter().flat_map(|one| names(tree, one)).collect();
    let both: BTreeSet<&str> = names(tree, BOTH).collect();
    let mut folders: Vec<String> = both.iter().map(|name| format!("{BOTH}/{name}")).collect();
    for name in &own {
        folders.extend(DATABASES.iter().map(|database| format!("{database}/{name}")));
    }
    let mut breaches = Vec::new();
    for folder in folders {
        for file in ["up.sql", "down.sql"] {
            let path = format!("migrations/{folder}/{file}");
            if tree.text(&path).is_none_or(|text| text.trim().is_empty()) {
                let what = "write it: both databases have every migration, up and down; where one needs nothing, write a comment that says why";
                breaches.push(Breach::new(&path, 1, what));
            }
        }
    }
    breaches.extend(numbered_twice(own.iter().chain(&both).copied()));
    breaches
}

/// The names of the migrations in a folder.
fn names<'a>(tree: &'a Tree, folder: &'a str) -> impl Iterator<Item = &'a str> {
    tree.paths().filter_map(move |path| {
        let (within, rest) = path.strip_prefix("migrations/")?.split_once('/')?;
        let (name, _) = rest.split_once('/')?;
        (within == folder).then_some(name)
    })
}

fn numbered_twice<'a>(names: impl Iterator<Item = &'a str>) -> Vec<Breach> {
    let mut taken: BTreeMap<&str, &str> = BTreeMap::new();
    let mut breaches = Vec::new();
    for name in names {
        let number = name.split('_').next().unwrap_or(name);
        if let Some(other) = taken.insert(number, name) {
            let path = format!("migrations/{BOTH}/{name}/up.sql");
            breaches.push(Breach::new(&path, 1, format!("take the next free number: {other} has this one")));
        }
    }
    breaches
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQL: &str = "SELECT 1;";

    #[test]
    fn same_migrations_up_and_down_are_fine() {
        assert!(
            check(&Tree::from([
                ("migrations/README.md", ""),
                ("migrations/postgres/0001_a/up.sql", SQL),
                ("migrations/postgres/0001_a/down.sql", SQL),
                ("migrations/sqlite/0001_a/up.sql", SQL),
                ("migrations/sqlite/0001_a/down.sql", SQL),
                ("migrations/both/0002_b/up.sql", SQL),
                ("migrations/both/0002_b/down.sql", SQL),
            ]))
            .is_empty()
        );
    }

    #[test]
    fn missing_or_empty_file_is_caught() {
        let found = check(&Tree::from([
            ("migrations/postgres/0001_a/up.sql", SQL),
            ("migrations/postgres/0001_a/down.sql", " \n"),
            ("migrations/sqlite/0001_a/up.sql", SQL),
            ("migrations/both/0002_b/up.sql", SQL),
        ]));
        let paths: Vec<&str> = found.iter().map(|breach| breach.path.as_str()).collect();
        assert_eq!(
            paths,
            [
                "migrations/both/0002_b/down.sql",
                "migrations/postgres/0001_a/down.sql",
                "migrations/sqlite/0001_a/down.sql"
            ]
        );
    }

    #[test]
    fn a_number_taken_twice_is_caught() {
        let found = numbered_twice(["0001_a", "0002_c", "0001_b"].into_iter());
        assert_eq!(found.len(), 1);
        assert!(found[0].what.contains("0001_a"));
    }
}
