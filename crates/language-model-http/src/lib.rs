//! Second readings of customers' messages by a language model over HTTP.
//!
//! [`HttpLanguageModel`] calls a chat completions endpoint in the form that OpenAI made common and that many
//! providers and local servers offer: one call for each message, with ten seconds in total, without
//! redirects, proxies and repeats. The model gets instructions, the types with what each means, and the text
//! as data between marks. It answers one JSON object; `communications` decides what may follow from that.
//!
//! ```
//! use communications::LanguageModel;
//! use language_model_http::{HttpLanguageModel, LanguageModelSettings};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let settings = LanguageModelSettings {
//!     key: Some("s3cret".to_owned()),
//!     ..LanguageModelSettings::new("https://models.example.com/v1", "small-1")
//! };
//! assert!(!format!("{settings:?}").contains("s3cret"));
//! let model: Box<dyn LanguageModel> = Box::new(HttpLanguageModel::new(settings)?);
//! assert_eq!(model.host(), "models.example.com");
//! # Ok(())
//! # }
//! ```

mod model;
mod question;
mod response;
mod settings;

pub use https_client::UrlFault;
pub use model::HttpLanguageModel;
pub use settings::{LanguageModelSettings, SettingsFault};
