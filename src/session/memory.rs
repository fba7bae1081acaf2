//! Memory goes back to the system when it is no longer needed.
#![allow(unsafe_code)]

/// From this size on a buffer has memory of its own, which is given back when the buffer is dropped: what a flood of output needed does
/// not stay in a tab that is idle afterwards. The C library would raise its own threshold with the first large buffer.
#[cfg(target_env = "gnu")]
const OWN_MAPPING: nix::libc::c_int = 32 * 1024;

/// Threads share the heap: there is little they allocate at the same time, and each heap of a thread's own keeps what it once needed.
#[cfg(target_env = "gnu")]
const HEAPS: nix::libc::c_int = 1;

/// To be called before the first thread starts.
#[cfg(target_env = "gnu")]
pub(super) fn keep_little() {
    // SAFETY: mallopt takes plain numbers and touches nothing but the allocator's own settings.
    unsafe {
        nix::libc::mallopt(nix::libc::M_MMAP_THRESHOLD, OWN_MAPPING);
        nix::libc::mallopt(nix::libc::M_ARENA_MAX, HEAPS);
    }
}

/// Gives back what the heap has free between what it holds; takes less than a millisecond.
#[cfg(target_env = "gnu")]
pub(super) fn give_back() {
    // SAFETY: malloc_trim takes the allocator's own lock and moves nothing that is in use.
    unsafe { nix::libc::malloc_trim(0) };
}

#[cfg(not(target_env = "gnu"))]
pub(super) fn keep_little() {}

#[cfg(not(target_env = "gnu"))]
pub(super) fn give_back() {}
