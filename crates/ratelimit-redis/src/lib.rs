//! Rate limits that several processes share, in Redis.
