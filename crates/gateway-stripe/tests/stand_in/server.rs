//! A minimal HTTP server: one request and one response on each connection.

use std::net::SocketAddr;
use std::sync::Arc;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) query: Vec<(String, String)>,
    /// The body, parsed as a form.
    pub(crate) form: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
    /// Whether it is the earlier response to an idempotency key.
    pub(crate) is_replayed: bool,
}

pub(crate) struct Server {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// A parameter of the query or the form.
    pub(crate) fn value<'a>(&'a self, name: &str) -> Option<&'a str> {
        self.values(name).first().copied()
    }

    pub(crate) fn values<'a>(&'a self, name: &str) -> Vec<&'a str> {
        let all = self.query.iter().chain(&self.form);
        all.filter(|(known, _)| known == name).map(|(_, value)| value.as_str()).collect()
    }
}

impl Response {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::raw(status, body.to_string().into_bytes())
    }

    pub(crate) const fn raw(status: u16, body: Vec<u8>) -> Self {
        Self { status, body, is_replayed: false }
    }
}

impl Server {
    /// Responds to each request with the result of `respond`; `None` closes the connection.
    pub(crate) async fn start(respond: impl Fn(Request) -> Option<Response> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let respond = Arc::new(respond);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let respond = respond.clone();
                tokio::spawn(async move { serve(stream, &*respond).await });
            }
        });
        Self { address, task }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(mut stream: TcpStream, respond: &(impl Fn(Request) -> Option<Response> + Sync)) {
    let Some(request) = received(&mut stream).await else { return };
    let Some(response) = respond(request) else { return };
    let head = format!(
        "HTTP/1.1 {} -\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{}Connection: close\r\n\r\n",
        response.status,
        response.body.len(),
        if response.is_replayed { "Idempotent-Replayed: true\r\n" } else { "" }
    );
    // The client may be gone.
    let _sent = stream.write_all(&[head.as_bytes(), &response.body].concat()).await;
}

async fn received(stream: &mut TcpStream) -> Option<Request> {
    let mut read = Vec::new();
    let end = loop {
        if let Some(at) = read.windows(4).position(|four| four == b"\r\n\r\n") {
            break at;
        }
        if stream.read_buf(&mut read).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(read[..end].to_vec()).ok()?;
    let mut lines = head.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, target) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.map_or(Some(0), |(_, value)| value.parse().ok())?;
    let mut body = read.split_off(end + 4);
    while body.len() < length {
        if stream.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let pairs = |bytes: &[u8]| form_urlencoded::parse(bytes).into_owned().collect();
    let (path, query, form) = (path.to_owned(), pairs(query.as_bytes()), pairs(&body));
    Some(Request { method, path, headers, query, form, body })
}
