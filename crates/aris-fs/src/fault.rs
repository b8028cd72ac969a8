//! Crash tests: abort just before the N-th change of the disk.
//!
//! Only builds with debug assertions contain it (profile `dev`, which the tests use).

#[cfg(debug_assertions)]
pub(crate) fn point() {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    static LIMIT: OnceLock<Option<u64>> = OnceLock::new();
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let limit = LIMIT.get_or_init(|| std::env::var("ARIS_FAULT_AT").ok()?.parse().ok());
    if let Some(limit) = limit {
        // Like SIGKILL, `abort` runs no destructors.
        if COUNT.fetch_add(1, Ordering::SeqCst) + 1 == *limit {
            std::process::abort();
        }
    }
}

#[cfg(not(debug_assertions))]
pub(crate) const fn point() {}
