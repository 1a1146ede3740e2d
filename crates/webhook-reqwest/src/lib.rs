//! The outgoing HTTP client: the address guard, the webhook sender, the logo download.
//!
//! Accounts choose the URLs of webhooks and logos, so the service calls untrusted addresses from inside the
//! operator's network. One [`Client`] makes all these calls. It reaches only public addresses
//! ([`is_public`]), however they are written or resolved, and even if they change; uses only HTTPS, with
//! verified certificates; follows no redirects, uses no proxy and keeps no cookies; and limits the size and
//! the time of a response as its caller says.
//!
//! ```
//! use std::time::Duration;
//!
//! use kernel::HttpsUrl;
//! use partner_accounts::{LogoFetchError, LogoSource};
//! use webhook_reqwest::{Client, LogoDownloads, Reach};
//! use webhooks::{SendError, WebhookSender, TargetGuard};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let client = Client::new(Reach::Public, None).unwrap();
//! let inside = HttpsUrl::parse("https://0x7f.1:8443/hook").unwrap();
//!
//! let refused = client.check(&inside).await.unwrap_err();
//! assert_eq!(refused.to_string(), "must lead to a public address; 127.0.0.1 is not public");
//!
//! let limit = Duration::from_secs(15);
//! let failed = client.send(&inside, "{}", "signature", limit).await.unwrap_err();
//! assert!(matches!(failed, SendError::Failed(_)));
//!
//! let failed = LogoDownloads::new(client).fetch(&inside).await.unwrap_err();
//! assert_eq!(failed, LogoFetchError::NotPublic);
//! # }
//! ```

mod body;
pub mod client;
pub mod fault;
pub mod guard;
mod logo_source;
mod send;
mod setup;
#[cfg(test)]
mod tests;

pub use client::Client;
pub use fault::CallFault;
pub use guard::Reach;
pub use guard::addresses::is_public;
pub use guard::names::HostResolver;
pub use logo_source::LogoDownloads;
