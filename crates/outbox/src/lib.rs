//! Work that a transaction leaves behind: leased, tried, tried again, done or given up.
