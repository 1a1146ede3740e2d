//! Which addresses are public.
//!
//! The blocks are those of IANA's registries of special-purpose addresses for IPv4 and IPv6 (RFC 6890 and its
//! updates), and the multicast blocks, which have registries of their own. If a registry calls an address
//! inside a block globally reachable (the anycast addresses of 192.0.0.0/24 and 2001::/23), the whole block
//! is refused nevertheless, since no webhook receiver is there.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 blocks that are not public, each with its prefix length.
const SPECIAL_V4: [(Ipv4Addr, u32); 17] = [
    // "This network" (RFC 791).
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    // Private use (RFC 1918), also 172.16.0.0/12 and 192.168.0.0/16 below.
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    // Shared by a provider's customers (RFC 6598); some clouds have internal services here.
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    // Loopback (RFC 1122).
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // Link-local (RFC 3927), including the clouds' metadata service at 169.254.169.254.
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    // IETF protocol assignments (RFC 6890).
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    // Documentation (RFC 5737), also 198.51.100.0/24 and 203.0.113.0/24 below.
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    // 6to4 relays, deprecated (RFC 7526).
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    // Benchmarks (RFC 2544).
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    // Multicast (RFC 5771).
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    // Reserved (RFC 1112), including the broadcast address.
    (Ipv4Addr::new(240, 0, 0, 0), 4),
    (Ipv4Addr::BROADCAST, 32),
    // In no registry: in Azure this is the host of the virtual machine, which serves the machine's settings.
    (Ipv4Addr::new(168, 63, 129, 16), 32),
];

/// The only IPv6 block from which public addresses are assigned. Outside it are, among others, the
/// unspecified address and loopback, addresses that embed an IPv4 address (`::/96`, `::ffff:0:0/96`,
/// `::ffff:0:0:0/96`), NAT64 (`64:ff9b::/96`, `64:ff9b:1::/48`), discard-only (`100::/64`), segment routing
/// (`5f00::/16`), unique local (`fc00::/7`), link-local (`fe80::/10`), the former site-local (`fec0::/10`)
/// and multicast (`ff00::/8`). Embedded IPv4 addresses are refused without inspection: an account with a
/// public one can name that one directly.
const GLOBAL_UNICAST: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Blocks inside [`GLOBAL_UNICAST`] that are not public.
const SPECIAL_V6: [(Ipv6Addr, u32); 4] = [
    // IETF protocol assignments (RFC 2928): Teredo, benchmarks, ORCHID and others.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    // Documentation (RFC 3849, RFC 9637), also 3fff::/20 below.
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    // 6to4 (RFC 3056), which leads to the embedded IPv4 address.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// Whether an address is public, that is, assigned for use on the whole internet.
///
/// ```
/// use webhook_reqwest::is_public;
///
/// assert!(is_public("1.1.1.1".parse().unwrap()));
/// assert!(!is_public("169.254.169.254".parse().unwrap()));
/// assert!(!is_public("::ffff:1.1.1.1".parse().unwrap()));
/// ```
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !SPECIAL_V4.iter().any(|block| within_v4(address, *block)),
        IpAddr::V6(address) => {
            within_v6(address, GLOBAL_UNICAST) && !SPECIAL_V6.iter().any(|block| within_v6(address, *block))
        }
    }
}

fn within_v4(address: Ipv4Addr, (block, prefix): (Ipv4Addr, u32)) -> bool {
    let differing = address.to_bits() ^ block.to_bits();
    differing.leading_zeros() >= prefix
}

fn within_v6(address: Ipv6Addr, (block, prefix): (Ipv6Addr, u32)) -> bool {
    let differing = address.to_bits() ^ block.to_bits();
    differing.leading_zeros() >= prefix
}

#[cfg(test)]
mod tests;
