//! Discards the rest of a request's body that the handler did not read.
//!
//! A client that is still sending reads the response only if the server keeps receiving, so the rest of the
//! body is read and discarded after the response. actix does that too, but without a limit for a chunked body
//! whose payload was dropped. The middleware therefore keeps every payload: actix then sends `Connection:
//! close`, and this module discards the body within limits of bytes and time.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::HttpMessage as _;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{Payload, ServiceRequest};
use actix_web::error::PayloadError;
use actix_web::web::Bytes;
use futures_util::Stream;
use tokio::time::{Sleep, sleep};

/// The maximum number of discarded bytes: well above the largest body that a client would send by mistake.
const MAX_DISCARDED: usize = 16 * 1_024 * 1_024;
/// How long to wait for the rest of a body.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// A request's payload, shared with its handler. `None` without a body.
pub(crate) struct UnreadBody(Option<Rc<RefCell<SharedPayload>>>);

struct SharedPayload {
    payload: Payload,
    ended: bool,
}

/// The payload as the handler reads it.
struct PayloadReader(Rc<RefCell<SharedPayload>>);

/// A response body after which the rest of the request's body is discarded.
struct DrainingBody {
    body: Option<BoxBody>,
    size: BodySize,
    unread: Rc<RefCell<SharedPayload>>,
    bytes_left: usize,
    max_wait: Duration,
    timeout: Option<Pin<Box<Sleep>>>,
}

impl UnreadBody {
    /// Keeps a handle to a request's body, which the handler reads as usual.
    pub(crate) fn of(request: &mut ServiceRequest) -> Self {
        let payload = request.take_payload();
        if !matches!(payload, Payload::H1 { .. }) {
            request.set_payload(payload);
            return Self(None);
        }
        let ended = false;
        let shared = Rc::new(RefCell::new(SharedPayload { payload, ended }));
        let reader: Pin<Box<dyn Stream<Item = _>>> = Box::pin(PayloadReader(shared.clone()));
        request.set_payload(reader.into());
        Self(Some(shared))
    }

    /// The response body, which ends once the request's body has ended or exceeds a limit. The response
    /// itself is sent before that. Waits at most `deadline`.
    pub(crate) fn drain_after(self, body: BoxBody, deadline: Duration) -> BoxBody {
        match self.0 {
            Some(unread) if !unread.borrow().ended => BoxBody::new(DrainingBody {
                size: body.size(),
                body: Some(body),
                unread,
                bytes_left: MAX_DISCARDED,
                max_wait: MAX_WAIT.min(deadline),
                timeout: None,
            }),
            _ => body,
        }
    }
}

impl SharedPayload {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, PayloadError>>> {
        let chunk = ready!(Pin::new(&mut self.payload).poll_next(cx));
        self.ended = !matches!(chunk, Some(Ok(_)));
        Poll::Ready(chunk)
    }
}

impl Stream for PayloadReader {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.borrow_mut().poll(cx)
    }
}

impl DrainingBody {
    fn poll_drain(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let max_wait = self.max_wait;
        let timeout = self.timeout.get_or_insert_with(|| Box::pin(sleep(max_wait)));
        if timeout.as_mut().poll(cx).is_ready() {
            return Poll::Ready(());
        }
        let mut unread = self.unread.borrow_mut();
        while !unread.ended
            && let Some(Ok(chunk)) = ready!(unread.poll(cx))
        {
            match self.bytes_left.checked_sub(chunk.len()) {
                Some(left) => self.bytes_left = left,
                None => break,
            }
        }
        Poll::Ready(())
    }
}

impl MessageBody for DrainingBody {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.size
    }

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let this = self.get_mut();
        if let Some(body) = &mut this.body {
            if let Some(chunk) = ready!(Pin::new(body).poll_next(cx)) {
                return Poll::Ready(Some(chunk));
            }
            this.body = None;
        }
        this.poll_drain(cx).map(|()| None)
    }
}
