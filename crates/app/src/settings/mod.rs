//! Settings: one field of [`Settings`] each, with its documentation and its default. Its name in the
//! environment follows from the field's.
//!
//! A value comes from the environment, else from `countinghouse.toml`, else from the default. All of them are
//! parsed, and every fault is reported at once, before anything is opened or connected. `serve --help` is
//! printed from this table, and a name that is not in it is refused.
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
