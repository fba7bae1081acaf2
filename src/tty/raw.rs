//! The window size, which has no safe wrapper.

#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

/// A window's size in cells and pixels. The default is 80 × 24.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WindowSize {
    pub rows: u16,
    pub cols: u16,
    pub pixel_width: u16,
    pub pixel_height: u16,
}

impl Default for WindowSize {
    fn default() -> Self {
        WindowSize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 }
    }
}

nix::ioctl_read_bad!(tiocgwinsz, nix::libc::TIOCGWINSZ, nix::libc::winsize);

/// Asks the terminal for its size. Zero is kept: a serial line reports 0 × 0.
pub(super) fn window_size(fd: BorrowedFd<'_>) -> io::Result<WindowSize> {
    let mut size = nix::libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: TIOCGWINSZ writes one `winsize` through the pointer, which outlives the call.
    unsafe { tiocgwinsz(fd.as_raw_fd(), &mut size) }?;
    Ok(WindowSize { rows: size.ws_row, cols: size.ws_col, pixel_width: size.ws_xpixel, pixel_height: size.ws_ypixel })
}
