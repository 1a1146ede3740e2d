//! `POST /inbound/mail/{token}` and `/inbound/twilio/sms`: messages from customers, sent by the providers of
//! mail and text messages. A message is stored before the response is sent, and processed afterwards.

use actix_web::http::header::{CONTENT_TYPE, HeaderValue};
use actix_web::web::{self, Data, Payload, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use communications::{Address, CallbackRefused, Channel, Incoming, SmsCallback};
use http_server::{ApiError, ErrorCode, only, read_body, read_mail};

use crate::forms::{FormFields, PageError, PageResult};
use crate::state::PagesState;

/// The header with the signature of a callback.
const SIGNATURE: &str = "X-Twilio-Signature";
/// A response that makes Twilio send no message back.
const NO_ANSWER: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Response/>";

pub(crate) fn configure(config: &mut ServiceConfig) {
    let mail = web::resource("/inbound/mail/{token}").route(web::post().to(take_mail));
    let texts = web::resource("/inbound/twilio/sms").route(web::post().to(take_text));
    for resource in [mail, texts] {
        config.service(only(resource, HeaderValue::from_static("POST")));
    }
}

/// Receives a raw e-mail of any media type: providers name it differently.
async fn take_mail(http: HttpRequest, state: Data<PagesState>, payload: Payload) -> PageResult {
    if !state.inbound_access.takes_mail(http.match_info().get("token").unwrap_or_default()) {
        return Err(PageError::not_found());
    }
    let raw = read_mail(http.headers(), payload.into_inner()).await?;
    state.inbound.receive(Incoming::Mail(raw.to_vec())).await?;
    Ok(HttpResponse::Ok().finish())
}

/// Receives a text message, or a delivery receipt of a sent one.
async fn take_text(http: HttpRequest, state: Data<PagesState>, payload: Payload) -> PageResult {
    let body = read_body(http.headers(), payload.into_inner()).await?;
    let form = FormFields::parse(&body)?;
    let fields: Vec<(&str, &str)> = form.iter().collect();
    let signature = http.headers().get(SIGNATURE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    // Twilio signs the URL that it was given, before a proxy may have changed it.
    let url = state.public_urls.page(http.uri().path_and_query().map_or("", |address| address.as_str()));
    let callbacks = state.inbound_access.text_callbacks.as_deref().ok_or(CallbackRefused::NotSigned);
    match callbacks.and_then(|callbacks| callbacks.read(&url, &fields, signature)).map_err(refused)? {
        SmsCallback::Inbound { from, text, attachments, opts_out, provider_id } => {
            // A sender with a short number or a name cannot be a contact: text messages are never sent there.
            match Address::parse(Channel::Sms, &from) {
                Ok(from) => {
                    let provider_id = Some(provider_id);
                    let text = Incoming::Sms { from, text, attachments, opts_out, provider_id };
                    state.inbound.receive(text).await?;
                }
                Err(_) => {
                    tracing::info!(provider_id, "a text message of a sender without a number was not kept");
                }
            }
        }
        SmsCallback::Receipt(receipt) => state.inbound.note_receipt(&receipt).await?,
        SmsCallback::Nothing => {}
    }
    Ok(HttpResponse::Ok().insert_header((CONTENT_TYPE, "text/xml")).body(NO_ANSWER))
}

fn refused(refused: CallbackRefused) -> ApiError {
    match refused {
        CallbackRefused::NotSigned => ApiError::new(ErrorCode::CrossSiteRequest, refused.to_string()),
        CallbackRefused::Unreadable => ApiError::new(ErrorCode::ValidationError, refused.to_string()),
    }
}
