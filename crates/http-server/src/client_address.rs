//! The client address of a request, by which attempts are counted.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::NonZeroU8;

use actix_web::HttpRequest;
use actix_web::http::header::X_FORWARDED_FOR;

use crate::state::Transport;

/// The client address of a request. For IPv6 it is the network (/64), since one person usually has a whole
/// network.
///
/// Behind proxies it is the value that the outermost of them has added to `X-Forwarded-For`: clients can send
/// earlier values themselves. The header is ignored if there is no proxy, or if it has fewer values than
/// there are proxies.
#[must_use]
pub fn client_address(request: &HttpRequest, transport: Transport) -> IpAddr {
    let forwarded = |hops: NonZeroU8| {
        let values = request.headers().get_all(X_FORWARDED_FOR);
        // Bytes: what a client sends before the proxy's value need not be text.
        let values: Vec<&[u8]> =
            values.flat_map(|value| value.as_bytes().split(|byte| *byte == b',')).collect();
        let value = values.iter().rev().nth(usize::from(hops.get()).saturating_sub(1))?;
        forwarded_address(str::from_utf8(value).ok()?.trim())
    };
    let forwarded = match transport {
        Transport::BehindTlsProxy { hops } => forwarded(hops),
        Transport::Plain | Transport::Tls => None,
    };
    let peer = || request.peer_addr().map(|peer| peer.ip());
    network(forwarded.or_else(peer).unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)))
}

/// The address in a value of `X-Forwarded-For`. Some proxies add the client's port, and then put IPv6 in
/// brackets; if such values were ignored, all clients would be counted as the proxy.
fn forwarded_address(value: &str) -> Option<IpAddr> {
    let bare = value.strip_prefix('[').and_then(|value| value.strip_suffix(']'));
    let bracketed = || bare?.parse().map(IpAddr::V6).ok();
    let with_port = || value.parse().map(|address: SocketAddr| address.ip()).ok();
    value.parse().ok().or_else(bracketed).or_else(with_port)
}

fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        v4 @ IpAddr::V4(_) => v4,
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;
    use actix_web::test::TestRequest;

    use super::*;

    fn address(transport: Transport, forwarded: &[&str]) -> String {
        let request = TestRequest::default().peer_addr("192.0.2.1:4711".parse().unwrap());
        let request =
            forwarded.iter().fold(request, |request, value| request.append_header((X_FORWARDED_FOR, *value)));
        client_address(&request.to_http_request(), transport).to_string()
    }

    const ONE_PROXY: Transport = Transport::BehindTlsProxy { hops: NonZeroU8::MIN };

    #[test]
    fn header_counts_behind_a_proxy_only_and_its_last_value_at_that() {
        let sent = ["203.0.113.7, 198.51.100.2", "10.0.0.9, 198.51.100.3"];
        assert_eq!(address(Transport::Plain, &sent), "192.0.2.1");
        assert_eq!(address(Transport::Tls, &sent), "192.0.2.1");
        assert_eq!(address(ONE_PROXY, &sent), "198.51.100.3");
        assert_eq!(address(ONE_PROXY, &[]), "192.0.2.1");
        assert_eq!(address(ONE_PROXY, &["unknown"]), "192.0.2.1");
        let behind = |hops| address(Transport::BehindTlsProxy { hops: NonZeroU8::new(hops).unwrap() }, &sent);
        assert_eq!([behind(2), behind(3), behind(4)], ["10.0.0.9", "198.51.100.2", "203.0.113.7"]);
        assert_eq!(behind(5), "192.0.2.1", "fewer values than proxies");
    }

    #[test]
    fn bytes_that_a_client_sends_before_the_proxy_do_not_hide_its_value() {
        let sent = HeaderValue::from_bytes(b"\xc3\xa9, 198.51.100.2").unwrap();
        let request = TestRequest::default().append_header((X_FORWARDED_FOR, sent)).to_http_request();
        assert_eq!(client_address(&request, ONE_PROXY).to_string(), "198.51.100.2");
    }

    #[test]
    fn value_with_a_port_or_in_brackets_is_the_address_in_it() {
        let forwarded = |value| address(ONE_PROXY, &[value]);
        assert_eq!(forwarded("198.51.100.3:4711"), "198.51.100.3");
        assert_eq!(forwarded("203.0.113.7, 198.51.100.3:4711 "), "198.51.100.3");
        assert_eq!(forwarded("[2001:db8:1:2::1]:4711"), "2001:db8:1:2::");
        assert_eq!(forwarded("[2001:db8:1:2::1]"), "2001:db8:1:2::");
        for neither in ["[198.51.100.3]", "198.51.100.3:", "[2001:db8::1", "[]", "198.51.100.3:65536", ""] {
            assert_eq!(forwarded(neither), "192.0.2.1", "{neither}");
        }
    }

    #[test]
    fn addresses_of_one_ipv6_network_are_one() {
        let forwarded = |value| address(ONE_PROXY, &[value]);
        assert_eq!(forwarded("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(forwarded("2001:db8:1:2::1"), "2001:db8:1:2::");
        assert_eq!(forwarded("::ffff:198.51.100.3"), "198.51.100.3");
    }
}
