//! HTTP calls with limits on time and size.

use std::time::Duration;

use https_client::{CallError, CallLimits, HttpsClient, Response, SetupError};
use kernel::error_chain;
use payments::GatewayError;
use reqwest::RequestBuilder;

/// The time limit of a port call, however many calls to Stripe it makes.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(15);

const LIMITS: CallLimits = CallLimits {
    connecting: Duration::from_secs(10),
    call: TIMEOUT,
    // A page of 20 charges with the expanded fields has some 200 kB.
    max_response_bytes: 4 * 1024 * 1024,
    reuse_connections: true,
};

pub(crate) fn client(extra_ca_pem: Option<&[u8]>) -> Result<HttpsClient, SetupError> {
    HttpsClient::new(LIMITS, extra_ca_pem)
}

/// Sends a request and reads the response, whatever its status.
pub(crate) async fn send(client: &HttpsClient, request: RequestBuilder) -> Result<Response, GatewayError> {
    client.send(request).await.map_err(|error| {
        GatewayError::Unreachable(match error {
            CallError::TooLarge { status, max_bytes } => {
                format!("Stripe answered {status} with more than {max_bytes} bytes")
            }
            error => format!("no answer from Stripe: {}", error_chain(&error)),
        })
    })
}
