//! What a caller still sends when its answer is there.
//!
//! Whoever is in the middle of sending reads its answer only if the server goes on taking what comes, so that the rest of a
//! body is read and thrown away behind the answer. actix does that too, but a chunked body that somebody dropped it reads for
//! as long as the caller likes. So the edge holds on to every body: actix then tells the caller that the connection closes,
//! and here both the bytes and the time of the rest have an end.

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

/// The most that is thrown away: well above the largest body that a caller would send by mistake.
const MOST: usize = 16 * 1_024 * 1_024;
/// The longest that the rest of a body is waited for.
const LONGEST: Duration = Duration::from_secs(5);

/// A request's body, held together with whoever reads it. There is none where the request has no body, and none with HTTP/2,
/// where an unread body holds nobody up.
pub(super) struct Unread(Option<Rc<RefCell<Held>>>);

struct Held {
    payload: Payload,
    ended: bool,
}

/// The body as the request has it from here on.
struct Lent(Rc<RefCell<Held>>);

/// An answer's body with the rest of the request's behind it.
struct Answer {
    body: Option<BoxBody>,
    size: BodySize,
    rest: Rc<RefCell<Held>>,
    left: usize,
    longest: Duration,
    end: Option<Pin<Box<Sleep>>>,
}

impl Unread {
    /// Holds on to the body of a request, which reads it as before.
    pub(super) fn of(request: &mut ServiceRequest) -> Self {
        let payload = request.take_payload();
        if !matches!(payload, Payload::H1 { .. }) {
            request.set_payload(payload);
            return Self(None);
        }
        let ended = false;
        let held = Rc::new(RefCell::new(Held { payload, ended }));
        let lent: Pin<Box<dyn Stream<Item = _>>> = Box::pin(Lent(held.clone()));
        request.set_payload(lent.into());
        Self(Some(held))
    }

    /// An answer's body that ends when the caller has sent all, too much, or for too long. What the answer says is out before
    /// that. Nothing is waited for longer than `deadline`.
    pub(super) fn behind(self, body: BoxBody, deadline: Duration) -> BoxBody {
        match self.0 {
            Some(rest) if !rest.borrow().ended => BoxBody::new(Answer {
                size: body.size(),
                body: Some(body),
                rest,
                left: MOST,
                longest: LONGEST.min(deadline),
                end: None,
            }),
            _ => body,
        }
    }
}

impl Held {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, PayloadError>>> {
        let piece = ready!(Pin::new(&mut self.payload).poll_next(cx));
        self.ended = !matches!(piece, Some(Ok(_)));
        Poll::Ready(piece)
    }
}

impl Stream for Lent {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.borrow_mut().poll(cx)
    }
}

impl Answer {
    fn poll_rest(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let longest = self.longest;
        let end = self.end.get_or_insert_with(|| Box::pin(sleep(longest)));
        if end.as_mut().poll(cx).is_ready() {
            return Poll::Ready(());
        }
        let mut rest = self.rest.borrow_mut();
        while !rest.ended
            && let Some(Ok(piece)) = ready!(rest.poll(cx))
        {
            match self.left.checked_sub(piece.len()) {
                Some(left) => self.left = left,
                None => break,
            }
        }
        Poll::Ready(())
    }
}

impl MessageBody for Answer {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.size
    }

    fn poll_next(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let this = self.get_mut();
        if let Some(body) = &mut this.body {
            if let Some(piece) = ready!(Pin::new(body).poll_next(cx)) {
                return Poll::Ready(Some(piece));
            }
            this.body = None;
        }
        this.poll_rest(cx).map(|()| None)
    }
}
