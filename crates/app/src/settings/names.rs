//! The names of all settings, and what `serve --help` says of them.

use std::fmt::Write as _;

use confique::Config as _;
use confique::meta::{Expr, Field, FieldKind, LeafKind};

use super::table::Settings;

/// The setting that an environment variable names, by its key in `countinghouse.toml`.
pub(super) fn key_of_variable(name: &str) -> Option<&'static str> {
    let field = fields().find(|field| variable(field) == Some(name));
    field.map(|field| field.name)
}

/// The environment variable of a key in `countinghouse.toml`.
pub(super) fn variable_of_key(key: &str) -> Option<&'static str> {
    fields().find(|field| field.name == key).and_then(variable)
}

/// The settings as `serve --help` lists them.
#[must_use]
pub fn help() -> String {
    let mut text = String::from(
        "Settings, from the environment, then countinghouse.toml in the working directory (same names, lower case, without the \
         prefix), then the default:\n",
    );
    for field in fields() {
        let name = variable(field).unwrap_or(field.name);
        let said = field.doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
        let default = default_of(field).map(|value| format!(" [default: {value}]")).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  {name}\n          {said}{default}\n");
    }
    text.push_str(
        "\n  RUST_LOG\n          What is logged, such as info or debug,actix_server=warn [default: info]\n",
    );
    text
}

fn fields() -> impl Iterator<Item = &'static Field> {
    Settings::META.fields.iter()
}

fn variable(field: &Field) -> Option<&'static str> {
    match field.kind {
        FieldKind::Leaf { env, .. } => env,
        FieldKind::Nested { .. } => None,
    }
}

fn default_of(field: &Field) -> Option<String> {
    match field.kind {
        FieldKind::Leaf { kind: LeafKind::Required { default: Some(default) }, .. } => Some(match default {
            Expr::Str(text) => text.to_owned(),
            Expr::Bool(value) => value.to_string(),
            Expr::Integer(number) => number.to_string(),
            _ => return None,
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_a_variable_a_description_and_a_line_of_help() {
        for field in fields() {
            let name = variable(field).unwrap();
            assert!(name == "DATABASE_URL" || name == format!("COUNTINGHOUSE_{}", field.name.to_uppercase()));
            assert!(!field.doc.is_empty(), "{name}");
            assert!(help().contains(name));
        }
        assert_eq!(key_of_variable("COUNTINGHOUSE_LISTEN"), Some("listen"));
        assert_eq!(variable_of_key("listen"), Some("COUNTINGHOUSE_LISTEN"));
        assert_eq!(key_of_variable("COUNTINGHOUSE_LISTEM"), None);
    }
}
