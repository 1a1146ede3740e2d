//! The process: its start, its memory, its size.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::figure::{Beside, Figure, Goal, Spread};
use super::load::press;
use super::plan::Wanted;
use super::requests;
use super::stage::Stage;

/// How often it is started.
const STARTS: u32 = 7;
/// How long it is left alone before it counts as idle.
const IDLE: Duration = Duration::from_secs(3);

/// Measures the process.
pub(super) async fn measure(
    stage: &Stage,
    wanted: &Wanted,
    progress: &ProgressBar,
) -> anyhow::Result<Vec<Figure>> {
    progress.set_message(format!("{}: the process", stage.kind.name()));
    let mut figures = vec![start(stage).await?];
    let service = stage.serve().await?;
    tokio::time::sleep(IDLE).await;
    let (idle, _) = service.memory()?;
    figures.push(mebibytes(stage, "memory, idle", idle, 25.0));
    for case in requests::cases(stage)? {
        press(service.address, 32, wanted.span(), &Arc::clone(&case)).await?;
    }
    let (_, highest) = service.memory()?;
    figures.push(mebibytes(
        stage,
        "memory, at its highest under load of 32 connections",
        highest,
        64.0,
    ));
    service.stop()?;
    let bytes = std::fs::metadata(&stage.binary)?.len();
    let size = Spread::of(vec![f64::from(u32::try_from(bytes / 1_024)?) / 1_024.0]);
    figures.push(Figure::plain(
        stage.kind,
        "size of the binary",
        "MiB",
        size.unwrap_or_default(),
    ));
    Ok(figures)
}

pub(super) fn mebibytes(stage: &Stage, name: &str, mebibytes: f64, goal: f64) -> Figure {
    let value = Spread::of(vec![mebibytes]).unwrap_or_default();
    Figure::plain(stage.kind, name, "MiB", value).with_goal(Goal::Below(goal))
}

/// From the start of the process to the answer that it is ready, in turns with the same binary that only says its version.
async fn start(stage: &Stage) -> anyhow::Result<Figure> {
    let (mut ready, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let service = stage.serve().await?;
        ready.push(service.took.as_secs_f64() * 1_000.0);
        service.stop()?;
        let begun = Instant::now();
        Command::new(&stage.binary)
            .arg("--version")
            .stdout(Stdio::null())
            .status()?;
        bare.push(begun.elapsed().as_secs_f64() * 1_000.0);
    }
    let value = Spread::of(ready.clone()).unwrap_or_default();
    let mut figure = Figure::plain(stage.kind, "ready on an existing database", "ms", value);
    figure.store = Beside::of(&ready, &bare);
    Ok(figure.with_goal(Goal::Below(150.0)))
}
