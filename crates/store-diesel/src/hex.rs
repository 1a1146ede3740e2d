//! Bytes as hexadecimal digits: how bytes stand in a JSON text.

/// Both digits of every byte, one after the other.
const PAIRS: &str = concat!(
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
    "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f",
    "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f",
    "606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f",
    "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
    "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf",
    "c0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedf",
    "e0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
);

/// Writes two digits for each byte.
pub(crate) fn push(out: &mut String, bytes: &[u8]) {
    out.reserve(bytes.len().saturating_mul(2));
    for byte in bytes {
        let place = usize::from(*byte) * 2;
        // The table has an entry for every byte.
        out.push_str(PAIRS.get(place..place + 2).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_byte_has_its_digits() {
        let bytes: Vec<u8> = (0..=255).collect();
        let wanted: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut out = String::new();
        super::push(&mut out, &bytes);
        assert_eq!(out, wanted);
    }
}
