//! Requests to the API, as bytes.

/// A GET request.
pub(crate) fn get(path: &str, key: &str) -> Vec<u8> {
    format!("GET /api/v1{path} HTTP/1.1\r\nHost: loopback\r\nAuthorization: Bearer {key}\r\n\r\n")
        .into_bytes()
}

/// Writes a POST request of JSON.
pub(crate) fn post(
    request: &mut Vec<u8>,
    path: &str,
    key: &str,
    idempotency_key: Option<&str>,
    body: &str,
) {
    write(request, "POST", path, key, idempotency_key, body);
}

/// Writes a request with a body of JSON.
pub(crate) fn write(
    request: &mut Vec<u8>,
    method: &str,
    path: &str,
    key: &str,
    idempotency_key: Option<&str>,
    body: &str,
) {
    let parts = [
        method,
        " /api/v1",
        path,
        " HTTP/1.1\r\nHost: loopback\r\nContent-Type: application/json\r\nAuthorization: Bearer ",
        key,
    ];
    parts
        .iter()
        .for_each(|part| request.extend_from_slice(part.as_bytes()));
    if let Some(key) = idempotency_key {
        request.extend_from_slice(b"\r\nIdempotency-Key: ");
        request.extend_from_slice(key.as_bytes());
    }
    request.extend_from_slice(b"\r\nContent-Length: ");
    request.extend_from_slice(body.len().to_string().as_bytes());
    request.extend_from_slice(b"\r\n\r\n");
    request.extend_from_slice(body.as_bytes());
}
