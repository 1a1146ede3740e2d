//! The sheet: A4, in points of 1/72 inch, from the top left corner.

/// The sheet's width.
pub(crate) const WIDTH: f32 = 595.28;
/// The sheet's height.
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

/// A rectangle.
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
