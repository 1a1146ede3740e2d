//! Forms with a file: `multipart/form-data` (RFC 7578).

use actix_web::HttpRequest;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::web::Payload;
use http_server::{ApiError, ErrorCode, read_upload};
use idempotency::Fingerprint;

use super::fields::FormFields;

/// The maximum number of parts of a form with a file.
const MAX_PARTS: usize = 200;

/// The fields of a form, and its file, if one was chosen.
pub(crate) struct Upload {
    /// The fields. The file is replaced by its fingerprint, so that another file counts as other content.
    pub(crate) fields: FormFields,
    pub(crate) file: Option<Vec<u8>>,
}

/// A part of a form.
struct Part<'a> {
    name: String,
    is_file: bool,
    content: &'a [u8],
}

impl Upload {
    /// Reads a form whose file field has this name. The form may also be sent URL-encoded, without a file.
    ///
    /// # Errors
    /// `UNSUPPORTED_MEDIA_TYPE`, the errors of reading a body, and a validation error when the body is
    /// malformed.
    pub(crate) async fn read(http: &HttpRequest, payload: Payload, name: &str) -> Result<Self, ApiError> {
        let media_type = http.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let media_type = media_type.unwrap_or_default();
        let kind = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let body = read_upload(http.headers(), payload.into_inner()).await?;
        match kind.as_str() {
            "application/x-www-form-urlencoded" => Ok(Self { fields: FormFields::parse(&body)?, file: None }),
            "multipart/form-data" => {
                let parts = boundary(media_type).and_then(|boundary| parts(&body, &boundary));
                parts.and_then(|parts| Self::of(parts, name)).ok_or_else(malformed)
            }
            _ => Err(ApiError::new(
                ErrorCode::UnsupportedMediaType,
                "send the form as multipart/form-data or application/x-www-form-urlencoded",
            )),
        }
    }

    fn of(parts: Vec<Part<'_>>, name: &str) -> Option<Self> {
        let (mut fields, mut file) = (Vec::new(), None);
        for part in parts {
            let text = if !part.is_file {
                std::str::from_utf8(part.content).ok()?.to_owned()
            } else if part.name == name && !part.content.is_empty() {
                file = Some(part.content.to_vec());
                fingerprint(part.content)
            } else {
                continue;
            };
            fields.push((part.name, text));
        }
        Some(Self { fields: FormFields::from(fields), file })
    }
}

fn fingerprint(content: &[u8]) -> String {
    Fingerprint::of(content).as_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn malformed() -> ApiError {
    ApiError::new(ErrorCode::ValidationError, "the form is malformed")
}

/// The text between parts (RFC 2046, section 5.1.1).
fn boundary(media_type: &str) -> Option<String> {
    let mut parameters = media_type.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let (_, value) = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("boundary"))?;
    let value = value.trim().trim_matches('"');
    (1..=70).contains(&value.len()).then(|| value.to_owned())
}

/// The parts between the boundaries; `None` when the body is malformed.
fn parts<'a>(body: &'a [u8], boundary: &str) -> Option<Vec<Part<'a>>> {
    let delimiter = format!("\r\n--{boundary}");
    let mut rest = body.strip_prefix(format!("--{boundary}").as_bytes())?;
    let mut parts = Vec::new();
    while !rest.starts_with(b"--") {
        let content = rest.strip_prefix(b"\r\n")?;
        let end = find(content, delimiter.as_bytes())?;
        let (part, behind) = content.split_at_checked(end)?;
        parts.push(read_part(part)?);
        rest = behind.get(delimiter.len()..)?;
        if parts.len() > MAX_PARTS {
            return None;
        }
    }
    Some(parts)
}

fn read_part(part: &[u8]) -> Option<Part<'_>> {
    let end = find(part, b"\r\n\r\n")?;
    let (headers, content) = part.split_at_checked(end)?;
    let headers = std::str::from_utf8(headers).ok()?;
    let disposition = headers.split("\r\n").find_map(|header| {
        let (name, value) = header.split_once(':')?;
        name.trim().eq_ignore_ascii_case("content-disposition").then(|| value.trim())
    })?;
    let parameters = disposition.strip_prefix("form-data")?;
    Some(Part {
        name: parameter(parameters, "name")?,
        is_file: parameter(parameters, "filename").is_some(),
        content: content.get(4..)?,
    })
}

/// A quoted parameter, in which browsers encode quotation marks as `%22` (WHATWG HTML, "Multipart form
/// data").
fn parameter(parameters: &str, name: &str) -> Option<String> {
    let begins = format!("; {name}=\"");
    let value = parameters.split_once(&begins)?.1.split('"').next()?;
    Some(value.replace("%22", "\"").replace("%0D%0A", "\r\n"))
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|part| part == wanted)
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    async fn read(media_type: &str, body: &[u8]) -> Result<Upload, ApiError> {
        let request =
            TestRequest::post().insert_header((CONTENT_TYPE, media_type)).set_payload(body.to_vec());
        let (http, payload) = request.to_http_parts();
        let payload = <Payload as actix_web::FromRequest>::from_request(&http, &mut { payload }).await;
        Upload::read(&http, payload.unwrap(), "logo").await
    }

    const FORM: &str = "multipart/form-data; boundary=X-1";

    #[actix_web::test]
    async fn fields_and_file_are_read() {
        let body = b"--X-1\r\nContent-Disposition: form-data; name=\"company_name\"\r\n\r\nAda & \xc3\xbc\r\n\
            --X-1\r\ncontent-disposition: form-data; name=\"logo\"; filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\n\
            \x89PNG\r\n--X-\xff\r\n\r\n--X-1--\r\n";
        let upload = read(FORM, body).await.unwrap();
        assert_eq!(upload.fields.get("company_name"), "Ada & ü");
        assert_eq!(upload.file.as_deref(), Some(&b"\x89PNG\r\n--X-\xff\r\n"[..]));
        assert_eq!(upload.fields.get("logo").len(), 64);
        let unchosen =
            b"--X-1\r\nContent-Disposition: form-data; name=\"logo\"; filename=\"\"\r\n\r\n\r\n--X-1--";
        let upload = read("Multipart/Form-Data; charset=utf-8; boundary=\"X-1\"", unchosen).await.unwrap();
        assert!(upload.file.is_none() && upload.fields.find("logo").is_none());
        let plain = read("application/x-www-form-urlencoded", b"a=b").await.unwrap();
        assert_eq!((plain.fields.get("a"), plain.file), ("b", None));
    }

    #[actix_web::test]
    async fn malformed_forms_are_refused() {
        let whole = b"--X-1\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--X-1--";
        assert!(read(FORM, whole).await.is_ok());
        for length in 0..whole.len() - 2 {
            assert!(read(FORM, &whole[..length]).await.is_err(), "{length}");
        }
        let not_text = b"--X-1\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\xff\r\n--X-1--";
        assert!(read(FORM, not_text).await.is_err());
        assert!(read("multipart/form-data", whole).await.is_err());
        assert!(read("multipart/form-data; boundary=", whole).await.is_err());
        assert!(read("text/plain", whole).await.is_err());
    }
}
