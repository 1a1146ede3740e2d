//! Targets, when they are registered.

use std::time::Duration;

use kernel::HttpsUrl;
use url::Host;
use webhooks::TargetRefused;

use super::Guard;
use crate::fault::Fault;

/// How long a name is looked up while a person waits. Name servers that are slower than this are asked again in each attempt.
const PATIENCE: Duration = Duration::from_secs(5);

impl Guard {
    /// Refuses a target that is not public, in words for the person who registers it. A name that does not resolve, or not in time, is
    /// taken.
    pub(crate) async fn check(&self, url: &HttpsUrl) -> Result<(), TargetRefused> {
        let host = url.url().host();
        let refused = |what: String| TargetRefused(what);
        if self.judge_host(host.clone()).is_err() {
            let host = host.map(|host| host.to_string()).unwrap_or_default();
            let what = format!("must lead to a public address; {host} is not public");
            return Err(refused(what));
        }
        let Some(Host::Domain(name)) = host else {
            return Ok(());
        };
        match tokio::time::timeout(PATIENCE, self.look_up(name)).await {
            Ok(Err(Fault::NotPublic)) => Err(refused(format!(
                "must lead to a public address; {name} resolves to one that is not public"
            ))),
            Ok(Ok(_) | Err(_)) | Err(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::net::IpAddr;
    use std::sync::Arc;

    use async_trait::async_trait;

    use super::*;
    use crate::guard::Reach;
    use crate::guard::names::Names;

    /// Names that list their addresses themselves, with `x` between them: `1-1-1-1x10-0-0-1.example`.
    struct Spelled;

    #[async_trait]
    impl Names for Spelled {
        async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
            if name == "silent.example" {
                return std::future::pending().await;
            }
            let (list, _) = name.split_once('.').unwrap_or((name, ""));
            let parse = |one: &str| one.replace('-', ".").parse().map_err(io::Error::other);
            list.split('x').map(parse).collect()
        }
    }

    fn guard(reach: Reach) -> Guard {
        Guard::new(reach, Arc::new(Spelled))
    }

    fn url(text: &str) -> HttpsUrl {
        HttpsUrl::parse(text).unwrap_or_else(|fault| panic!("{text}: {fault}"))
    }

    #[tokio::test]
    async fn an_address_that_is_not_public_is_refused_in_every_spelling() {
        for host in [
            "127.0.0.1",
            "127.1",
            "127.0.0.1.",
            "2130706433",
            "0x7f000001",
            "0x7f.1",
            "017700000001",
            "0177.0.0.01",
            "１２７.0.0.1",
            "127。0。0。1",
            "①②⑦.0.0.1",
            "%31%32%37.0.0.1",
            "0",
            "10.1.2.3",
            "192.168.1.1:8443",
            "169.254.169.254",
            "[::]",
            "[::1]:443",
            "[::ffff:127.0.0.1]",
            "[::ffff:1.1.1.1]",
            "[::FFFF:7f00:1]",
            "[::127.0.0.1]",
            "[64:ff9b::a00:1]",
            "[2002:7f00:1::]",
            "[fe80::1]",
            "[fd00:ec2::254]",
            "localhost",
            "LOCALHOST.",
            "localhost..",
            "ｌocalhost",
            "api.localhost:8443",
            "api.localhost.",
        ] {
            // An empty label is no name to some parsers; then it is refused before it comes here.
            let Ok(target) = HttpsUrl::parse(&format!("https://{host}/hook")) else {
                assert_eq!(host, "localhost..");
                continue;
            };
            let refused = guard(Reach::Public).check(&target).await.unwrap_err();
            assert!(
                refused.0.ends_with("is not public"),
                "{host}: {}",
                refused.0
            );
            assert_eq!(guard(Reach::Anywhere).check(&target).await, Ok(()));
        }
        for zone in ["[fe80::1%eth0]", "[fe80::1%25eth0]"] {
            assert!(HttpsUrl::parse(&format!("https://{zone}/")).is_err());
        }
    }

    #[tokio::test]
    async fn a_name_is_judged_by_all_its_addresses() {
        for (name, taken) in [
            ("1-1-1-1.example", true),
            ("1-1-1-1x8-8-8-8.example", true),
            ("1-1-1-1x10-0-0-1.example", false),
            ("10-0-0-1x1-1-1-1.example", false),
            ("127-0-0-1.local", false),
            ("192-168-1-1.internal", false),
            ("172-16-0-1", false),
            ("1-1-1-1.example.", true),
            ("10-0-0-1.example.", false),
            ("notlocalhost", true),
            ("unknown.example", true),
        ] {
            let target = url(&format!("https://{name}:8443/hook"));
            let checked = guard(Reach::Public).check(&target).await;
            assert_eq!(checked.is_ok(), taken, "{name}: {checked:?}");
            if let Err(TargetRefused(what)) = checked {
                assert!(what.contains(name) && !what.contains("192.168"), "{what}");
            }
            assert_eq!(guard(Reach::Anywhere).check(&target).await, Ok(()));
        }
        let public = url("https://1.1.1.1/");
        assert_eq!(guard(Reach::Public).check(&public).await, Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_name_whose_servers_are_silent_is_taken_soon() {
        let target = url("https://silent.example/");
        assert_eq!(guard(Reach::Public).check(&target).await, Ok(()));
    }
}
