//! HTTPS calls of other systems, as the adapters of a gateway, a ledger and a provider of text messages make
//! them.
//!
//! A call is bounded in time and its answer in size; it follows no redirect, which would carry a secret to
//! wherever it points, and uses no proxy. TLS is rustls with ring, whichever provider the process has, and
//! trusts the system's authorities and those that are given. A [`CallError`] says whether the other side may
//! have got the request, and never contains its address.
//!
//! ```
//! use std::time::Duration;
//!
//! use https_client::{HttpsClient, Limits, checked_url};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A secret does not travel in the clear, but to this machine itself.
//! assert!(checked_url("http://api.example.com").is_err());
//! let url = checked_url("http://127.0.0.1:4010/v1/charges")?;
//!
//! let limits = Limits {
//!     connecting: Duration::from_secs(5),
//!     call: Duration::from_secs(15),
//!     answer_bytes: 1024 * 1024,
//!     reuse_connections: true,
//! };
//! let client = HttpsClient::new(limits, None)?;
//! let request = client.get(url).bearer_auth("secret");
//! # drop(request);
//! # async fn call(client: HttpsClient, request: reqwest::RequestBuilder) -> Result<(), https_client::CallError> {
//! let answer = client.send(request).await?;
//! assert!(answer.status.is_success());
//! # Ok(())
//! # }
//! # Ok(())
//! # }
//! ```

mod call;
mod checked_url;
mod client;

pub use call::{Answer, CallError};
pub use checked_url::{UrlFault, checked_url};
pub use client::{HttpsClient, Limits, SetupFault};
