//! Lookups of users and hosts in a static binary. This file is unsafe because it calls a function of the C library.
//!
//! A static glibc still loads the modules that `/etc/nsswitch.conf` names (`systemd`, `sss`, `mdns4`, …) as shared libraries, with the
//! C library of the machine behind them. If that has another version than ours, the process crashes. Files and DNS are built in.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};

unsafe extern "C" {
    fn __nss_configure_lookup(database: *const c_char, services: *const c_char) -> c_int;
}

/// Uses only what is built in, whatever `/etc/nsswitch.conf` says. Call it before the first lookup and before there are threads.
pub(super) fn use_built_in_lookups() {
    for (database, services) in [(c"passwd", c"files"), (c"group", c"files"), (c"hosts", c"files dns")] {
        configure(database, services);
    }
}

fn configure(database: &'static CStr, services: &'static CStr) {
    // SAFETY: both are C strings that live for ever, and no other thread runs. It fails only if memory is exhausted; then the
    // configuration of the machine applies.
    unsafe { __nss_configure_lookup(database.as_ptr(), services.as_ptr()) };
}
