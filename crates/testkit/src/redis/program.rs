//! Finding the machine's `redis-server`, and the message when it is missing.

use std::io::Write as _;
use std::path::PathBuf;

/// The first `redis-server` on `PATH`.
pub(super) fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join("redis-server")).find(|program| program.is_file())
}

/// Prints what is missing, or panics if it is required.
pub(super) fn missing() {
    let what = "no redis-server on PATH";
    let required = std::env::var("REQUIRE_REDIS").is_ok_and(|required| required == "1");
    assert!(!required, "{what}, and REQUIRE_REDIS=1 wants it");
    skipped(what);
}

/// Prints that the calling test is skipped, and why.
pub(super) fn skipped(why: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // Standard error directly, because the test harness hides the output of `eprintln!` when the test passes.
    // With standard error closed nobody can read it.
    let _unheard = writeln!(
        std::io::stderr(),
        "SKIPPED {test}: {why}: quotas shared by several processes are NOT tested"
    );
}
