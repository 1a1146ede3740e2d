//! Sums of amounts in minor units. The database sums whole units and remainders separately, so that a sum
//! never exceeds its integers.

/// The unit by which amounts are split.
pub const SPLIT_UNIT: i64 = 1_000_000_000;

/// The sum in minor units, from the sum of the whole units and the sum of the remainders.
pub(super) fn joined(units: i64, rest: i64) -> i64 {
    let sum = i128::from(units) * i128::from(SPLIT_UNIT) + i128::from(rest);
    i64::try_from(sum).unwrap_or(i64::MAX)
}
