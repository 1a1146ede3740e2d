use super::*;
use proptest::prelude::*;

/// The first and last address of each refused block.
const REFUSED: [(&str, &str); 41] = [
    ("0.0.0.0", "0.255.255.255"),
    ("10.0.0.0", "10.255.255.255"),
    ("100.64.0.0", "100.127.255.255"),
    ("127.0.0.0", "127.255.255.255"),
    ("169.254.0.0", "169.254.255.255"),
    ("172.16.0.0", "172.31.255.255"),
    ("192.0.0.0", "192.0.0.255"),
    ("192.0.2.0", "192.0.2.255"),
    ("192.88.99.0", "192.88.99.255"),
    ("192.168.0.0", "192.168.255.255"),
    ("198.18.0.0", "198.19.255.255"),
    ("198.51.100.0", "198.51.100.255"),
    ("203.0.113.0", "203.0.113.255"),
    ("224.0.0.0", "239.255.255.255"),
    ("240.0.0.0", "255.255.255.255"),
    ("168.63.129.16", "168.63.129.16"),
    // Unspecified, loopback, and IPv4 in IPv6: compatible, mapped, translated.
    ("::", "::"),
    ("::1", "::1"),
    ("::1.1.1.1", "::255.255.255.255"),
    ("::ffff:0.0.0.0", "::ffff:255.255.255.255"),
    ("::ffff:0:0.0.0.0", "::ffff:0:255.255.255.255"),
    // NAT64, global and local.
    ("64:ff9b::", "64:ff9b::255.255.255.255"),
    ("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"),
    // Discard-only, the dummy prefix, and the unassigned rest.
    ("100::", "100::ffff:ffff:ffff:ffff"),
    ("100:0:0:1::", "100:0:0:1:ffff:ffff:ffff:ffff"),
    ("1000::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    // Protocol assignments: Teredo, port control and TURN anycast, benchmarks, AMT, AS112, ORCHID, its second
    // version, drones.
    ("2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2001:1::1", "2001:1::2"),
    ("2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff"),
    ("2001:3::", "2001:3:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2001:4:112::", "2001:4:112:ffff:ffff:ffff:ffff:ffff"),
    ("2001:10::", "2001:1f:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2001:20::", "2001:2f:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2001:30::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"),
    // Documentation, 6to4.
    ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"),
    // Segment routing, unique local, link-local, site-local with multicast.
    ("4000::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("fec0::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
];

/// Public neighbours of the blocks, and a few well-known addresses.
const PUBLIC: [&str; 41] = [
    "1.0.0.0",
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "168.63.129.15",
    "168.63.129.17",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "191.255.255.255",
    "192.0.1.0",
    "192.0.1.255",
    "192.0.3.0",
    "192.88.98.255",
    "192.88.100.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "198.51.99.255",
    "198.51.101.0",
    "203.0.112.255",
    "203.0.114.0",
    "223.255.255.255",
    "2000::",
    "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001:200::",
    "2001:4860:4860::8888",
    "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001:db9::",
    "2003::",
    "2606:4700:4700::1111",
    "2a00:1450:4001:82f::200e",
    "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "3fff:1000::",
];

fn address(text: &str) -> IpAddr {
    text.parse().unwrap()
}

#[test]
fn special_blocks_are_refused_from_end_to_end() {
    for text in REFUSED.iter().flat_map(|(first, last)| [first, last]) {
        assert!(!is_public(address(text)), "{text}");
    }
}

#[test]
fn their_neighbours_are_public() {
    for text in PUBLIC {
        assert!(is_public(address(text)), "{text}");
    }
}

proptest! {
    #[test]
    fn address_of_a_special_block_is_not_public(block in 0..REFUSED.len(), random in any::<u128>()) {
        let (first, last) = REFUSED[block];
        let inside = match (address(first), address(last)) {
            (IpAddr::V4(first), IpAddr::V4(last)) => {
                let (first, last) = (first.to_bits(), last.to_bits());
                let width = u128::from(last - first) + 1;
                let offset = u32::try_from(random % width).unwrap();
                IpAddr::V4(Ipv4Addr::from_bits(first + offset))
            }
            (IpAddr::V6(first), IpAddr::V6(last)) => {
                let (first, last) = (first.to_bits(), last.to_bits());
                IpAddr::V6(Ipv6Addr::from_bits(first + random % (last - first + 1)))
            }
            _ => unreachable!("a block is of one kind"),
        };
        prop_assert!(!is_public(inside), "{inside}");
    }

    #[test]
    fn address_special_to_the_standard_library_is_not_public(bits in any::<u32>()) {
        let address = Ipv4Addr::from_bits(bits);
        let special = address.is_private() || address.is_loopback() || address.is_link_local() || address.is_multicast()
            || address.is_broadcast() || address.is_documentation() || address.is_unspecified();
        prop_assert!(!(special && is_public(address.into())), "{address}");
    }

    #[test]
    fn ipv6_address_outside_global_unicast_is_not_public(bits in any::<u128>()) {
        let address = Ipv6Addr::from_bits(bits);
        let special = address.is_unique_local() || address.is_unicast_link_local() || address.is_multicast()
            || address.is_loopback() || address.is_unspecified() || address.to_ipv4().is_some();
        let given_out = bits >> 125 == 1;
        prop_assert!(!is_public(address.into()) || (given_out && !special), "{address}");
    }

    #[test]
    fn ipv4_address_inside_ipv6_is_not_public(bits in any::<u32>()) {
        let low = u128::from(bits);
        for embedding in [low, 0xffff << 32 | low, 0xffff << 48 | low, 0x64_ff9b << 96 | low, 0x2002 << 112 | low << 80, 0x2001 << 112 | low] {
            let address = Ipv6Addr::from_bits(embedding);
            prop_assert!(!is_public(address.into()), "{address}");
        }
    }
}
