//! What is put on a sheet, in places that are already worked out.

use crate::geometry::Area;
use crate::ink::Ink;
use crate::run::Run;

/// Something put on a sheet.
#[derive(Debug, Clone)]
pub(crate) enum Mark {
    /// A line of text.
    Text {
        left: f32,
        baseline: f32,
        size: f32,
        ink: Ink,
        run: Run,
    },
    /// A filled rectangle; its corners are rounded by `radius`.
    Fill { area: Area, radius: f32, ink: Ink },
    /// The logo.
    Logo(Area),
    /// The way to the payment page, to be clicked on.
    Link(Area),
}

impl Mark {
    /// A filled rectangle with sharp corners.
    pub(crate) const fn fill(area: Area, ink: Ink) -> Self {
        Self::Fill {
            area,
            radius: 0.0,
            ink,
        }
    }

    /// The mark so much further down.
    pub(crate) fn lowered(self, by: f32) -> Self {
        match self {
            Self::Text {
                left,
                baseline,
                size,
                ink,
                run,
            } => Self::Text {
                left,
                baseline: baseline + by,
                size,
                ink,
                run,
            },
            Self::Fill { area, radius, ink } => Self::Fill {
                area: area.lowered(by),
                radius,
                ink,
            },
            Self::Logo(area) => Self::Logo(area.lowered(by)),
            Self::Link(area) => Self::Link(area.lowered(by)),
        }
    }
}
