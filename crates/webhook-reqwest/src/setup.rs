//! Sets up the HTTP client.

use std::sync::Arc;
use std::time::Duration;

use https_client::SetupError;
use reqwest::redirect;
use rustls::ClientConfig;

use crate::guard::AddressGuard;

/// The time limit for connecting. It is divided among the addresses of a name, so that one silent address
/// leaves time for the next.
const CONNECTING: Duration = Duration::from_secs(15);

/// How long an idle connection is kept. It is still open during a burst of events, and closed before the
/// receiver closes it, which common ones do after five seconds: a request sent at that moment would be a
/// failed attempt.
const IDLE: Duration = Duration::from_secs(4);

/// How many idle connections to one host are kept.
const IDLE_PER_HOST: usize = 4;

/// Creates the client, with the guard as its resolver.
///
/// Connections are pooled by scheme, host and port. This does not bypass the guard: the address was checked
/// when the connection was opened, and a connection keeps its peer. If a name resolves differently later,
/// open connections still lead to the checked address, and every new connection is checked again.
///
/// Only HTTP/1.1: a hanging receiver delays only its own request, there are no streams to reset and no
/// windows to fill, and every HTTPS server supports it. At most 100 headers and 408 KiB of them are read,
/// which are hyper's limits; reqwest offers no smaller ones.
///
/// The memory cost of a request while its receiver hangs, measured with a thousand requests on Linux
/// (resident memory of the whole process): 33 KiB without any response, 35 KiB when the response stops in the
/// middle of its body, and 520 KiB when a hostile receiver sends headers up to that limit and then hangs. So
/// the number of concurrent requests bounds the memory: a thousand take 33 MiB, or half a GiB if all are
/// hostile.
pub(crate) fn client(guard: AddressGuard, tls: ClientConfig) -> Result<reqwest::Client, SetupError> {
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .https_only(true)
        .http1_only()
        // As the contract spells them. HTTP header names are case-insensitive, but not every receiver
        // complies.
        .http1_title_case_headers()
        .dns_resolver(Arc::new(guard))
        .redirect(redirect::Policy::none())
        .retry(reqwest::retry::never())
        .no_proxy()
        .referer(false)
        .connect_timeout(CONNECTING)
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(IDLE_PER_HOST)
        .build()
        .map_err(|error| SetupError::Client(Box::new(error)))
}
