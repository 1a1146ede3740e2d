//! Pseudo-random numbers that are the same at every run.

use std::sync::Mutex;

use kernel::SecureRandom;
use kernel::random::RandomnessUnavailable;

/// A small generator (SplitMix64, the public-domain mixer of Java's SplittableRandom): well mixed, and not
/// for secrets.
#[derive(Debug, Clone)]
pub(crate) struct SeededGenerator(u64);

impl SeededGenerator {
    /// The dice of one record: each record has its own, so that batches can be made in any order.
    pub(crate) fn new(seed: u64, kind: u64, record: u64) -> Self {
        let mut generator = Self(seed.wrapping_mul(31).wrapping_add(kind));
        let first = generator.next();
        let mut own = Self(first.wrapping_add(record.wrapping_mul(0x9E37_79B9_7F4A_7C15)));
        // Drawn once more: the starts of two records are as far apart as two draws of one, and would share
        // their random.
        Self(own.next())
    }

    /// 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to and without `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next().checked_rem(end).unwrap_or(0)
    }

    /// One of several.
    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let count = u64::try_from(from.len()).ok()?;
        from.get(usize::try_from(self.below(count)).ok()?)
    }
}

/// The dice as the random that keys and tokens are drawn from.
pub(crate) struct SeededRandom(Mutex<SeededGenerator>);

impl SeededRandom {
    pub(crate) fn new(generator: SeededGenerator) -> Self {
        Self(Mutex::new(generator))
    }
}

impl SecureRandom for SeededRandom {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), RandomnessUnavailable> {
        let mut generator = self.0.lock().map_err(|_poisoned| RandomnessUnavailable)?;
        for chunk in bytes.chunks_mut(8) {
            let drawn = generator.next().to_le_bytes();
            chunk.iter_mut().zip(drawn).for_each(|(to, from)| *to = from);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_records_share_their_chance() {
        let draws = (0..2_000).flat_map(|record| {
            let mut generator = SeededGenerator::new(1, 4, record);
            (0..40).map(move |_| generator.next()).collect::<Vec<_>>()
        });
        let drawn: BTreeSet<u64> = draws.collect();
        assert_eq!(drawn.len(), 80_000);
        assert_eq!(SeededGenerator::new(1, 4, 7).next(), SeededGenerator::new(1, 4, 7).next());
    }
}
