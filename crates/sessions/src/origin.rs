//! The origin of a request, as sessions and audit entries store it.

use std::net::{IpAddr, Ipv4Addr};

/// The origin of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The client address; for IPv6 the network (/64).
    pub address: IpAddr,
    /// The name of the browser, such as `Firefox on Linux`.
    pub browser: String,
}

/// The maximum length of a stored browser name, in characters.
const MAX_NAME_LENGTH: usize = 100;

/// Browsers and the marks in their `User-Agent`. The order matters: most browsers also name others.
const BROWSERS: [(&str, &str); 7] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];

const SYSTEMS: [(&str, &str); 7] = [
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
];

impl Origin {
    /// The origin with the client address and the `User-Agent` of a request.
    #[must_use]
    pub fn new(address: IpAddr, user_agent: &str) -> Self {
        Self { address, browser: browser_name(user_agent) }
    }

    /// An unknown origin.
    #[must_use]
    pub fn unknown() -> Self {
        Self::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), "")
    }
}

/// The name of the browser without its version, so that an update does not make it a new browser. An unknown
/// browser keeps the text that it sent.
fn browser_name(user_agent: &str) -> String {
    let find = |names: &[(&str, &'static str)]| {
        names.iter().find(|(mark, _)| user_agent.contains(mark)).map(|(_, name)| *name)
    };
    match (find(&BROWSERS), find(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(browser), None) => browser.to_owned(),
        _ => match kernel::text::one_line(user_agent, MAX_NAME_LENGTH) {
            text if text.is_empty() => "Unknown browser".to_owned(),
            text => text,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browser_is_named_without_its_version() {
        let linux = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
        let windows = "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/141.0 Safari/537.36";
        let iphone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1";
        for (sent, name) in [
            (linux, "Firefox on Linux"),
            (&linux.replace("140", "141"), "Firefox on Linux"),
            (windows, "Chrome on Windows"),
            (&format!("{windows} Edg/141.0"), "Edge on Windows"),
            (iphone, "Safari on iPhone"),
            ("curl/8.5", "curl/8.5"),
            ("a\r\nb", "a b"),
            ("", "Unknown browser"),
        ] {
            assert_eq!(browser_name(sent), name, "{sent}");
        }
        assert_eq!(browser_name(&"x".repeat(500)).len(), 100);
    }
}
