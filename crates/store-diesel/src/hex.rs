//! Bytes as hexadecimal digits: how bytes stand in a JSON text or in an SQL literal.

const DIGITS: [char; 16] = [
    '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f',
];

/// Writes two digits for each byte.
pub(crate) fn push(out: &mut String, bytes: &[u8]) {
    out.reserve(bytes.len().saturating_mul(2));
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            out.extend(DIGITS.get(usize::from(digit)));
        }
    }
}

/// The digits of bytes.
pub(crate) fn text(bytes: &[u8]) -> String {
    let mut out = String::new();
    push(&mut out, bytes);
    out
}
