//! Pseudo-random numbers that are the same at every run.

use std::sync::atomic::{AtomicU64, Ordering};

use kernel::{Ids, SecureRandom};
use time::OffsetDateTime;
use uuid::{Builder, Uuid};

/// The step from one state of the generator to the next.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// A small generator (SplitMix64, the public-domain mixer of Java's SplittableRandom): well mixed, but not
/// suitable for secrets.
#[derive(Debug)]
pub(crate) struct SeededGenerator(AtomicU64);

impl SeededGenerator {
    /// The generator of one record: each record has its own, so that batches can be made in any order.
    pub(crate) fn new(seed: u64, kind: u64, record: u64) -> Self {
        let first = Self(AtomicU64::new(seed.wrapping_mul(31).wrapping_add(kind))).next();
        let own = Self(AtomicU64::new(first.wrapping_add(record.wrapping_mul(STEP))));
        // A second draw: the initial states of two records differ by the step between two draws of one
        // record, so that their sequences would overlap.
        Self(AtomicU64::new(own.next()))
    }

    /// The next 64 random bits.
    pub(crate) fn next(&self) -> u64 {
        let mut mixed = self.0.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `end`, exclusive.
    pub(crate) fn below(&self, end: u64) -> u64 {
        self.next().checked_rem(end).unwrap_or(0)
    }

    /// A random element.
    pub(crate) fn pick<'a, T>(&self, from: &'a [T]) -> Option<&'a T> {
        let count = u64::try_from(from.len()).ok()?;
        from.get(usize::try_from(self.below(count)).ok()?)
    }

    fn fill_bytes(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.iter_mut().zip(self.next().to_le_bytes()).for_each(|(to, from)| *to = from);
        }
    }
}

/// Keys and tokens.
impl SecureRandom for SeededGenerator {
    fn fill(&self, bytes: &mut [u8]) {
        self.fill_bytes(bytes);
    }
}

/// Ids with the time of their record.
impl Ids for SeededGenerator {
    fn uuid_at(&self, now: OffsetDateTime) -> Uuid {
        let millis = u64::try_from(now.unix_timestamp_nanos() / 1_000_000).unwrap_or(0);
        let mut random = [0; 10];
        self.fill_bytes(&mut random);
        Builder::from_unix_timestamp_millis(millis, &random).into_uuid()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn records_have_different_random_numbers() {
        let draws = (0..2_000).flat_map(|record| {
            let generator = SeededGenerator::new(1, 4, record);
            (0..40).map(move |_| generator.next()).collect::<Vec<_>>()
        });
        let drawn: BTreeSet<u64> = draws.collect();
        assert_eq!(drawn.len(), 80_000);
        assert_eq!(SeededGenerator::new(1, 4, 7).next(), SeededGenerator::new(1, 4, 7).next());
    }
}
