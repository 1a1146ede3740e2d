//! The fields of a submitted form.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{FromRequest, HttpRequest};
use http_server::{ApiError, ErrorCode, read_body};

/// The maximum number of fields of a form: enough for an invoice with the most lines.
const MAX_FIELDS: usize = 5_000;

/// The fields of a form in the order in which they were sent, each with its name and its text.
#[derive(Debug, Clone, Default)]
pub(crate) struct FormFields(Vec<(String, String)>);

impl FormFields {
    /// Reads a body or a query of the type `application/x-www-form-urlencoded` (WHATWG URL, section 5).
    ///
    /// # Errors
    /// `PAYLOAD_TOO_LARGE` when there are more than [`MAX_FIELDS`].
    pub(crate) fn parse(encoded: &[u8]) -> Result<Self, ApiError> {
        let fields: Vec<_> = form_urlencoded::parse(encoded).take(MAX_FIELDS + 1).collect();
        if fields.len() > MAX_FIELDS {
            let message = format!("a form has at most {MAX_FIELDS} fields");
            return Err(ApiError::new(ErrorCode::PayloadTooLarge, message));
        }
        let owned = fields.into_iter().map(|(name, text)| (name.into_owned(), text.into_owned()));
        Ok(Self(owned.collect()))
    }

    /// Reads the query of a request.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub(crate) fn of_query(http: &HttpRequest) -> Result<Self, ApiError> {
        Self::parse(http.query_string().as_bytes())
    }

    /// The first field with this name, trimmed; empty when there is none.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.find(name).unwrap_or_default().trim()
    }

    /// The first field with this name, as it was sent.
    pub(crate) fn find(&self, name: &str) -> Option<&str> {
        self.iter().find(|(given, _)| *given == name).map(|(_, text)| text)
    }

    /// Every field with this name, as a group of check boxes sends them.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let of_name = self.0.iter().filter(move |(given, _)| given == name);
        of_name.map(|(_, text)| text.as_str())
    }

    /// The name of the pressed button; empty if the form has only one button.
    pub(crate) fn action(&self) -> &str {
        self.get("action")
    }

    /// All fields, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// The fields as they were sent, to fill in the form again.
    pub(crate) fn into_values(self) -> Vec<(String, String)> {
        self.0
    }

    /// The same on a page with several forms: fields that were not sent, which are those of the other forms,
    /// get their stored values. A check box that is not ticked is not sent either, so `stored` must not
    /// contain check boxes of the form that was sent.
    pub(crate) fn into_values_with(self, stored: Vec<(String, String)>) -> Vec<(String, String)> {
        let others = stored.into_iter().filter(|(name, _)| self.find(name).is_none());
        let others: Vec<_> = others.collect();
        [self.0, others].concat()
    }
}

impl From<Vec<(String, String)>> for FormFields {
    fn from(fields: Vec<(String, String)>) -> Self {
        Self(fields)
    }
}

impl FromRequest for FormFields {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let media_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
            let media_type = media_type.and_then(|value| value.split(';').next()).unwrap_or_default();
            if !media_type.trim().eq_ignore_ascii_case("application/x-www-form-urlencoded") {
                let message = "send the form as application/x-www-form-urlencoded";
                return Err(ApiError::new(ErrorCode::UnsupportedMediaType, message));
            }
            Self::parse(&read_body(request.headers(), payload).await?)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_keep_their_order_and_repeated_names_stay() {
        let fields = FormFields::parse(b"events=a&name=+Ada+%26+Co+&events=b&action=save").unwrap();
        assert_eq!(fields.get("name"), "Ada & Co");
        assert_eq!(fields.find("name"), Some(" Ada & Co "));
        assert_eq!(fields.all("events").collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!((fields.action(), fields.get("none"), fields.find("none")), ("save", "", None));
    }

    #[test]
    fn stored_values_are_only_of_fields_that_were_not_sent() {
        let sent = FormFields::parse(b"unapplied=return&reference=").unwrap();
        let stored = [("unapplied", "keep"), ("reference", "R 1"), ("promise_days", "14")];
        let stored = stored.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let values = sent.into_values_with(stored);
        let values: Vec<_> = values.iter().map(|(name, value)| (&**name, &**value)).collect();
        assert_eq!(values, [("unapplied", "return"), ("reference", ""), ("promise_days", "14")]);
    }

    #[test]
    fn form_with_more_fields_than_any_has_is_refused() {
        assert!(FormFields::parse("a=1&".repeat(MAX_FIELDS).as_bytes()).is_ok());
        assert!(FormFields::parse("a=1&".repeat(MAX_FIELDS + 1).as_bytes()).is_err());
    }
}
