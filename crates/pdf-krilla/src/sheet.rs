//! The sheet: A4, in points of 1/72 inch, from the top left corner; and what is put on it.

use crate::color::Color;
use crate::run::Run;

pub(crate) const WIDTH: f32 = 595.28;
pub(crate) const HEIGHT: f32 = 841.89;
/// Where text begins.
pub(crate) const LEFT: f32 = 48.0;
/// Where text ends.
pub(crate) const RIGHT: f32 = WIDTH - LEFT;
/// Where the body of a page begins.
pub(crate) const TOP: f32 = 38.0;
/// Where the body of a page ends; the foot is below.
pub(crate) const BOTTOM: f32 = HEIGHT - 50.0;
/// Where the right-hand column of the head and of the totals begins.
pub(crate) const SECOND_COLUMN: f32 = 326.0;
/// The width of the left-hand column.
pub(crate) const FIRST_COLUMN_WIDTH: f32 = SECOND_COLUMN - LEFT - 30.0;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f32,
    pub(crate) top: f32,
    pub(crate) width: f32,
    pub(crate) height: f32,
}

impl Area {
    /// The rectangle that begins `by` further down.
    pub(crate) fn lowered(self, by: f32) -> Self {
        Self { top: self.top + by, ..self }
    }
}

/// Something put on a sheet.
#[derive(Debug, Clone)]
pub(crate) enum Element {
    /// A line of text.
    Text {
        left: f32,
        baseline: f32,
        size: f32,
        color: Color,
        run: Run,
    },
    /// A filled rectangle; its corners are rounded by `radius`.
    Fill {
        area: Area,
        radius: f32,
        color: Color,
    },
    Logo(Area),
    /// The way to the payment page, to be clicked on.
    Link(Area),
}

impl Element {
    /// A filled rectangle with sharp corners.
    pub(crate) const fn fill(area: Area, color: Color) -> Self {
        Self::Fill { area, radius: 0.0, color }
    }

    /// The element so much further down.
    pub(crate) fn lowered(self, by: f32) -> Self {
        match self {
            Self::Text { left, baseline, size, color, run } => {
                Self::Text { left, baseline: baseline + by, size, color, run }
            }
            Self::Fill { area, radius, color } => Self::Fill { area: area.lowered(by), radius, color },
            Self::Logo(area) => Self::Logo(area.lowered(by)),
            Self::Link(area) => Self::Link(area.lowered(by)),
        }
    }
}
