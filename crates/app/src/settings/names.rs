//! The names of all settings, and what `serve --help` says of them.

use std::fmt::Write as _;

use confique::Config as _;
use confique::meta::{Expr, Field, FieldKind, LeafKind};

use super::written::Written;

/// Whether the environment's name belongs to a setting.
#[must_use]
pub fn is_known_variable(name: &str) -> bool {
    fields().any(|field| variable(field) == Some(name))
}

/// Whether the name in `countinghouse.toml` belongs to a setting.
#[must_use]
pub fn is_known_key(name: &str) -> bool {
    fields().any(|field| field.name == name)
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
        let said = field
            .doc
            .iter()
            .map(|line| line.trim())
            .collect::<Vec<_>>()
            .join(" ");
        let default = default_of(field)
            .map(|value| format!(" [default: {value}]"))
            .unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  {name}\n          {said}{default}\n");
    }
    text.push_str("\n  RUST_LOG\n          What is logged, such as info or debug,actix_server=warn [default: info]\n");
    text
}

fn fields() -> impl Iterator<Item = &'static Field> {
    Written::META.fields.iter()
}

fn variable(field: &Field) -> Option<&'static str> {
    match field.kind {
        FieldKind::Leaf { env, .. } => env,
        FieldKind::Nested { .. } => None,
    }
}

fn default_of(field: &Field) -> Option<String> {
    match field.kind {
        FieldKind::Leaf {
            kind: LeafKind::Required {
                default: Some(default),
            },
            ..
        } => Some(match default {
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
    fn every_setting_has_a_name_a_help_and_its_place_in_the_list() {
        for field in fields() {
            let name = variable(field).unwrap();
            assert!(
                name == "DATABASE_URL"
                    || name == format!("COUNTINGHOUSE_{}", field.name.to_uppercase())
            );
            assert!(!field.doc.is_empty(), "{name}");
            assert!(help().contains(name));
        }
        assert!(is_known_variable("COUNTINGHOUSE_LISTEN") && is_known_key("listen"));
        assert!(!is_known_variable("COUNTINGHOUSE_LISTEM") && !is_known_key("LISTEN"));
    }
}
