//! Learns weights from examples, in integer arithmetic: they are the same on every machine.
//!
//! A weight begins at how much more often a feature occurs in the examples of a type than in the others. Each
//! example that is not classified clearly then corrects the weights (logistic regression to base two).

use crate::message_type::MessageType;

pub(super) const TYPES: usize = MessageType::ALL.len();
/// A doubling of the odds, in units of a score.
pub(super) const DOUBLING: i32 = 256;
/// A probability of one, in units of a share.
pub(super) const WHOLE: i32 = 4096;

/// How much a feature speaks for each type, in the order of [`MessageType::ALL`], in parts of a score.
pub(super) type Weights = [i32; TYPES];
/// An example: the number of its type and the numbers of its features.
pub(super) type Example = (usize, Vec<usize>);

/// How many units of a weight make one unit of a score: corrections are smaller than that.
const PARTS: i32 = 256;
/// The initial weight of an eighth of a doubling. Several features express the same thing, so each counts a
/// quarter.
const FIRST: i32 = DOUBLING * PARTS / 8 / 4;
/// How many times each example is learnt from.
const ROUNDS: i32 = 3;
/// The learning rate, which is divided by a number that grows with each round.
const PACE: i32 = 512;
/// Added to the number of features that an example's correction is divided by, so that a few features are not
/// corrected too strongly.
const FEATURES: i32 = 30;
/// Step widths, so that neighbouring examples are not learnt from in a row. The first that does not divide
/// their number is used.
const STRIDES: [usize; 2] = [4_789, 7_919];

/// The weights that these examples give each feature. The initial weights of a feature are divided by its
/// divisor.
pub(super) fn weights(examples: &[Example], divisors: &[i32]) -> Vec<Weights> {
    let mut weights = first_weights(examples, divisors);
    let step = STRIDES.into_iter().find(|step| examples.len().checked_rem(*step) != Some(0)).unwrap_or(1);
    let mut at: usize = 0;
    for round in 0..ROUNDS {
        let pace = PACE / (4 + 2 * round);
        for _ in examples {
            at = at.saturating_add(step).checked_rem(examples.len()).unwrap_or(0);
            if let Some(example) = examples.get(at) {
                correct(&mut weights, example, pace);
            }
        }
    }
    weights
}

/// The score of each type: the sum of weights.
pub(super) fn scores<'a>(weights: impl Iterator<Item = &'a Weights>) -> Weights {
    let mut sums = [0_i32; TYPES];
    for weights in weights {
        for (sum, weight) in sums.iter_mut().zip(weights) {
            *sum = sum.saturating_add(*weight);
        }
    }
    sums.map(|sum| sum / PARTS)
}

/// The probability of each type, in parts of [`WHOLE`].
pub(super) fn shares(scores: &Weights) -> Weights {
    let most = scores.iter().copied().max().unwrap_or(0);
    let powers = scores.map(|score| power(most.saturating_sub(score)));
    let sum: i64 = powers.iter().sum();
    powers.map(|power| {
        let share = (power * i64::from(WHOLE)).checked_div(sum);
        share.and_then(|share| i32::try_from(share).ok()).unwrap_or(0)
    })
}

/// Two to the power of minus a score, in parts of 2^24.
fn power(score: i32) -> i64 {
    const SIXTEENTHS: [i64; 16] =
        [256, 245, 235, 225, 215, 206, 197, 189, 181, 173, 166, 159, 152, 146, 140, 134];
    let part = usize::try_from(score % DOUBLING / (DOUBLING / 16)).ok();
    let sixteenths = part.and_then(|part| SIXTEENTHS.get(part)).copied().unwrap_or(0);
    let doublings = u32::try_from(score / DOUBLING).unwrap_or(0);
    (sixteenths << 16).checked_shr(doublings).unwrap_or(0)
}

fn correct(weights: &mut [Weights], (kind, features): &Example, pace: i32) {
    let shares = shares(&scores(features.iter().filter_map(|feature| weights.get(*feature))));
    let many = i32::try_from(features.len()).unwrap_or(i32::MAX).saturating_add(FEATURES);
    let mut steps = [0; TYPES];
    for (number, (step, share)) in steps.iter_mut().zip(shares).enumerate() {
        let right = if number == *kind { WHOLE } else { 0 };
        *step = right.saturating_sub(share) * pace / many;
    }
    // An example that is classified clearly corrects nothing.
    if steps.iter().all(|step| step.abs() <= PACE / 12) {
        return;
    }
    for feature in features {
        for (weight, step) in weights.get_mut(*feature).into_iter().flatten().zip(steps) {
            *weight = weight.saturating_add(step);
        }
    }
}

/// The initial weights: how much more often each feature occurs in the examples of each type than in all
/// others.
fn first_weights(examples: &[Example], divisors: &[i32]) -> Vec<Weights> {
    let mut counts = vec![[0_usize; TYPES]; divisors.len()];
    let mut examples_of = [0_usize; TYPES];
    for (kind, features) in examples {
        for feature in features {
            if let Some(count) = counts.get_mut(*feature) {
                increase(count, *kind);
            }
        }
        increase(&mut examples_of, *kind);
    }
    // Smoothing: a feature that was never seen in a type is still possible there.
    let logs: Vec<i32> = (0..=examples.len()).map(|count| log(count.saturating_mul(4) + 1)).collect();
    let log = |count: usize| logs.get(count).copied().unwrap_or(0);
    let weights = |(of, divisor): (&[usize; TYPES], &i32)| {
        let (all, mut weights) = (of.iter().sum::<usize>(), [0; TYPES]);
        for ((weight, of), in_type) in weights.iter_mut().zip(of).zip(examples_of) {
            let inside = log(*of) - log(in_type);
            let outside = log(all.saturating_sub(*of)) - log(examples.len().saturating_sub(in_type));
            *weight = (inside - outside) * FIRST / divisor;
        }
        weights
    };
    counts.iter().zip(divisors).map(weights).collect()
}

fn increase(counts: &mut [usize; TYPES], number: usize) {
    if let Some(count) = counts.get_mut(number) {
        *count = count.saturating_add(1);
    }
}

/// Eight times the logarithm to base two.
fn log(number: usize) -> i32 {
    let power = u128::try_from(number.min(0xffff)).ok().map(|number| number.saturating_pow(8));
    power.and_then(u128::checked_ilog2).and_then(|log| i32::try_from(log).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishing_words_get_weight() {
        let examples: Vec<Example> = vec![(0, vec![0, 1]), (1, vec![0, 2]), (0, vec![1]), (1, vec![2])];
        let weights = weights(&examples, &[1; 3]);
        let scores = scores([weights[0], weights[2]].iter());
        assert!(scores[1] > scores[0] && scores[1] > scores[2], "{scores:?}");
        assert_eq!([log(1), log(2), log(3), log(1024)], [0, 8, 12, 80]);
    }

    #[test]
    fn shares_of_scores_add_up_to_one() {
        let shares = shares(&[DOUBLING, 0, 0, -40 * DOUBLING, 0, 0, 0, 0]);
        assert_eq!(shares, [1024, 512, 512, 0, 512, 512, 512, 512]);
    }
}
