//! The listen address: free, or in use by this service.

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::finding::Outcome;
use crate::settings::Settings;

/// The maximum number of bytes that are read of a response.
const MOST: u64 = 16 * 1024;

/// Whether the address is free or in use by this service.
pub(super) async fn listen(settings: &Settings) -> Outcome {
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
    match ask(settings, "/health/live").await {
        Ok(answer) if answer.is_ours => Ok(format!("Countinghouse serves on {address}")),
        Ok(_) | Err(Trouble::Network(_)) => Err(format!(
            "another program has {address}: stop it, or set COUNTINGHOUSE_LISTEN to another port"
        )
        .into()),
        Err(Trouble::Tls) => Ok(format!("{address} is served by HTTPS, so it was not asked by whom")),
    }
}

/// Whether the service that runs on this machine is ready.
pub(super) async fn serving(settings: &Settings) -> Outcome {
    let address = nearby(settings.listen);
    let silent = |error| format!("{address} does not answer ({error})");
    match ask(settings, "/health/ready").await {
        Ok(answer) if answer.is_ours && answer.status == 200 => Ok(format!("{address} is ready")),
        Ok(answer) if answer.is_ours => Err(format!("{address} is not ready: {}", answer.body).into()),
        Ok(_) => Err(format!("{address} is served by another program").into()),
        Err(Trouble::Network(error)) => Err(silent(error).into()),
        Err(Trouble::Tls) => {
            TcpStream::connect(address).await.map_err(silent)?;
            Ok(format!("{address} takes connections; it speaks HTTPS, so more was not asked"))
        }
    }
}

struct Answer {
    status: u16,
    is_ours: bool,
    body: String,
}

enum Trouble {
    /// The service speaks TLS, for a host name that is not known here.
    Tls,
    Network(std::io::Error),
}

async fn ask(settings: &Settings, path: &str) -> Result<Answer, Trouble> {
    if settings.tls_cert_file.is_some() {
        return Err(Trouble::Tls);
    }
    let address = nearby(settings.listen);
    let text = exchange(address, path).await.map_err(Trouble::Network)?;
    Ok(read(&text))
}

async fn exchange(address: SocketAddr, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut bytes = Vec::new();
    stream.take(MOST).read_to_end(&mut bytes).await?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn read(answer: &str) -> Answer {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((answer, ""));
    let status = head.split_whitespace().nth(1);
    // Every response of this service has a request id, on any path; few other services send one.
    let has_id = head.to_ascii_lowercase().contains("\r\nx-request-id:");
    Answer {
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
    fn answers_of_ours_are_known() {
        let ours = read("HTTP/1.1 503 Service Unavailable\r\nX-Request-Id: 1\r\n\r\n{}");
        assert_eq!((ours.status, ours.is_ours, ours.body.as_str()), (503, true, "{}"));
        for other in ["HTTP/1.1 200 OK\r\n\r\nx-request-id:", "SSH-2.0-x", ""] {
            assert!(!read(other).is_ours, "{other}");
        }
    }

    #[test]
    fn every_address_is_loopback_too() {
        let near = |address: &str| nearby(address.parse().unwrap()).to_string();
        assert_eq!(near("0.0.0.0:80"), "127.0.0.1:80");
        assert_eq!(near("[::]:80"), "[::1]:80");
        assert_eq!(near("192.0.2.1:80"), "192.0.2.1:80");
    }
}
