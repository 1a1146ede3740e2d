//! A figure with its floors and how far it spreads.

use crate::fixtures::database_kind::Kind;

/// The same thing measured in every round.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Spread {
    pub(super) median: f64,
    pub(super) least: f64,
    pub(super) most: f64,
}

impl Spread {
    /// Of what the rounds measured; `None` when there were none.
    pub(super) fn of(mut measured: Vec<f64>) -> Option<Self> {
        measured.sort_by(f64::total_cmp);
        let (low, high) =
            (measured.get(measured.len().saturating_sub(1) / 2)?, measured.get(measured.len() / 2)?);
        Some(Self { median: low.midpoint(*high), least: *measured.first()?, most: *measured.last()? })
    }

    /// The quotients of what was measured in the same round.
    pub(super) fn of_ratios(service: &[f64], floor: &[f64]) -> Option<Self> {
        let pairs = service.iter().zip(floor);
        Self::of(pairs.map(|(service, floor)| service / floor).collect())
    }
}

/// A floor, and how the service stands to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct FloorRatio {
    pub(super) floor: Spread,
    pub(super) ratio: Spread,
}

impl FloorRatio {
    pub(super) fn of(service: &[f64], floor: &[f64]) -> Option<Self> {
        Some(Self { floor: Spread::of(floor.to_vec())?, ratio: Spread::of_ratios(service, floor)? })
    }
}

/// What is to be reached.
#[derive(Debug, Clone, Copy)]
pub(super) enum Goal {
    /// A least ratio to the database's floor.
    Ratio(f64),
    /// A least value.
    AtLeast(f64),
    /// A value to stay below.
    Below(f64),
}

/// A line of the table.
#[derive(Debug, Clone)]
pub(super) struct Figure {
    pub(super) database: Kind,
    pub(super) name: String,
    pub(super) connections: Option<u32>,
    pub(super) unit: &'static str,
    pub(super) value: Spread,
    /// Beside the database alone.
    pub(super) store: Option<FloorRatio>,
    /// Beside the HTTP server alone.
    pub(super) http: Option<FloorRatio>,
    /// Milliseconds that half of the requests, and 99 of 100, took at the most.
    pub(super) latency: Option<(f64, f64)>,
    /// Microseconds of the service's processor time for each request.
    pub(super) cpu: Option<f64>,
    pub(super) goal: Option<Goal>,
}

impl Figure {
    /// A figure without floors.
    pub(super) fn plain(database: Kind, name: impl Into<String>, unit: &'static str, value: Spread) -> Self {
        Self {
            database,
            name: name.into(),
            connections: None,
            unit,
            value,
            store: None,
            http: None,
            latency: None,
            cpu: None,
            goal: None,
        }
    }

    pub(super) fn with_goal(mut self, goal: Goal) -> Self {
        self.goal = Some(goal);
        self
    }

    /// Whether the goal was reached, if there is one.
    pub(super) fn reached(&self) -> Option<bool> {
        Some(match self.goal? {
            Goal::Ratio(least) => self.store?.ratio.median >= least,
            Goal::AtLeast(least) => self.value.median >= least,
            Goal::Below(most) => self.value.median < most,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_has_the_middle_and_both_ends() {
        let odd = Spread::of(vec![3.0, 1.0, 2.0]).unwrap();
        assert_eq!((odd.median, odd.least, odd.most), (2.0, 1.0, 3.0));
        let even = Spread::of(vec![4.0, 1.0, 2.0, 3.0]).unwrap();
        assert_eq!(even.median, 2.5);
        assert!(Spread::of(vec![]).is_none());
    }

    #[test]
    fn ratios_are_taken_round_by_round() {
        // Twice as fast a machine in the second round changes nothing about the ratio.
        let ratio = Spread::of_ratios(&[50.0, 100.0], &[100.0, 200.0]).unwrap();
        assert_eq!((ratio.least, ratio.most), (0.5, 0.5));
    }
}
