//! The dependencies in a manifest.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Spanned, Value};

/// The parts of a manifest that the rules check. Platforms have separate sections.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(super) struct Manifest {
    pub(super) package: Option<Package>,
    lib: Library,
    dependencies: BTreeMap<Spanned<String>, Value>,
    build_dependencies: BTreeMap<Spanned<String>, Value>,
    target: BTreeMap<String, Manifest>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Package {
    pub(super) name: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Library {
    test: Option<bool>,
    bench: Option<bool>,
}

impl Manifest {
    pub(super) fn parse(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }

    /// Whether `cargo test` compiles the library for its unit tests.
    pub(super) fn has_unit_tests(&self) -> bool {
        self.lib.test.unwrap_or(true)
    }

    /// Whether `--all-targets` compiles the library for tests, which it does for benchmarks of the library
    /// too.
    pub(super) fn is_compiled_for_tests(&self) -> bool {
        self.has_unit_tests() || self.lib.bench.unwrap_or(true)
    }

    /// The package of each shipped dependency, and its line in this manifest: including those for building
    /// and for single platforms, but not those for tests.
    pub(super) fn dependencies<'a>(&'a self, text: &str) -> impl Iterator<Item = (&'a str, usize)> {
        let manifests = self.target.values().chain([self]);
        let dependencies =
            manifests.flat_map(|manifest| manifest.dependencies.iter().chain(&manifest.build_dependencies));
        dependencies.map(|(name, how)| {
            // A dependency may have another name than its package.
            let package = how.get("package").and_then(Value::as_str);
            let before = text.get(..name.span().start).unwrap_or_default();
            (package.unwrap_or(name.get_ref()), before.matches('\n').count() + 1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ships_is_found_in_every_spelling_and_what_tests_use_is_not() {
        let manifest = "[package]\nname = \"x\"\n[dev-dependencies]\ntestkit = \"1\"\nkernel = \"1\"\n[dependencies]\n\
            kernel.workspace = true\nhttp = { package = \"actix-web\", version = \"4\" }\n\
            [dependencies.diesel]\nversion = \"2\"\n[target.'cfg(unix)'.dependencies]\ntokio = \"1\"\n\
            [build-dependencies]\ncc = \"1\"\n";
        let parsed = Manifest::parse(manifest).unwrap();
        let mut found: Vec<(String, usize)> =
            parsed.dependencies(manifest).map(|(package, line)| (package.to_owned(), line)).collect();
        found.sort();
        let expected = [("actix-web", 8), ("cc", 14), ("diesel", 9), ("kernel", 7), ("tokio", 12)];
        assert_eq!(found, expected.map(|(name, line)| (name.to_owned(), line)));
        assert_eq!(parsed.package.unwrap().name, "x");
    }
}
