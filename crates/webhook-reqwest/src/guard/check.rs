//! Checks targets when they are registered.

use std::time::Duration;

use kernel::HttpsUrl;
use url::Host;
use webhooks::TargetRefused;

use super::AddressGuard;
use crate::fault::CallFault;

/// How long to look up a name while a caller waits. Names on slower servers are looked up again at each
/// attempt.
const LOOKUP_LIMIT: Duration = Duration::from_secs(5);

impl AddressGuard {
    /// Refuses a target that is not public, with a message for the caller. A name that does not resolve, or
    /// not in time, is accepted.
    pub(crate) async fn check(&self, url: &HttpsUrl) -> Result<(), TargetRefused> {
        let host = url.url().host();
        let refused = |what: &str| TargetRefused(format!("must lead to a public address; {what}"));
        if self.check_host(host.clone()).is_err() {
            let host = host.map(|host| host.to_string()).unwrap_or_default();
            return Err(refused(&format!("{host} is not public")));
        }
        let Some(Host::Domain(name)) = host else {
            return Ok(());
        };
        match tokio::time::timeout(LOOKUP_LIMIT, self.look_up(name)).await {
            Ok(Err(CallFault::NotPublic)) => {
                Err(refused(&format!("{name} resolves to one that is not public")))
            }
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
    use proptest::prelude::*;

    use super::*;
    use crate::guard::Reach;
    use crate::guard::names::HostResolver;

    /// Resolves names that spell out their addresses, separated by `x`: `1-1-1-1x10-0-0-1.example`.
    struct Spelled;

    #[async_trait]
    impl HostResolver for Spelled {
        async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
            if name == "silent.example" {
                return std::future::pending().await;
            }
            let (list, _) = name.split_once('.').unwrap_or((name, ""));
            let parse = |one: &str| one.replace('-', ".").parse().map_err(io::Error::other);
            list.split('x').map(parse).collect()
        }
    }

    fn guard(reach: Reach) -> AddressGuard {
        AddressGuard::new(reach, Arc::new(Spelled))
    }

    fn url(text: &str) -> HttpsUrl {
        HttpsUrl::parse(text).unwrap_or_else(|fault| panic!("{text}: {fault}"))
    }

    #[tokio::test]
    async fn private_address_is_refused_in_every_spelling() {
        for host in [
            "127.0.0.1", "127.1", "127.0.0.1.", "2130706433", "0x7f000001", "0x7f.1", "017700000001",
            "0177.0.0.01", "１２７.0.0.1", "127。0。0。1", "①②⑦.0.0.1", "%31%32%37.0.0.1", "0", "10.1.2.3",
            "192.168.1.1:8443", "169.254.169.254", "[::]", "[::1]:443", "[::ffff:127.0.0.1]",
            "[::ffff:1.1.1.1]", "[::FFFF:7f00:1]", "[::127.0.0.1]", "[64:ff9b::a00:1]", "[2002:7f00:1::]",
            "[fe80::1]", "[fd00:ec2::254]", "localhost", "LOCALHOST.", "localhost..", "ｌocalhost",
            "api.localhost:8443", "api.localhost.",
        ] {
            // Some parsers reject an empty label; then the URL is refused before it gets here.
            let Ok(target) = HttpsUrl::parse(&format!("https://{host}/hook")) else {
                assert_eq!(host, "localhost..");
                continue;
            };
            let refused = guard(Reach::Public).check(&target).await.unwrap_err();
            assert!(refused.0.ends_with("is not public"), "{host}: {}", refused.0);
            assert_eq!(guard(Reach::Anywhere).check(&target).await, Ok(()));
        }
        for zone in ["[fe80::1%eth0]", "[fe80::1%25eth0]"] {
            assert!(HttpsUrl::parse(&format!("https://{zone}/")).is_err());
        }
    }

    #[tokio::test]
    async fn name_is_checked_by_all_its_addresses() {
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
    async fn name_whose_servers_hang_is_accepted_after_the_limit() {
        let target = url("https://silent.example/");
        assert_eq!(guard(Reach::Public).check(&target).await, Ok(()));
    }

    /// Resolves all names to the same addresses.
    struct Leading(Vec<IpAddr>);

    #[async_trait]
    impl HostResolver for Leading {
        async fn addresses(&self, _: &str) -> io::Result<Vec<IpAddr>> {
            Ok(self.0.clone())
        }
    }

    /// Addresses of all kinds; those near the edges of private blocks are more frequent than at random.
    fn address() -> impl Strategy<Value = IpAddr> {
        let edges = prop::sample::select(vec![
            0x7f00_0000_u32, 0x0a00_0000, 0xac10_0000, 0xc0a8_0000, 0xa9fe_0000, 0x6440_0000, 0xe000_0000,
            0x0101_0000,
        ]);
        let prefixes = prop::sample::select(vec![
            0_u128,
            0xffff << 32,
            0x64_ff9b << 96,
            0x2002 << 112,
            0xfe80 << 112,
            0xfd00 << 112,
            0x2606 << 112,
        ]);
        prop_oneof![
            any::<u32>().prop_map(|bits| IpAddr::V4(bits.into())),
            (edges, 0..0x2_0000_u32).prop_map(|(edge, offset)| IpAddr::V4((edge + offset).into())),
            any::<u128>().prop_map(|bits| IpAddr::V6(bits.into())),
            (prefixes, any::<u32>()).prop_map(|(prefix, low)| IpAddr::V6((prefix | u128::from(low)).into())),
        ]
    }

    /// One of the spellings of an IPv4 address that browsers accept: one to four parts, each in one of three
    /// bases.
    fn spelled(bits: u32, parts: usize, bases: [u8; 4]) -> String {
        let bytes = bits.to_be_bytes();
        let mut values: Vec<u32> = bytes[..parts - 1].iter().map(|byte| u32::from(*byte)).collect();
        values.push(bits & (u32::MAX >> (8 * (parts - 1))));
        let written = values.iter().zip(bases).map(|(value, base)| match base {
            0 => format!("{value}"),
            1 => format!("0{value:o}"),
            _ => format!("0X{value:x}"),
        });
        written.collect::<Vec<_>>().join(".")
    }

    fn host() -> impl Strategy<Value = String> {
        let bases = prop::array::uniform4(0..3_u8);
        prop_oneof![
            (address(), 1..5_usize, bases).prop_map(|(address, parts, bases)| match address {
                IpAddr::V4(address) => spelled(address.to_bits(), parts, bases),
                IpAddr::V6(address) => format!("[{address}]"),
            }),
            "[a-z0-9.-]{1,20}",
            "(localhost|LocalHost|a[.]localhost)[.]{0,2}",
            "\\PC{0,30}",
            "[0-9a-fA-FxX.:%\\[\\]@]{1,24}",
        ]
    }

    /// Addresses that must never be called, determined without the guard's own tables.
    fn is_forbidden(address: IpAddr) -> bool {
        let v4 = match address {
            IpAddr::V4(address) => Some(address),
            IpAddr::V6(address) if address.is_loopback() || address.is_unspecified() => {
                return true;
            }
            IpAddr::V6(address)
                if address.is_unique_local() || address.is_unicast_link_local() || address.is_multicast() =>
            {
                return true;
            }
            IpAddr::V6(address) => address.to_ipv4(),
        };
        v4.is_some_and(|v4| {
            v4.is_private()
                || v4.is_loopback()
                || v4.is_link_local()
                || v4.is_multicast()
                || v4.is_unspecified()
                || v4.is_broadcast()
        })
    }

    proptest! {
        #[test]
        fn accepted_target_never_leads_to_a_private_address(
            host in host(), rest in "(:[0-9]{1,5})?(/[!-~]{0,10})?", answers in prop::collection::vec(address(), 1..4),
        ) {
            let Ok(target) = HttpsUrl::parse(&format!("https://{host}{rest}")) else {
                return Ok(());
            };
            let guard = AddressGuard::new(Reach::Public, Arc::new(Leading(answers.clone())));
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            let taken = runtime.block_on(guard.check(&target)).is_ok();
            // The addresses that a client would connect to, from the text of the URL.
            let called = target.url().host_str().unwrap().trim_matches(['[', ']']).to_owned();
            let ends = called.parse().map_or(answers, |address: IpAddr| vec![address]);
            let name = format!(".{}", called.trim_end_matches('.'));
            if taken {
                prop_assert!(!ends.iter().any(|end| is_forbidden(*end)), "{target} leads to {ends:?}");
                prop_assert!(ends.iter().all(|end| crate::is_public(*end)), "{target} leads to {ends:?}");
                prop_assert!(!name.ends_with(".localhost"), "{target}");
            }
            // The checks of the connection must give the same result.
            let judged = guard.check_host(target.url().host()).is_ok();
            let looked_up = judged && match target.url().host() {
                Some(Host::Domain(name)) => runtime.block_on(guard.look_up(name)).is_ok(),
                _ => true,
            };
            prop_assert_eq!(looked_up, taken, "{}", target);
        }
    }
}
