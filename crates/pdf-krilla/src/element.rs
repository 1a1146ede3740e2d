//! What is put on a sheet, in places that are already worked out.

use crate::color::Color;
use crate::geometry::Area;
use crate::run::Run;

/// Something put on a sheet.
#[derive(Debug, Clone)]
pub(crate) enum Element {
    /// A line of text.
    Text { left: f32, baseline: f32, size: f32, color: Color, run: Run },
    /// A filled rectangle; its corners are rounded by `radius`.
    Fill { area: Area, radius: f32, color: Color },
    /// The logo.
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
