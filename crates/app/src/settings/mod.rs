//! Settings. Each is a field of [`Settings`] with its documentation and default; its environment variable is
//! named after the field.
//!
//! A value comes from the environment, else from `countinghouse.toml`, else from the default. All values are
//! parsed and all faults reported together, before anything is opened or connected. `serve --help` is printed
//! from [`Settings`], and a name that has no field there is refused.
//!
//! To add a setting, add a field in `table.rs`. Text, numbers, paths and `bool` need nothing more; a type of
//! its own is parsed by [`values`], and a rule over several settings is a line of `Settings::faults_between`.

mod communications;
mod gateways;
mod ledger;
mod load;
pub mod names;
mod table;
pub mod values;

pub use self::communications::KeptMessages;
pub use self::load::SettingsError;
pub use self::table::Settings;
pub use self::values::{LogFormat, MasterKeyBytes, Secret};

#[cfg(test)]
mod tests;
