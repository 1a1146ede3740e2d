//! Reads settings from the environment and `countinghouse.toml`, and collects every fault.

use std::io::ErrorKind;
use std::path::Path;

use confique::{Config as _, Layer as _};
use serde::Deserialize as _;

use super::names;
use super::table::Settings;

/// The file that settings are read from, in addition to the environment.
pub(super) const FILE: &str = "countinghouse.toml";

type SettingsLayer = <Settings as confique::Config>::Layer;

/// The faults of the settings, one line each, which names the setting.
#[derive(Debug, thiserror::Error)]
#[error("{}", message(faults))]
pub struct SettingsError {
    /// The faults, at least one.
    pub faults: Vec<String>,
}

fn message(faults: &[String]) -> String {
    match faults {
        [one] => one.clone(),
        several => format!("{} settings are wrong:\n  {}", several.len(), several.join("\n  ")),
    }
}

impl Settings {
    /// Reads and checks all settings of this process.
    ///
    /// # Errors
    /// Every fault of every setting at once.
    pub fn read() -> Result<Self, SettingsError> {
        let variables = std::env::vars_os().filter_map(|(name, value)| {
            // `from_sources` refuses U+FFFD, which takes the place of what is not UTF-8.
            Some((name.into_string().ok()?, value.to_string_lossy().into_owned()))
        });
        Self::from_sources(variables, Path::new(FILE))
    }

    /// Reads and checks settings: from these variables, else from this file, else their defaults.
    ///
    /// # Errors
    /// Every fault of every setting at once.
    pub(super) fn from_sources(
        variables: impl Iterator<Item = (String, String)>,
        file: &Path,
    ) -> Result<Self, SettingsError> {
        let mut faults = Vec::new();
        let mut layer = SettingsLayer::empty();
        for (variable, text) in variables {
            match names::key_of_variable(&variable) {
                Some(_) if text.contains(char::REPLACEMENT_CHARACTER) => {
                    faults.push(format!("{variable}: is not UTF-8"));
                }
                Some(key) => match from_text(key, &text) {
                    Ok(set) => layer = layer.with_fallback(set),
                    Err(fault) => faults.push(format!("{variable}: {fault}")),
                },
                None if variable.starts_with("COUNTINGHOUSE_") => faults.push(format!(
                    "{variable} is not a setting; `countinghouse serve --help` lists them all"
                )),
                None => {}
            }
        }
        for (key, value) in read_file(file, &mut faults) {
            let name = file.display();
            if !names::keys().any(|known| known == key) {
                faults.push(format!(
                    "{key} in {name} is not a setting; `countinghouse serve --help` lists them all"
                ));
                continue;
            }
            match from_value(&key, value) {
                Ok(set) => layer = layer.with_fallback(set),
                Err(fault) => faults.push(format!("{} in {name}: {fault}", names::variable_of_key(&key))),
            }
        }
        match Self::from_layer(layer.with_fallback(SettingsLayer::default_values())) {
            Ok(settings) => {
                faults.extend(settings.faults_between());
                if faults.is_empty() {
                    return Ok(settings);
                }
            }
            Err(error) => faults.push(error.to_string()),
        }
        faults.sort();
        faults.dedup();
        Err(SettingsError { faults })
    }
}

fn read_file(file: &Path, faults: &mut Vec<String>) -> toml::Table {
    let read = match std::fs::read_to_string(file) {
        // There is none; a link whose target is missing names one that should be read.
        Err(error) if error.kind() == ErrorKind::NotFound && file.symlink_metadata().is_err() => {
            return toml::Table::new();
        }
        read => read.map_err(|error| format!("cannot be read: {error}")),
    };
    let table = read.and_then(|text| {
        toml::from_str(&text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count().saturating_add(1);
            format!("is not TOML in line {line}: {}", error.message())
        })
    });
    table.unwrap_or_else(|fault| {
        faults.push(format!("{} {fault}", file.display()));
        toml::Table::new()
    })
}

/// Parses the text of an environment variable, also for settings that are numbers or booleans.
fn from_text(key: &str, text: &str) -> Result<SettingsLayer, String> {
    let trimmed = text.trim();
    let scalar = match trimmed.to_ascii_lowercase().as_str() {
        "true" | "yes" => Some(toml::Value::Boolean(true)),
        "false" | "no" => Some(toml::Value::Boolean(false)),
        _ => trimmed.parse().ok().map(toml::Value::Integer),
    };
    match (from_value(key, toml::Value::String(text.to_owned())), scalar) {
        (Err(fault), Some(scalar)) => from_value(key, scalar).map_err(|_also_wrong| fault),
        (as_text, _) => as_text,
    }
}

/// Parses a value. An empty text counts as unset for every setting: supervisors pass on unset variables as
/// empty ones, and an empty path would be the working directory.
fn from_value(key: &str, value: toml::Value) -> Result<SettingsLayer, String> {
    if value.as_str().is_some_and(|text| text.trim().is_empty()) {
        return Ok(SettingsLayer::empty());
    }
    let table = toml::Table::from_iter([(key.to_owned(), value)]);
    SettingsLayer::deserialize(toml::Value::Table(table)).map_err(|error| in_plain_words(error.message()))
}

/// serde repeats the value, which may be a secret, and names what it expects by the types of Rust.
fn in_plain_words(message: &str) -> String {
    let repeats = message.starts_with("invalid type: ") || message.starts_with("invalid value: ");
    let expected = message.rsplit_once(", expected ").filter(|_| repeats);
    let message = expected.map_or_else(|| message.to_owned(), |(_, what)| format!("expected {what}"));
    [
        ("expected a nonzero u8", "expected a whole number from 1 to 255"),
        ("expected a nonzero u32", "expected a whole number from 1 to 4294967295"),
        ("expected u16", "expected a whole number from 0 to 65535"),
        ("expected a boolean", "expected true or false"),
        ("expected a string", "expected text in quotation marks"),
        ("expected string only", "expected text in quotation marks"),
        ("expected path string", "expected text in quotation marks"),
        ("expected socket address", "expected an IP address and a port, such as \"127.0.0.1:8080\""),
        ("invalid socket address syntax", "expected an IP address and a port, such as 127.0.0.1:8080"),
    ]
    .into_iter()
    .fold(message.replace('\n', " "), |text, (rust, plain)| text.replace(rust, plain))
}
