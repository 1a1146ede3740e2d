//! One line that says what is going on, for whoever waits.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A line with the time that has passed.
pub(crate) fn progress() -> anyhow::Result<ProgressBar> {
    let form = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}")?;
    let bar = ProgressBar::new_spinner().with_style(form);
    bar.enable_steady_tick(Duration::from_millis(200));
    Ok(bar)
}
