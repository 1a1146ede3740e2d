//! HTTPS calls to other systems, for the adapters of payment gateways, ledgers, text message providers and
//! language models.
//!
//! Calls have a time limit and responses a size limit. No redirect is followed, since it would carry a secret
//! to an arbitrary target, and no proxy is used. TLS is rustls with ring, whatever provider the process has
//! installed, and trusts the system's authorities and the given ones. A [`CallError`] says whether the other
//! side may have got the request, and never contains its URL.
//!
//! ```
//! use std::time::Duration;
//!
//! use https_client::{HttpsClient, CallLimits, checked_url};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A secret does not travel in the clear, but to this machine itself.
//! assert!(checked_url("http://api.example.com").is_err());
//! let url = checked_url("http://127.0.0.1:4010/v1/charges")?;
//!
//! let limits = CallLimits {
//!     connecting: Duration::from_secs(5),
//!     call: Duration::from_secs(15),
//!     max_response_bytes: 1024 * 1024,
//!     reuse_connections: true,
//! };
//! let client = HttpsClient::new(limits, None)?;
//! let request = client.get(url).bearer_auth("secret");
//! # drop(request);
//! # async fn call(client: HttpsClient, request: reqwest::RequestBuilder) -> Result<(), https_client::CallError> {
//! let response = client.send(request).await?;
//! assert!(response.status.is_success());
//! # Ok(())
//! # }
//! # Ok(())
//! # }
//! ```

mod call;
mod checked_url;
mod client;
mod trust;

pub use call::{CallError, Response};
pub use checked_url::{UrlFault, checked_url};
pub use client::{CallLimits, HttpsClient};
pub use trust::{SetupError, tls_config};
