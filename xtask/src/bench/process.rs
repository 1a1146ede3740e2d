//! The process: its start, its memory, its size.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::environment::Environment;
use super::figure::{Figure, FloorRatio, Goal, Spread};
use super::load::run_load;
use super::options::Options;
use super::requests;

/// How often it is started.
const STARTS: u32 = 7;
/// How long it is left alone before it counts as idle.
const IDLE: Duration = Duration::from_secs(3);

/// Measures the process.
pub(super) async fn measure(
    environment: &Environment,
    options: &Options,
    progress: &ProgressBar,
) -> anyhow::Result<Vec<Figure>> {
    progress.set_message(format!("{}: the process", environment.kind.name()));
    let mut figures = vec![start(environment).await?];
    let service = environment.serve().await?;
    tokio::time::sleep(IDLE).await;
    let (idle, _) = service.memory()?;
    figures.push(mebibytes(environment, "memory, idle", idle, 25.0));
    for case in requests::cases(environment)? {
        run_load(service.address, 32, options.span(), &Arc::clone(&case)).await?;
    }
    let (_, highest) = service.memory()?;
    figures.push(mebibytes(
        environment,
        "memory, at its highest under load of 32 connections",
        highest,
        64.0,
    ));
    service.stop()?;
    let bytes = std::fs::metadata(&environment.binary)?.len();
    let size = Spread::of(vec![f64::from(u32::try_from(bytes / 1_024)?) / 1_024.0]);
    figures.push(Figure::plain(environment.kind, "size of the binary", "MiB", size.unwrap_or_default()));
    Ok(figures)
}

pub(super) fn mebibytes(environment: &Environment, name: &str, mebibytes: f64, goal: f64) -> Figure {
    let value = Spread::of(vec![mebibytes]).unwrap_or_default();
    Figure::plain(environment.kind, name, "MiB", value).with_goal(Goal::Below(goal))
}

/// From the start of the process to the answer that it is ready, in turns with the same binary that only says
/// its version.
async fn start(environment: &Environment) -> anyhow::Result<Figure> {
    let (mut ready, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let service = environment.serve().await?;
        ready.push(service.took.as_secs_f64() * 1_000.0);
        service.stop()?;
        let begun = Instant::now();
        Command::new(&environment.binary).arg("--version").stdout(Stdio::null()).status()?;
        bare.push(begun.elapsed().as_secs_f64() * 1_000.0);
    }
    let value = Spread::of(ready.clone()).unwrap_or_default();
    let mut figure = Figure::plain(environment.kind, "ready on an existing database", "ms", value);
    figure.store = FloorRatio::of(&ready, &bare);
    Ok(figure.with_goal(Goal::Below(150.0)))
}
