//! The listen address: free, or in use by this service.

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::finding::CheckOutcome;
use crate::settings::Settings;

/// The maximum number of bytes that are read of a response.
const MAX_BYTES: u64 = 16 * 1024;

/// Whether the address is free or in use by this service, and fits the public URL.
pub(super) async fn listen(settings: &Settings) -> CheckOutcome {
    let found = look_at_address(settings).await?;
    match settings.fault_of_unnamed_proxy() {
        Some(fault) => Err(fault.to_owned().into()),
        None => Ok(found),
    }
}

async fn look_at_address(settings: &Settings) -> CheckOutcome {
    let address = settings.listen;
    if address.port() == 0 {
        return Ok(format!("{address}: a free port is picked at the start"));
    }
    let Err(error) = TcpListener::bind(address).await else {
        return Ok(format!("{address} is free; nothing serves there now"));
    };
    if error.kind() != ErrorKind::AddrInUse {
        return Err(format!(
            "{address} cannot be listened on ({error}): set COUNTINGHOUSE_LISTEN to an address of this machine"
        )
        .into());
    }
    match probe(settings, "/health/live").await {
        Ok(response) if response.is_ours => Ok(format!("Countinghouse serves on {address}")),
        Ok(_) | Err(ProbeError::Network(_)) => Err(format!(
            "another program has {address}: stop it, or set COUNTINGHOUSE_LISTEN to another port"
        )
        .into()),
        Err(ProbeError::Tls) => Ok(format!("{address} is served by HTTPS, so it was not asked by whom")),
    }
}

/// Whether the service that runs on this machine is ready.
pub(super) async fn serving(settings: &Settings) -> CheckOutcome {
    let address = nearby(settings.listen);
    let silent = |error| format!("{address} does not answer ({error})");
    match probe(settings, "/health/ready").await {
        Ok(response) if response.is_ours && response.status == 200 => Ok(format!("{address} is ready")),
        Ok(response) if response.is_ours => Err(format!("{address} is not ready: {}", response.body).into()),
        Ok(_) => Err(format!("{address} is served by another program").into()),
        Err(ProbeError::Network(error)) => Err(silent(error).into()),
        Err(ProbeError::Tls) => {
            TcpStream::connect(address).await.map_err(silent)?;
            Ok(format!("{address} takes connections; it speaks HTTPS, so more was not asked"))
        }
    }
}

struct ProbeResponse {
    status: u16,
    is_ours: bool,
    body: String,
}

enum ProbeError {
    /// The service speaks TLS, for a host name that is not known here.
    Tls,
    Network(std::io::Error),
}

async fn probe(settings: &Settings, path: &str) -> Result<ProbeResponse, ProbeError> {
    if settings.tls_cert_file.is_some() {
        return Err(ProbeError::Tls);
    }
    let address = nearby(settings.listen);
    let text = exchange(address, path).await.map_err(ProbeError::Network)?;
    Ok(read(&text))
}

async fn exchange(address: SocketAddr, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut bytes = Vec::new();
    stream.take(MAX_BYTES).read_to_end(&mut bytes).await?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn read(response: &str) -> ProbeResponse {
    let (head, body) = response.split_once("\r\n\r\n").unwrap_or((response, ""));
    let status = head.split_whitespace().nth(1);
    // Every response of this service has a request id, on any path; few other services send one.
    let has_id = head.to_ascii_lowercase().contains("\r\nx-request-id:");
    ProbeResponse {
        status: status.and_then(|status| status.parse().ok()).unwrap_or(0),
        is_ours: head.starts_with("HTTP/1.") && has_id,
        body: body.to_owned(),
    }
}

/// The address to probe from this machine: a listener on all interfaces is reached on loopback.
fn nearby(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn response_of_this_service_is_recognised() {
        let ours = read("HTTP/1.1 503 Service Unavailable\r\nX-Request-Id: 1\r\n\r\n{}");
        assert_eq!((ours.status, ours.is_ours, ours.body.as_str()), (503, true, "{}"));
        for other in ["HTTP/1.1 200 OK\r\n\r\nx-request-id:", "SSH-2.0-x", ""] {
            assert!(!read(other).is_ours, "{other}");
        }
    }

    #[test]
    fn unspecified_address_is_reached_by_loopback() {
        let near = |address: &str| nearby(address.parse().unwrap()).to_string();
        assert_eq!(near("0.0.0.0:80"), "127.0.0.1:80");
        assert_eq!(near("[::]:80"), "[::1]:80");
        assert_eq!(near("192.0.2.1:80"), "192.0.2.1:80");
    }
}
