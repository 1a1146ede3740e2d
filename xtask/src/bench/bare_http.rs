//! The floor of HTTP: the same server library with the same bytes from memory.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, PoisonError, RwLock};

use actix_web::http::StatusCode;
use actix_web::{App, HttpResponse, HttpServer, web};

/// The response that the server sends.
#[derive(Debug, Clone, Default)]
pub(super) struct Sample {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// A server that sends the same response to every request, for as long as this process runs.
pub(super) struct Bare {
    pub(super) address: SocketAddr,
    sample: Arc<RwLock<Arc<Sample>>>,
}

impl Bare {
    pub(super) fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let sample = Arc::new(RwLock::new(Arc::new(Sample::default())));
        let shared = web::Data::from(sample.clone());
        let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let server =
            HttpServer::new(move || App::new().app_data(shared.clone()).default_service(web::to(respond)))
                .workers(workers)
                .disable_signals()
                .listen(listener)?
                .run();
        std::thread::spawn(move || actix_web::rt::System::new().block_on(server));
        Ok(Self { address, sample })
    }

    /// Sends this response from now on.
    pub(super) fn respond_with(&self, sample: Sample) {
        *self.sample.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(sample);
    }
}

async fn respond(_body: web::Bytes, sample: web::Data<RwLock<Arc<Sample>>>) -> HttpResponse {
    let sample = sample.read().unwrap_or_else(PoisonError::into_inner).clone();
    let status = StatusCode::from_u16(sample.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = HttpResponse::build(status);
    for (name, value) in &sample.headers {
        response.insert_header((name.as_str(), value.as_str()));
    }
    response.body(sample.body.clone())
}

impl Sample {
    /// A response as it was received, without the headers that the server adds itself.
    pub(super) fn received(status: u16, head: &str, body: Vec<u8>) -> Self {
        const OWN: [&str; 4] = ["content-length", "transfer-encoding", "date", "connection"];
        let lines = head.lines().skip(1).filter_map(|line| line.split_once(':'));
        let headers = lines
            .filter(|(name, _)| !OWN.iter().any(|own| name.eq_ignore_ascii_case(own)))
            .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
            .collect();
        Self { status, headers, body }
    }
}
