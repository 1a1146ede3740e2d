//! The page, A4, in points of 1/72 inch from the top left corner; and the elements on it.

use crate::color::Color;
use crate::run::Run;

pub(crate) const WIDTH: f32 = 595.28;
pub(crate) const HEIGHT: f32 = 841.89;
/// The left edge of text.
pub(crate) const LEFT: f32 = 48.0;
/// The right edge of text.
pub(crate) const RIGHT: f32 = WIDTH - LEFT;
/// The top of a page's body.
pub(crate) const TOP: f32 = 38.0;
/// The bottom of a page's body; the foot is below.
pub(crate) const BOTTOM: f32 = HEIGHT - 50.0;
/// The left edge of the right-hand column, in the header and in the totals.
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
    /// This rectangle moved down by `by`.
    pub(crate) fn lowered(self, by: f32) -> Self {
        Self { top: self.top + by, ..self }
    }
}

/// An element on a page.
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
    /// A clickable link to the payment page.
    Link(Area),
}

impl Element {
    /// A filled rectangle with sharp corners.
    pub(crate) const fn fill(area: Area, color: Color) -> Self {
        Self::Fill { area, radius: 0.0, color }
    }

    /// This element moved down by `by`.
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
