//! Dependencies between crates: they point inward. Adapters do not depend on each other, except on
//! `http-server`, on `pages` and on the parts of the store, as `may_know` says.

use super::breach::Breach;
use super::manifest::Manifest;
use super::tree::Tree;

/// The crates of the domain, each with the workspace crates on which it may depend.
pub(super) const DOMAIN: [(&str, &[&str]); 14] = [
    ("kernel", &[]),
    ("access", &["kernel"]),
    ("idempotency", &["kernel"]),
    ("outbox", &["kernel"]),
    ("mail", &["kernel", "outbox"]),
    ("webhooks", &["kernel", "outbox", "mail"]),
    ("contacts", &["kernel", "idempotency"]),
    ("invoices", &["kernel", "contacts", "idempotency", "outbox", "webhooks", "mail"]),
    ("partner-accounts", &["kernel", "access", "outbox", "webhooks", "mail"]),
    ("sessions", &["kernel", "access", "outbox", "mail", "partner-accounts"]),
    ("escalations", &["kernel", "contacts", "outbox", "webhooks", "mail", "idempotency", "invoices"]),
    ("payments", &["kernel", "idempotency", "outbox", "mail", "invoices"]),
    ("classification", &[]),
    (
        "communications",
        &["kernel", "outbox", "mail", "contacts", "invoices", "escalations", "classification"],
    ),
];

/// The adapters. Each may depend on the whole domain; only `app` may depend on them.
const ADAPTERS: [&str; 17] = [
    "store-diesel", "http-server", "http-api", "http-pages", "pages", "webhook-reqwest", "mail-lettre",
    "ratelimit-redis", "ledger-xero", "pdf-krilla", "media-object-store", "gateway-sandbox",
    "gateway-stripe", "mail-inbound", "sms-twilio", "language-model-http", "message-files",
];

/// Technical crates that several adapters use. They do not depend on the domain.
const TECHNICAL_CRATES: [&str; 2] = ["https-client", "private-files"];

/// Database-specific crates, for the store only. They do not depend on the domain.
const DATABASES: [&str; 3] = ["citus-tables", "postgres-pool", "sqlite-writer"];

/// The parts of the store, which `store-diesel` combines: the schema, and a crate for each database.
const STORE: [&str; 3] = ["store-schema", "store-postgres", "store-sqlite"];

pub(super) fn check(tree: &Tree) -> Vec<Breach> {
    tree.crates().flat_map(|name| check_crate(tree, name)).collect()
}

fn check_crate(tree: &Tree, name: &str) -> Vec<Breach> {
    let path = format!("crates/{name}/Cargo.toml");
    let text = tree.text(&path).unwrap_or_default();
    let manifest = match Manifest::parse(text) {
        Ok(manifest) => manifest,
        Err(error) => return vec![Breach::new(&path, 1, error.message())],
    };
    let mut breaches = Vec::new();
    if manifest.package.as_ref().is_none_or(|package| package.name != name) {
        breaches.push(Breach::new(&path, 1, "name the package as its folder is named"));
    }
    if !is_known(name) {
        breaches.push(Breach::new(
            &path,
            1,
            "give the new crate its place in xtask/src/tidy/crate_dependencies.rs",
        ));
        return breaches;
    }
    let ours = manifest.dependencies(text).filter(|(package, _)| is_ours(tree, package));
    breaches
        .extend(ours.filter_map(|(package, line)| Some(Breach::new(&path, line, refusal(name, package)?))));
    breaches
}

/// Why the crate `name` must not depend on the workspace crate `other`; `None` if it may.
fn refusal(name: &str, other: &str) -> Option<String> {
    if other == "testkit" {
        return Some("move testkit to [dev-dependencies]: it never ships".to_owned());
    }
    if name == "app" || may_know(name).is_some_and(|known| known.contains(&other)) {
        return None;
    }
    Some(if ADAPTERS.contains(&other) {
        format!(
            "{name} must not know the adapter {other}: declare a port in the domain and let app wire the two"
        )
    } else {
        format!(
            "{name} must not know {other}: arrows point inward (see xtask/src/tidy/crate_dependencies.rs for who may)"
        )
    })
}

fn may_know(name: &str) -> Option<Vec<&'static str>> {
    let domain = DOMAIN.iter().map(|(name, _)| *name);
    match name {
        "testkit" => Some(vec!["kernel"]),
        "store-diesel" => Some(domain.chain(["postgres-pool"]).chain(STORE).collect()),
        "store-postgres" => Some(domain.chain(["citus-tables", "postgres-pool", "store-schema"]).collect()),
        "store-sqlite" => Some(domain.chain(["sqlite-writer", "store-schema"]).collect()),
        "store-schema" => Some(domain.chain(["postgres-pool", "sqlite-writer"]).collect()),
        "http-api" => Some(domain.chain(["http-server"]).collect()),
        "http-pages" => Some(domain.chain(["http-server", "pages"]).collect()),
        _ if DATABASES.contains(&name) || TECHNICAL_CRATES.contains(&name) => Some(Vec::new()),
        _ if ADAPTERS.contains(&name) => Some(domain.chain(TECHNICAL_CRATES).collect()),
        _ => DOMAIN.iter().find(|(domain, _)| *domain == name).map(|(_, known)| known.to_vec()),
    }
}

fn is_known(name: &str) -> bool {
    name == "app" || may_know(name).is_some()
}

fn is_ours(tree: &Tree, package: &str) -> bool {
    is_known(package) || package == "xtask" || tree.crates().any(|name| name == package)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn breaches(name: &str, dependencies: &str) -> Vec<Breach> {
        let path = format!("crates/{name}/Cargo.toml");
        let manifest = format!("[package]\nname = \"{name}\"\n[dependencies]\n{dependencies}");
        check(&Tree::from([(path.as_str(), manifest.as_str())]))
    }

    #[test]
    fn dependency_that_points_inward_is_allowed() {
        assert!(breaches("kernel", "uuid = \"1\"\n").is_empty());
        assert!(breaches("invoices", "kernel = \"1\"\ncontacts = \"1\"\nmail = \"1\"\n").is_empty());
        assert!(breaches("http-api", "kernel = \"1\"\nhttp-server = \"1\"\n").is_empty());
        assert!(breaches("http-pages", "pages = \"1\"\nhttp-server = \"1\"\n").is_empty());
        assert!(breaches("sms-twilio", "https-client = \"1\"\ncommunications = \"1\"\n").is_empty());
        assert!(breaches("app", "http-api = \"1\"\nstore-diesel = \"1\"\n").is_empty());
        assert!(breaches("contacts", "[dev-dependencies]\ntestkit = \"1\"\n").is_empty());
    }

    #[test]
    fn dependency_that_points_outward_or_sideways_is_reported() {
        for (name, other) in [
            ("kernel", "access"),
            ("access", "idempotency"),
            ("contacts", "invoices"),
            ("invoices", "partner-accounts"),
            ("partner-accounts", "invoices"),
            ("contacts", "store-diesel"),
            ("http-api", "store-diesel"),
            ("http-api", "store-postgres"),
            ("store-postgres", "store-sqlite"),
            ("store-sqlite", "postgres-pool"),
            ("http-server", "http-api"),
            ("http-pages", "http-api"),
            ("pages", "http-server"),
            ("store-diesel", "app"),
            ("testkit", "access"),
            ("kernel", "xtask"),
            ("payments", "https-client"),
            ("https-client", "outbox"),
            ("message-files", "mail-lettre"),
            ("app", "testkit"),
        ] {
            let found = breaches(name, &format!("uuid = \"1\"\n{other}.workspace = true\n"));
            assert_eq!(found.len(), 1, "{name} -> {other}: {found:?}");
            assert_eq!(found[0].line, 5);
            assert!(found[0].what.contains(other));
        }
    }

    #[test]
    fn unknown_crate_or_one_under_another_name_is_reported() {
        assert!(breaches("ledger", "")[0].what.contains("its place"));
        let tree = Tree::from([("crates/kernel/Cargo.toml", "[package]\nname = \"core\"\n")]);
        assert!(check(&tree)[0].what.contains("folder"));
        let tree = Tree::from([("crates/kernel/Cargo.toml", "[package]\nname = \"kernel\"\n[dep")]);
        assert!(!check(&tree).is_empty());
    }
}
