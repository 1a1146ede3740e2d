//! What a manifest depends on.

use toml::{Table, Value};

/// One dependency that ships: its package, and the line that names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dependency {
    pub(super) package: String,
    pub(super) line: usize,
}

/// The dependencies that ship: those for building and for single platforms too, those for tests not.
pub(super) fn dependencies(manifest: &str) -> Result<Vec<Dependency>, toml::de::Error> {
    let parsed: Table = manifest.parse()?;
    let platforms = parsed.get("target").and_then(Value::as_table);
    let platforms = platforms.into_iter().flat_map(Table::values);
    let tables = platforms.filter_map(Value::as_table).chain([&parsed]);
    let mut found = Vec::new();
    for table in tables {
        for section in ["dependencies", "build-dependencies"] {
            let named = table.get(section).and_then(Value::as_table);
            for (name, how) in named.into_iter().flatten() {
                // A dependency may go by another name than its package's.
                let package = how.get("package").and_then(Value::as_str);
                found.push(Dependency {
                    package: package.unwrap_or(name).to_owned(),
                    line: line_of(manifest, name),
                });
            }
        }
    }
    Ok(found)
}

/// The package's own name.
pub(super) fn package_name(manifest: &str) -> Option<String> {
    let parsed: Table = manifest.parse().ok()?;
    let name = parsed.get("package")?.get("name")?.as_str()?;
    Some(name.to_owned())
}

/// The first line that names the dependency outside the tests' sections.
fn line_of(manifest: &str, name: &str) -> usize {
    let mut in_section = false;
    for (index, line) in manifest.lines().map(str::trim).enumerate() {
        if line.starts_with('[') {
            in_section = line.contains("dependencies") && !line.contains("dev-dependencies");
            if in_section && line.trim_end_matches(']').ends_with(&format!(".{name}")) {
                return index + 1;
            }
        } else if in_section && key_of(line) == name {
            return index + 1;
        }
    }
    1
}

fn key_of(line: &str) -> &str {
    let end = line.find(['.', ' ', '=']).unwrap_or(line.len());
    line.split_at(end).0.trim_matches('"')
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
        let mut found: Vec<(String, usize)> =
            dependencies(manifest).unwrap().into_iter().map(|found| (found.package, found.line)).collect();
        found.sort();
        let expected = [("actix-web", 8), ("cc", 14), ("diesel", 9), ("kernel", 7), ("tokio", 12)];
        assert_eq!(found, expected.map(|(name, line)| (name.to_owned(), line)));
        assert_eq!(package_name(manifest).as_deref(), Some("x"));
    }
}
