//! The hash by which a cluster divides accounts among its servers.

/// PostgreSQL's hash of a `uuid`, which Citus compares with the ranges of shards as a signed number.
///
/// `id` has the sixteen bytes of the `uuid`, the most significant first. The hash is Bob Jenkins' lookup3 of
/// these bytes, with PostgreSQL's initial value. A test compares it with the server's own `worker_hash`.
#[must_use]
pub fn uuid_hash(id: [u8; 16]) -> i32 {
    let (words, _rest) = id.as_chunks::<4>();
    let word = |at: usize| words.get(at).map_or(0, |word| u32::from_le_bytes(*word));
    let first = 0x9e37_79b9_u32.wrapping_add(16).wrapping_add(3_923_095);
    let [a, b, c] = [0, 1, 2].map(|at| first.wrapping_add(word(at)));
    let [a, b, c] = mix([a, b, c]);
    finish([a.wrapping_add(word(3)), b, c]).cast_signed()
}

/// Mixes the first three words, so that every bit affects each of them.
const fn mix([mut a, mut b, mut c]: [u32; 3]) -> [u32; 3] {
    a = a.wrapping_sub(c) ^ c.rotate_left(4);
    c = c.wrapping_add(b);
    b = b.wrapping_sub(a) ^ a.rotate_left(6);
    a = a.wrapping_add(c);
    c = c.wrapping_sub(b) ^ b.rotate_left(8);
    b = b.wrapping_add(a);
    a = a.wrapping_sub(c) ^ c.rotate_left(16);
    c = c.wrapping_add(b);
    b = b.wrapping_sub(a) ^ a.rotate_left(19);
    a = a.wrapping_add(c);
    c = c.wrapping_sub(b) ^ b.rotate_left(4);
    b = b.wrapping_add(a);
    [a, b, c]
}

/// Mixes in the last word, so that every bit affects the result.
const fn finish([mut a, mut b, mut c]: [u32; 3]) -> u32 {
    c = (c ^ b).wrapping_sub(b.rotate_left(14));
    a = (a ^ c).wrapping_sub(c.rotate_left(11));
    b = (b ^ a).wrapping_sub(a.rotate_left(25));
    c = (c ^ b).wrapping_sub(b.rotate_left(16));
    a = (a ^ c).wrapping_sub(c.rotate_left(4));
    b = (b ^ a).wrapping_sub(a.rotate_left(14));
    (c ^ b).wrapping_sub(b.rotate_left(24))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_is_that_of_the_server() {
        // Results of SELECT worker_hash('...'::uuid), Citus 12.1 on PostgreSQL 15.
        for (id, hash) in [
            ("00000000-0000-0000-0000-000000000000", 1_353_656_403),
            ("ffffffff-ffff-ffff-ffff-ffffffffffff", -682_383_255),
            ("01a20991-fe62-7748-8393-4c3b5f06d2ff", 580_627_307),
            ("01a2098f-6383-74dd-9867-ce3ecdf1d53e", 1_948_285_810),
        ] {
            let id: uuid::Uuid = id.parse().unwrap();
            assert_eq!(uuid_hash(id.into_bytes()), hash, "{id}");
        }
    }
}
