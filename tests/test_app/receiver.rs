//! An HTTPS receiver of webhooks that behaves as the test requests, on a separate thread, so that a test can
//! wait for a command meanwhile.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};
use tokio_rustls::TlsAcceptor;

use super::authority::{AUTHORITY, STRANGER};

/// How the receiver responds to a request.
#[derive(Debug, Clone)]
pub(crate) enum Behaviour {
    /// Responds with a status and a body.
    Respond(u16, Vec<u8>),
    /// Responds with 204 after [`Receiver::release`].
    Hold,
    /// Does not respond until the caller closes the connection.
    Silence,
    /// Responds with 500 and a body that never ends.
    Endless,
    /// Sends half of a response with 200 and closes the connection.
    HalfWay,
}

/// How the receiver treats a TLS handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Handshake {
    /// With a trusted certificate.
    Trusted,
    /// With a certificate of an untrusted authority.
    Stranger,
    /// No handshake: the caller's TLS hello gets no response.
    Silence,
}

/// A received request.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) line: String,
    /// The headers by lower-case name.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
    pub(crate) arrived: Instant,
    /// When the response began; `None` before that.
    pub(crate) answered: Option<Instant>,
}

/// A running receiver, which ends with the test.
pub(crate) struct Receiver {
    address: SocketAddr,
    state: Arc<State>,
    _stop: oneshot::Sender<()>,
}

struct State {
    handshake: Mutex<Handshake>,
    /// The n-th request gets the n-th behaviour; later requests get the last one.
    behaviours: Mutex<Vec<Behaviour>>,
    received: Mutex<Vec<Received>>,
    connections: Mutex<usize>,
    hold: watch::Sender<bool>,
}

impl Receiver {
    pub(crate) fn start(handshake: Handshake, behaviours: &[Behaviour]) -> Self {
        let state = Arc::new(State {
            handshake: Mutex::new(handshake),
            behaviours: Mutex::new(behaviours.to_vec()),
            received: Mutex::default(),
            connections: Mutex::default(),
            hold: watch::Sender::new(true),
        });
        let (stop, stopped) = oneshot::channel();
        let (sender, address) = std::sync::mpsc::channel();
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async move {
                let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
                sender.send(listener.local_addr().expect("an address")).expect("the test waits");
                tokio::select! {
                    _ = stopped => {}
                    () = listen(listener, shared) => {}
                }
            });
        });
        Self { address: address.recv().expect("a receiver"), state, _stop: stop }
    }

    /// A receiver that responds to every request with 204.
    pub(crate) fn good() -> Self {
        Self::start(Handshake::Trusted, &[Behaviour::Respond(204, Vec::new())])
    }

    pub(crate) fn with_behaviours(behaviours: &[Behaviour]) -> Self {
        Self::start(Handshake::Trusted, behaviours)
    }

    pub(crate) fn url(&self) -> String {
        format!("https://{}/hooks?of=us", self.address)
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.state.received.lock().unwrap().clone()
    }

    pub(crate) fn connections(&self) -> usize {
        *self.state.connections.lock().unwrap()
    }

    /// Replaces the behaviour from now on.
    pub(crate) fn set_behaviour(&self, handshake: Handshake, behaviour: Behaviour) {
        *self.state.handshake.lock().unwrap() = handshake;
        *self.state.behaviours.lock().unwrap() = vec![behaviour];
    }

    /// Responds to the requests that are held.
    pub(crate) fn release(&self) {
        self.state.hold.send_replace(false);
    }
}

impl Received {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("a text")
    }

    pub(crate) fn event_id(&self) -> String {
        let body: serde_json::Value = serde_json::from_slice(&self.body).expect("JSON");
        body["events"][0]["event_id"].as_str().expect("an event").to_owned()
    }
}

async fn listen(listener: TcpListener, state: Arc<State>) {
    loop {
        let (stream, _) = listener.accept().await.expect("a connection");
        *state.connections.lock().unwrap() += 1;
        tokio::spawn(serve(stream, Arc::clone(&state)));
    }
}

async fn serve(mut stream: TcpStream, state: Arc<State>) {
    let handshake = *state.handshake.lock().unwrap();
    let config = match handshake {
        Handshake::Silence => return until_closed(&mut stream).await,
        Handshake::Trusted => AUTHORITY.server_config(),
        Handshake::Stranger => STRANGER.server_config(),
    };
    let Ok(mut stream) = TlsAcceptor::from(config).accept(stream).await else {
        return;
    };
    while let Some(request) = request(&mut stream).await {
        let number = {
            let mut received = state.received.lock().unwrap();
            received.push(request);
            received.len() - 1
        };
        let behaviour = {
            let behaviours = state.behaviours.lock().unwrap();
            behaviours.get(number).or(behaviours.last()).expect("a play").clone()
        };
        if !act(&mut stream, &state, number, behaviour).await {
            return;
        }
    }
}

/// Carries out a behaviour; returns whether the connection can continue.
async fn act(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    state: &State,
    number: usize,
    behaviour: Behaviour,
) -> bool {
    let mark_answered = || state.received.lock().unwrap()[number].answered = Some(Instant::now());
    let head = |status: u16, length: usize| {
        format!("HTTP/1.1 {status} Played\r\nContent-Length: {length}\r\n\r\n").into_bytes()
    };
    match behaviour {
        Behaviour::Respond(status, body) => {
            mark_answered();
            // A response with 204 has no body and no `Content-Length`.
            let head = match status {
                204 => b"HTTP/1.1 204 Played\r\n\r\n".to_vec(),
                status => head(status, body.len()),
            };
            stream.write_all(&[head, body].concat()).await.is_ok() && stream.flush().await.is_ok()
        }
        Behaviour::Hold => {
            let mut hold = state.hold.subscribe();
            if hold.wait_for(|held| !held).await.is_err() {
                return false;
            }
            mark_answered();
            stream.write_all(b"HTTP/1.1 204 Played\r\n\r\n").await.is_ok() && stream.flush().await.is_ok()
        }
        Behaviour::Silence => {
            until_closed(stream).await;
            false
        }
        Behaviour::Endless => {
            mark_answered();
            let mut open = stream.write_all(&head(500, 1 << 40)).await.is_ok();
            while open {
                open = stream.write_all(&[b'x'; 4_096]).await.is_ok();
            }
            false
        }
        Behaviour::HalfWay => {
            mark_answered();
            let half = [head(200, 100), b"half".to_vec()].concat();
            let _written = stream.write_all(&half).await;
            let _closed = stream.shutdown().await;
            false
        }
    }
}

async fn until_closed(stream: &mut (impl AsyncRead + Unpin)) {
    let mut buffer = [0; 1_024];
    while stream.read(&mut buffer).await.is_ok_and(|read| read > 0) {}
}

/// The next request; `None` if there are no more.
async fn request(stream: &mut (impl AsyncRead + Unpin)) -> Option<Received> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.lines();
    let line = lines.next()?.to_owned();
    let headers: BTreeMap<_, _> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length: usize = headers.get("content-length")?.parse().ok()?;
    let mut body = bytes.split_off(end + 4);
    while body.len() < length {
        if stream.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    Some(Received { line, headers, body, arrived: Instant::now(), answered: None })
}
