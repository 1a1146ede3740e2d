//! The machine's `redis-server`, and what is said where it is missing.

use std::io::Write as _;
use std::path::PathBuf;

/// The first one on `PATH`.
pub(super) fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join("redis-server")).find(|program| program.is_file())
}

/// Says what is missing, or panics where it must not be missing.
pub(super) fn missing() {
    let what = "no redis-server on PATH";
    let required = std::env::var("REQUIRE_REDIS").is_ok_and(|required| required == "1");
    assert!(!required, "{what}, and REQUIRE_REDIS=1 wants it");
    skipped(what);
}

/// Says that the test which asks is not run, and why.
pub(super) fn skipped(why: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // Standard error itself: what `eprintln!` prints, the test harness swallows when the test passes. With it
    // closed there is nobody to tell.
    let _unheard = writeln!(
        std::io::stderr(),
        "SKIPPED {test}: {why}: quotas shared by several processes are NOT tested"
    );
}
