//! Both databases take the same steps, each of which can be taken back.

use std::collections::{BTreeMap, BTreeSet};

use super::Breach;
use super::tree::Tree;

const DATABASES: [&str; 2] = ["postgres", "sqlite"];

pub(super) fn check(tree: &Tree) -> Vec<Breach> {
    let steps: BTreeSet<&str> = tree.paths().filter_map(step).collect();
    let mut breaches = Vec::new();
    for step in &steps {
        for database in DATABASES {
            let folder = format!("migrations/{database}/{step}");
            for file in ["up.sql", "down.sql"] {
                let path = format!("{folder}/{file}");
                if tree.text(&path).is_none_or(|text| text.trim().is_empty()) {
                    let what = "write it: both databases take every step, and back; a step that one does not need is a comment that says why";
                    breaches.push(Breach::new(&path, 1, what));
                }
            }
        }
    }
    breaches.extend(numbered_twice(&steps));
    breaches
}

fn step(path: &str) -> Option<&str> {
    let (database, rest) = path.strip_prefix("migrations/")?.split_once('/')?;
    let (step, _) = rest.split_once('/')?;
    DATABASES.contains(&database).then_some(step)
}

fn numbered_twice(steps: &BTreeSet<&str>) -> Vec<Breach> {
    let mut taken: BTreeMap<&str, &str> = BTreeMap::new();
    let mut breaches = Vec::new();
    for step in steps {
        let number = step.split('_').next().unwrap_or(step);
        if let Some(other) = taken.insert(number, step) {
            let path = format!("migrations/postgres/{step}/up.sql");
            breaches.push(Breach::new(
                &path,
                1,
                format!("take the next free number: {other} has this one"),
            ));
        }
    }
    breaches
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQL: &str = "SELECT 1;";

    #[test]
    fn the_same_steps_up_and_down_are_fine() {
        assert!(
            check(&Tree::from([
                ("migrations/README.md", ""),
                ("migrations/postgres/0001_a/up.sql", SQL),
                ("migrations/postgres/0001_a/down.sql", SQL),
                ("migrations/sqlite/0001_a/up.sql", SQL),
                ("migrations/sqlite/0001_a/down.sql", SQL),
            ]))
            .is_empty()
        );
    }

    #[test]
    fn a_step_that_one_database_lacks_or_that_leads_nowhere_back_is_caught() {
        let found = check(&Tree::from([
            ("migrations/postgres/0001_a/up.sql", SQL),
            ("migrations/postgres/0001_a/down.sql", " \n"),
            ("migrations/sqlite/0001_a/up.sql", SQL),
        ]));
        let paths: Vec<&str> = found.iter().map(|breach| breach.path.as_str()).collect();
        assert_eq!(
            paths,
            [
                "migrations/postgres/0001_a/down.sql",
                "migrations/sqlite/0001_a/down.sql"
            ]
        );
    }

    #[test]
    fn a_number_taken_twice_is_caught() {
        let steps = BTreeSet::from(["0001_a", "0001_b", "0002_c"]);
        let found = numbered_twice(&steps);
        assert_eq!(found.len(), 1);
        assert!(found[0].what.contains("0001_a"));
    }
}
