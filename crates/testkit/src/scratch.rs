//! The directory of throw-away databases.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A file system in memory: a database on it never waits for a disk.
const IN_MEMORY: &str = "/dev/shm";
/// How many bytes must be free on it, and in memory. A run of all tests takes half as much.
const ROOM: u64 = 8 << 30;

/// The directory for throw-away databases: in memory if there is room, unless `TMPDIR` names another. A
/// killed test leaves its SQLite files there (`countinghouse-sqlite-*`); PostgreSQL leaves nothing.
#[must_use]
pub(crate) fn directory() -> &'static Path {
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    DIRECTORY.get_or_init(|| {
        let in_memory = Path::new(IN_MEMORY);
        let is_free = std::env::var_os("TMPDIR").is_none() && has_room(in_memory);
        if is_free { in_memory.to_owned() } else { std::env::temp_dir() }
    })
}

fn has_room(directory: &Path) -> bool {
    let free = rustix::fs::statvfs(directory).map_or(0, |stat| stat.f_bavail.saturating_mul(stat.f_frsize));
    let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    free.min(available(&memory).unwrap_or(0)) >= ROOM
}

/// The available bytes of memory, from the contents of `/proc/meminfo`.
fn available(memory: &str) -> Option<u64> {
    let kib = memory.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    kib.trim().strip_suffix(" kB")?.parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_parsed() {
        let memory = "MemTotal:       24576000 kB\nMemAvailable:    8388608 kB\n";
        assert_eq!(available(memory), Some(ROOM));
        assert_eq!(available(""), None);
        assert!(!has_room(Path::new("/nowhere")));
    }
}
