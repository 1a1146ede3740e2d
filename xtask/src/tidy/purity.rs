//! The domain depends on no framework, and its entities are made only by their constructors.

use super::breach::{Breach, in_code};
use super::crate_dependencies::DOMAIN;
use super::manifest::Manifest;
use super::tree::{Tree, crate_of_source, is_test_file};

const FRAMEWORK_FAMILIES: [&str; 3] = ["actix", "diesel", "tokio"];
/// The loop of this crate runs on tokio, whatever the jobs are.
const JOB_ENGINE: &str = "outbox";
const FRAMEWORKS: [&str; 9] =
    ["reqwest", "hyper", "ureq", "lettre", "redis", "diesel_migrations", "sqlx", "postgres", "rusqlite"];

pub(super) fn check(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for (name, _) in DOMAIN {
        let path = format!("crates/{name}/Cargo.toml");
        let text = tree.text(&path).unwrap_or_default();
        // The rule `crate_dependencies` reports a manifest that cannot be parsed.
        let manifest = Manifest::parse(text).unwrap_or_default();
        let frameworks = manifest
            .dependencies(text)
            .filter(|(package, _)| is_framework(package) && !(name == JOB_ENGINE && *package == "tokio"));
        breaches.extend(frameworks.map(|(package, line)| {
            let what = format!("{name} is domain and must not know {package}: put it behind a port");
            Breach::new(&path, line, what)
        }));
    }
    breaches.extend(in_code(tree, is_domain_source, |word| {
        let what = "no Deserialize in the domain: read a request beside its endpoint; the payload of a job belongs in \
                    `<name>_job.rs` or `payload.rs`";
        ["Deserialize", "DeserializeOwned"].contains(&word).then(|| what.to_owned())
    }));
    breaches
}

fn is_framework(package: &str) -> bool {
    let in_family = |family: &&str| package == *family || package.starts_with(&format!("{family}-"));
    FRAMEWORKS.contains(&package) || FRAMEWORK_FAMILIES.iter().any(in_family)
}

fn is_domain_source(path: &str) -> bool {
    let of = crate_of_source(path);
    // The job engine reads the payloads of all kinds.
    let is_domain = of != Some(JOB_ENGINE) && DOMAIN.iter().any(|(name, _)| of == Some(name));
    // The domain writes and reads the payload of a job or a template as JSON, in a separate type in
    // `payload.rs`, or beside its handler in `<name>_job.rs`.
    let holds_payload = path.ends_with("/payload.rs") || path.ends_with("_job.rs");
    is_domain && !holds_payload && !is_test_file(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_framework_in_the_domain_is_caught() {
        for framework in [
            "actix-web", "diesel", "diesel-async", "reqwest", "hyper", "lettre", "redis", "tokio",
            "tokio-util",
        ] {
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
            ("crates/contacts/src/merge_job.rs", entity),
        ]));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].path.as_str(), found[0].line), ("crates/contacts/src/contact.rs", 2));
    }
}
