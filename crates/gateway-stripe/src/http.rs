//! One call over HTTP: bounded in time and in size.

use std::time::Duration;

use https_client::{Answer, CallError, HttpsClient, Limits, SetupFault};
use outbox::error_chain;
use payments::GatewayError;
use reqwest::RequestBuilder;

/// What a call of the port has in total, however many calls of Stripe it takes.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(15);

const LIMITS: Limits = Limits {
    connecting: Duration::from_secs(10),
    call: TIMEOUT,
    // A page of 20 charges with all that is asked for is some 200 kB.
    answer_bytes: 4 * 1024 * 1024,
    reuse_connections: true,
};

pub(crate) fn client(extra_ca_pem: Option<&[u8]>) -> Result<HttpsClient, SetupFault> {
    HttpsClient::new(LIMITS, extra_ca_pem)
}

/// Makes a call and reads the answer, whatever its status.
pub(crate) async fn send(client: &HttpsClient, request: RequestBuilder) -> Result<Answer, GatewayError> {
    client.send(request).await.map_err(|error| {
        GatewayError::Unreachable(match error {
            CallError::TooLarge { status, most } => {
                format!("Stripe answered {status} with more than {most} bytes")
            }
            error => format!("no answer from Stripe: {}", error_chain(&error)),
        })
    })
}
