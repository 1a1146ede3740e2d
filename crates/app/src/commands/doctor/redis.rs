//! The server of shared quotas, where one is set.

use tokio::net::TcpStream;
use url::Url;

use super::finding::Finding;
use crate::settings::Settings;

pub(super) const REDIS: &str = "redis";

const PORT: u16 = 6379;

/// Whether somebody answers where the server of shared quotas is said to be.
pub(super) async fn redis(settings: &Settings) -> Finding {
    let Some(url) = &settings.redis_url else {
        let said = "not set: each process counts quotas for itself, which is right for one process";
        return Finding::fine(REDIS, said);
    };
    let Some((host, port)) = place(url.reveal()) else {
        let said = "COUNTINGHOUSE_REDIS_URL names no host: write redis://host:6379";
        return Finding::wrong(REDIS, said);
    };
    match TcpStream::connect((host.as_str(), port)).await {
        Ok(_connected) => Finding::fine(REDIS, format!("{host}:{port} takes connections")),
        Err(error) => {
            let said = format!(
                "{host}:{port} cannot be reached ({error}): see whether it is up and COUNTINGHOUSE_REDIS_URL is right"
            );
            Finding::wrong(REDIS, said)
        }
    }
}

fn place(url: &str) -> Option<(String, u16)> {
    let url = Url::parse(url).ok()?;
    // An IPv6 address stands in brackets, which no resolver knows.
    let host = url.host_str()?.trim_matches(['[', ']']).to_owned();
    (!host.is_empty()).then(|| (host, url.port().unwrap_or(PORT)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_read_without_the_password() {
        let at = |url: &str| place(url).map(|(host, port)| format!("{host} {port}"));
        assert_eq!(at("redis://u:p@cache/1").as_deref(), Some("cache 6379"));
        assert_eq!(at("rediss://[::1]:7000").as_deref(), Some("::1 7000"));
        assert_eq!(at("redis://"), None);
    }
}
