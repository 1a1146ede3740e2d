//! An HTTPS server that has logos, and invalid files.

use std::path::Path;
use std::sync::Arc;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

pub(crate) const PNG: &[u8] = include_bytes!("../../crates/pdf-krilla/tests/sample/logo.png");
pub(crate) const JPEG: &[u8] = include_bytes!("../../crates/pdf-krilla/tests/sample/logo.jpg");

/// The server; it ends with the test's runtime.
pub(crate) struct LogoServer {
    /// The server's URL, without a slash at its end.
    pub(crate) base: String,
    /// The certificate that clients must trust.
    pub(crate) ca_file: String,
}

impl LogoServer {
    /// Starts a server at 127.0.0.1 whose certificate is written into a folder.
    pub(crate) async fn start(folder: &Path) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let names = vec!["127.0.0.1".to_owned()];
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).unwrap();
        let ca_file = folder.join("pictures.pem");
        std::fs::write(&ca_file, cert.pem()).unwrap();
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("https://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(serve(acceptor.clone(), socket));
            }
        });
        let ca_file = ca_file.to_str().unwrap().to_owned();
        Self { base, ca_file }
    }
}

/// Responds to one request. A client that gets too large a file may close the connection early, which is no
/// failure here.
async fn serve(acceptor: TlsAcceptor, socket: TcpStream) -> Option<()> {
    let mut stream = acceptor.accept(socket).await.ok()?;
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).ok()?;
    let path = head.split(' ').nth(1)?;
    stream.write_all(&answer(path)).await.ok()?;
    if path == "/silent.png" {
        std::future::pending::<()>().await;
    }
    stream.shutdown().await.ok()
}

fn answer(path: &str) -> Vec<u8> {
    match path {
        "/logo.png" => whole("image/png", PNG),
        "/logo.jpg" => whole("image/jpeg", JPEG),
        "/as-text" => whole("text/html", PNG),
        "/largest.png" => whole("image/png", &padded(999_999)),
        "/one-more.png" => whole("image/png", &padded(1_000_000)),
        "/one-more-unstated.png" => {
            let head = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".as_slice();
            [head, &padded(1_000_000)].concat()
        }
        "/logo.svg" => whole("image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
        "/svg.png" => whole("image/png", b"<?xml version='1.0'?><svg/>"),
        "/text.png" => whole("image/png", b"this is a text"),
        "/half.png" => whole("image/png", &PNG[..PNG.len() / 2]),
        "/empty.png" => whole("image/png", b""),
        "/moved.png" => {
            b"HTTP/1.1 302 Found\r\nLocation: https://10.0.0.7/logo.png\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec()
        }
        "/broken.png" => {
            let head = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n".as_slice();
            [head, &PNG[..100]].concat()
        }
        "/silent.png" => b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n".to_vec(),
        _ => b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec(),
    }
}

fn whole(media_type: &str, bytes: &[u8]) -> Vec<u8> {
    let length = bytes.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    [head.as_bytes(), bytes].concat()
}

/// The picture followed by bytes after its end, which are ignored.
fn padded(length: usize) -> Vec<u8> {
    let mut bytes = PNG.to_vec();
    bytes.resize(length, 0);
    bytes
}
