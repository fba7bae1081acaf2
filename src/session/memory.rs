//! Returns unused memory to the system.
#![allow(unsafe_code)]

use super::system::unmap_code;

/// Buffers from this size on get memory of their own, which is returned when the buffer is dropped. So the memory of a large
/// output does not stay in an idle tab. The C library would raise its own threshold with the first large buffer.
#[cfg(target_env = "gnu")]
const OWN_MAPPING: nix::libc::c_int = 32 * 1024;

/// All threads share one heap: they rarely allocate at the same time, and each further heap would keep its peak size.
#[cfg(target_env = "gnu")]
const HEAPS: nix::libc::c_int = 1;

/// Must be called before the first thread starts.
#[cfg(target_env = "gnu")]
pub(super) fn keep_little() {
    // SAFETY: mallopt takes plain numbers and touches nothing but the allocator's own settings.
    unsafe {
        nix::libc::mallopt(nix::libc::M_MMAP_THRESHOLD, OWN_MAPPING);
        nix::libc::mallopt(nix::libc::M_ARENA_MAX, HEAPS);
    }
}

#[cfg(not(target_env = "gnu"))]
pub(super) fn keep_little() {}

/// Returns the free parts of the heap and the pages of code that are not in use. Takes less than a millisecond.
pub(super) fn give_back() {
    trim_heap();
    unmap_code();
}

#[cfg(target_env = "gnu")]
fn trim_heap() {
    // SAFETY: malloc_trim takes the allocator's own lock and moves nothing that is in use.
    unsafe { nix::libc::malloc_trim(0) };
}

#[cfg(not(target_env = "gnu"))]
fn trim_heap() {}
