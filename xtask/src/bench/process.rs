//! The process: its start, its memory, its size.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::case::run_load;
use super::environment::Environment;
use super::figure::{Figure, FloorRatio, Goal, Spread};
use super::requests;

/// How often the process is started.
const STARTS: u32 = 7;
/// How long the process gets no requests before it counts as idle.
const IDLE: Duration = Duration::from_secs(3);

/// Measures the process.
pub(super) async fn measure(environment: &Environment) -> anyhow::Result<Vec<Figure>> {
    environment.say("the process");
    let mut figures = vec![start(environment).await?];
    let service = environment.serve().await?;
    tokio::time::sleep(IDLE).await;
    figures.push(mebibytes(environment, "memory, idle", service.memory()?.0, Some(25.0)));
    for case in requests::cases(environment)? {
        run_load(service.address, 32, environment.options.span(), &case).await?;
    }
    let name = "memory, at its highest under load of 32 connections";
    figures.push(mebibytes(environment, name, service.memory()?.1, Some(64.0)));
    service.stop()?;
    let kibibytes = u32::try_from(std::fs::metadata(&environment.database.binary)?.len() / 1_024)?;
    figures.push(mebibytes(environment, "size of the binary", f64::from(kibibytes) / 1_024.0, None));
    Ok(figures)
}

pub(super) fn mebibytes(environment: &Environment, name: &str, size: f64, below: Option<f64>) -> Figure {
    let figure = Figure::plain(environment.database.kind, name, "MiB", Spread::single(size));
    Figure { goal: below.map(Goal::Below), ..figure }
}

/// The time from the start of the process to the response that it is ready, in turns with the same binary
/// printing its version.
async fn start(environment: &Environment) -> anyhow::Result<Figure> {
    let (mut ready, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let service = environment.serve().await?;
        ready.push(service.took.as_secs_f64() * 1_000.0);
        service.stop()?;
        let begun = Instant::now();
        Command::new(&environment.database.binary).arg("--version").stdout(Stdio::null()).status()?;
        bare.push(begun.elapsed().as_secs_f64() * 1_000.0);
    }
    let value = Spread::of(ready.clone()).unwrap_or_default();
    let figure = Figure::plain(environment.database.kind, "ready on an existing database", "ms", value);
    Ok(Figure { store: FloorRatio::of(&ready, &bare), goal: Some(Goal::Below(150.0)), ..figure })
}
