//! Random bytes that are the same in each run of a test.

use std::sync::atomic::{AtomicU64, Ordering};

use kernel::SecureRandom;

/// Bytes derived from a counter: the first draw is the same in each run, and differs from the second.
///
/// Draws of eight bytes or more never repeat, since each counter value gives different bytes.
#[derive(Debug, Default)]
pub struct FixedRandom(AtomicU64);

impl SecureRandom for FixedRandom {
    fn fill(&self, bytes: &mut [u8]) {
        let draw = self.0.fetch_add(1, Ordering::SeqCst);
        let blocks = (0_u64..).map(|block| scramble(draw.wrapping_add(block << 40)));
        for (chunk, block) in bytes.chunks_mut(8).zip(blocks) {
            for (place, byte) in chunk.iter_mut().zip(block.to_be_bytes()) {
                *place = byte;
            }
        }
    }
}

/// The finishing step of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators",
/// 2014).
fn scramble(count: u64) -> u64 {
    let mixed = count.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn draws() -> Vec<[u8; 32]> {
        let random = FixedRandom::default();
        let draw = |_| {
            let mut bytes = [0; 32];
            random.fill(&mut bytes);
            bytes
        };
        (0..1_000).map(draw).collect()
    }

    #[test]
    fn draws_differ_within_a_run_and_agree_between_runs() {
        let drawn = draws();
        assert_eq!(drawn, draws());
        assert_eq!(drawn.iter().collect::<BTreeSet<_>>().len(), drawn.len());
        let halves: BTreeSet<_> = drawn.iter().flat_map(|bytes| bytes.chunks(8)).collect();
        assert_eq!(halves.len(), drawn.len() * 4);
    }

    #[test]
    fn a_buffer_is_filled_to_its_end() {
        let mut bytes = [0; 13];
        FixedRandom::default().fill(&mut bytes);
        assert!(bytes[8..].iter().any(|byte| *byte != 0));
    }
}
