//! Requests as a receiver of webhooks gets them: bytes, looked at no further than needed.

/// How long the request is that these bytes begin with; `None` as long as some of it is missing.
pub(crate) fn request_length(received: &[u8]) -> Option<usize> {
    let head = received
        .windows(4)
        .position(|four| four == b"\r\n\r\n")?
        .saturating_add(4);
    let text = std::str::from_utf8(received.get(..head)?).ok()?;
    let body = text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse::<usize>().ok())?
    });
    let length = head.saturating_add(body.unwrap_or(0));
    (received.len() >= length).then_some(length)
}

/// The path that a whole request was posted to, the value of one header, and its body.
pub(crate) fn parts<'a>(request: &'a [u8], header: &str) -> Option<(&'a str, &'a str, &'a [u8])> {
    let head = request.windows(4).position(|four| four == b"\r\n\r\n")?;
    let (head, body) = request.split_at_checked(head)?;
    let text = std::str::from_utf8(head).ok()?;
    let path = text.lines().next()?.split(' ').nth(1)?;
    let value = text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case(header).then(|| value.trim())
    });
    Some((path, value.unwrap_or_default(), body.get(4..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_whole_when_its_body_is_there() {
        let request = b"POST /ok HTTP/1.1\r\ncontent-length: 2\r\nSigned: abc=\r\n\r\n{}";
        for length in 0..request.len() {
            assert_eq!(request_length(&request[..length]), None);
        }
        assert_eq!(request_length(request), Some(request.len()));
        let (path, signed, body) = parts(request, "signed").unwrap();
        assert_eq!((path, signed, body), ("/ok", "abc=", &b"{}"[..]));
    }
}
