//! A receiver of webhooks: it verifies each delivery, skips events that it has seen, responds at once, and
//! does the work afterwards.
//!
//! ```text
//! WEBHOOK_SECRET=... cargo run -p webhooks --example receiver -- 127.0.0.1:8081
//! ```
//!
//! `WEBHOOK_SECRET` is the endpoint's signing secret, which `countinghouse webhook add` prints once. The
//! receiver speaks plain HTTP at `/`: run it behind a proxy that terminates TLS, since webhooks are sent to
//! https addresses only. For a test on one machine, set `COUNTINGHOUSE_ALLOW_PRIVATE_TARGETS=true` for the
//! service and its commands, and name the proxy's certificate authority in `COUNTINGHOUSE_EXTRA_CA_FILE`.
//! Then try it:
//!
//! ```text
//! countinghouse webhook test --url https://localhost:8443/ --secret ...
//! ```

use std::collections::HashSet;
use std::sync::Mutex;

use actix_web::http::StatusCode;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use serde::Deserialize;
use webhooks::{SIGNATURE_HEADER, SigningSecret, verify};

/// The fields of a delivery that this receiver needs. Unknown fields are ignored.
#[derive(Deserialize)]
struct Delivery {
    events: Vec<Event>,
}

#[derive(Deserialize)]
struct Event {
    event_id: String,
    event_type: String,
    event_category: String,
    resource_url: String,
}

struct Receiver {
    secret: SigningSecret,
    /// The ids of the events seen. A real receiver keeps them in its database, and writes them in the
    /// transaction that does the work.
    seen: Mutex<HashSet<String>>,
}

#[actix_web::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let secret = std::env::var("WEBHOOK_SECRET")
        .map_err(|_not_set| "set WEBHOOK_SECRET to the endpoint's signing secret")?;
    let listen = std::env::args().nth(1).unwrap_or("127.0.0.1:8081".to_owned());
    let receiver =
        web::Data::new(Receiver { secret: SigningSecret::parse(&secret)?, seen: Mutex::default() });
    let server =
        HttpServer::new(move || App::new().app_data(receiver.clone()).route("/", web::post().to(receive)));
    server.bind(listen)?.run().await?;
    Ok(())
}

/// `body` is the raw body: the signature is over the bytes that were sent, not over JSON that was parsed and
/// written again.
async fn receive(receiver: web::Data<Receiver>, request: HttpRequest, body: web::Bytes) -> HttpResponse {
    HttpResponse::new(answer(&receiver, &request, &body))
}

fn answer(receiver: &Receiver, request: &HttpRequest, body: &[u8]) -> StatusCode {
    let header = request.headers().get(SIGNATURE_HEADER);
    let header = header.and_then(|value| value.to_str().ok()).unwrap_or_default();
    if verify(&receiver.secret, body, header).is_err() {
        return StatusCode::UNAUTHORIZED;
    }
    let Ok(delivery) = serde_json::from_slice::<Delivery>(body) else {
        return StatusCode::BAD_REQUEST;
    };
    for event in delivery.events {
        let is_new = receiver.seen.lock().is_ok_and(|mut seen| seen.insert(event.event_id.clone()));
        if is_new {
            tell(&event);
        }
    }
    StatusCode::NO_CONTENT
}

#[expect(clippy::print_stdout, reason = "an example shows what it does")]
fn tell(event: &Event) {
    println!(
        "{} {}: fetch {} for what it is now",
        event.event_category, event.event_type, event.resource_url
    );
}
