//! The domain knows no framework, and its entities are made by their constructors alone.

use super::Breach;
use super::arrows::DOMAIN;
use super::code::{shipped, words};
use super::manifest::dependencies;
use super::tree::{Tree, crate_of_source, is_test_file};

const FRAMEWORK_FAMILIES: [&str; 3] = ["actix", "diesel", "tokio"];
/// Its loop runs on tokio, whatever the jobs are.
const JOB_ENGINE: &str = "outbox";
const FRAMEWORKS: [&str; 3] = ["reqwest", "lettre", "redis"];

pub(super) fn check(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for (name, _) in DOMAIN {
        let path = format!("crates/{name}/Cargo.toml");
        let manifest = tree.text(&path).unwrap_or_default();
        // A manifest that cannot be read is reported with the arrows.
        let named = dependencies(manifest).unwrap_or_default();
        breaches.extend(
            named
                .iter()
                .filter(|one| is_framework(&one.package))
                .filter(|one| !(name == JOB_ENGINE && one.package == "tokio"))
                .map(|one| {
                    let what =
                        format!("{name} is domain and must not know {}: put it behind a port", one.package);
                    Breach::new(&path, one.line, what)
                }),
        );
    }
    let sources = tree.rust().filter(|(path, _)| is_domain_source(path) && !is_payload(path));
    breaches.extend(sources.flat_map(|(path, text)| deserialized(path, text)));
    breaches
}

fn is_framework(package: &str) -> bool {
    let in_family = |family: &&str| package == *family || package.starts_with(&format!("{family}-"));
    FRAMEWORKS.contains(&package)
        || FRAMEWORK_FAMILIES.iter().any(in_family)
        || package == "diesel_migrations"
}

/// The payloads of templates are written and read by the domain that owns them, in files of this name.
fn is_payload(path: &str) -> bool {
    path.ends_with("/payload.rs")
}

fn is_domain_source(path: &str) -> bool {
    let owner = crate_of_source(path);
    // What a job carries is written and read back as JSON by the domain, in a type of its own.
    let is_payload = path.ends_with("/payload.rs");
    let is_domain = owner.is_some_and(|owner| DOMAIN.iter().any(|(name, _)| *name == owner));
    is_domain && !is_payload && !is_test_file(path)
}

fn deserialized(path: &str, text: &str) -> Vec<Breach> {
    words(&shipped(text))
        .filter(|(_, word)| *word == "Deserialize" || *word == "DeserializeOwned")
        .map(|(line, _)| {
            let what = "no Deserialize in the domain: read a DTO beside its endpoint and convert it";
            Breach::new(path, line, what)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_framework_in_the_domain_is_caught() {
        for framework in
            ["actix-web", "diesel", "diesel-async", "reqwest", "lettre", "redis", "tokio", "tokio-util"]
        {
            let manifest = format!(
                "[dependencies]\ntime = \"0.3\"\n{framework} = \"1\"\n[dev-dependencies]\ntokio = \"1\"\n"
            );
            let found = check(&Tree::from([("crates/contacts/Cargo.toml", manifest.as_str())]));
            assert_eq!(found.len(), 1, "{framework}");
            assert_eq!(found[0].line, 3);
        }
    }

    #[test]
    fn frameworks_in_adapters_and_tests_are_fine() {
        let tree = Tree::from([
            ("crates/store-diesel/Cargo.toml", "[dependencies]\ndiesel = \"2\"\n"),
            ("crates/contacts/Cargo.toml", "[dev-dependencies]\ntokio = \"1\"\n"),
        ]);
        assert!(check(&tree).is_empty());
    }

    #[test]
    fn an_entity_that_can_be_deserialized_is_caught() {
        let entity = "//! No Deserialize.\n#[derive(Debug, serde::Deserialize)]\nstruct Contact;\n";
        let found = check(&Tree::from([
            ("crates/contacts/src/contact.rs", entity),
            ("crates/http-api/src/contacts.rs", entity),
            ("crates/contacts/src/tests.rs", entity),
        ]));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].path.as_str(), found[0].line), ("crates/contacts/src/contact.rs", 2));
    }
}
