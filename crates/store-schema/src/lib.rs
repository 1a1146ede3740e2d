//! What the stores of both databases share: the schema, column types that are valid on both, rows and their
//! conversion to the domain and back, and the type [`Store`](store::Store).
//!
//! Only the stores use it. Programs open a store with `store-diesel`, which returns the domain's own types
//! and no rows. A row that cannot be converted to them is an error that names its table and id.
//!
//! ```
//! use store_schema::options::{Announce, StoreOptions};
//!
//! let options = StoreOptions { announce: Announce::Everywhere, ..StoreOptions::default() };
//! assert!(!options.layout.is_distributed());
//! ```

pub mod delivery_notifier;
pub mod errors;
pub mod in_flight_keys;
pub mod json_rows;
pub mod layout;
pub mod migration_set;
pub mod options;
pub mod ports;
pub mod rows;
pub mod schema;
pub mod store;
pub mod types;
pub mod written_once;
