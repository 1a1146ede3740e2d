//! The names of all settings, and their part of `serve --help`.

use std::fmt::Write as _;

use confique::Config as _;
use confique::meta::{Expr, Field, FieldKind, LeafKind};

use super::table::Settings;

/// The key in `countinghouse.toml` of the setting that an environment variable names.
pub(super) fn key_of_variable(variable: &str) -> Option<&'static str> {
    keys().find(|key| variable_of_key(key) == variable)
}

/// Every key in `countinghouse.toml`.
pub(super) fn keys() -> impl Iterator<Item = &'static str> {
    Settings::META.fields.iter().map(|field| field.name)
}

/// The environment variable of a key.
pub(super) fn variable_of_key(key: &str) -> String {
    match key {
        "database_url" | "rust_log" => key.to_uppercase(),
        key => format!("COUNTINGHOUSE_{}", key.to_uppercase()),
    }
}

/// The settings as `serve --help` lists them.
#[must_use]
pub fn help() -> String {
    let mut text = String::from(
        "Settings, from the environment, then countinghouse.toml in the working directory (same names, lower case, without the \
         prefix), then the default:\n",
    );
    for field in Settings::META.fields {
        let name = variable_of_key(field.name);
        let said = field.doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
        let default = default_of(field).map(|value| format!(" [default: {value}]")).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  {name}\n          {said}{default}\n");
    }
    text
}

fn default_of(field: &Field) -> Option<String> {
    match field.kind {
        FieldKind::Leaf { kind: LeafKind::Required { default: Some(default) }, .. } => match default {
            Expr::Str(text) => Some(text.to_owned()),
            Expr::Bool(value) => Some(value.to_string()),
            Expr::Integer(number) => Some(number.to_string()),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_a_description_and_a_line_of_help() {
        for field in Settings::META.fields {
            assert!(!field.doc.is_empty(), "{}", field.name);
            assert!(help().contains(&variable_of_key(field.name)));
        }
        assert_eq!(key_of_variable("COUNTINGHOUSE_LISTEN"), Some("listen"));
        assert_eq!(key_of_variable("DATABASE_URL"), Some("database_url"));
        assert_eq!(key_of_variable("RUST_LOG"), Some("rust_log"));
        assert_eq!(key_of_variable("COUNTINGHOUSE_LISTEM"), None);
    }
}
