//! Pages of program code and constants, which the kernel maps into a process when they are first used.
//!
//! Starting up uses much code that is never used again, and the kernel maps the pages around each one with it. Once they are unmapped,
//! only those that are used come back, from the page cache and without reading the disk.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int, c_void};
use std::{ptr, slice};

use nix::libc::{self, dl_phdr_info};
use nix::unistd::{SysconfVar, sysconf};

/// Entries of a dynamic section which say that the loader has changed read-only segments.
const DT_NULL: usize = 0;
const DT_TEXTREL: usize = 22;
const DT_FLAGS: usize = 30;
const DF_TEXTREL: usize = 4;

/// Unmaps all pages of the program and its libraries that hold what their files hold.
pub(in crate::session) fn unmap() {
    let Ok(Some(page)) = sysconf(SysconfVar::PAGE_SIZE) else { return };
    let Ok(mut page) = usize::try_from(page) else { return };
    // SAFETY: `unmap_object` has the signature of a callback and takes a pointer to a page size.
    unsafe { libc::dl_iterate_phdr(Some(unmap_object), ptr::from_mut(&mut page).cast()) };
}

/// Called for each object while the loader's lock is held, so no object is loaded or unloaded meanwhile.
unsafe extern "C" fn unmap_object(info: *mut dl_phdr_info, _size: usize, page: *mut c_void) -> c_int {
    // SAFETY: the loader passes a valid description, and `unmap` a page size.
    let (info, page) = unsafe { (&*info, *page.cast::<usize>()) };
    // SAFETY: the description has a string, and an array of this length.
    let (name, headers) = unsafe {
        (CStr::from_ptr(info.dlpi_name).to_bytes(), slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()))
    };
    let place = |offset: usize| info.dlpi_addr as usize + offset;
    // The program itself may have no name. An object with a name but no path is the kernel's and has no file.
    let has_file = name.is_empty() || name.starts_with(b"/");
    let is_changed = headers.iter().filter(|header| header.p_type == libc::PT_DYNAMIC).any(|header| {
        let count = header.p_memsz as usize / size_of::<[usize; 2]>();
        // SAFETY: the header describes the object's dynamic section, an array of pairs of words in memory.
        has_text_relocations(unsafe {
            slice::from_raw_parts(place(header.p_vaddr as usize) as *const [usize; 2], count)
        })
    });
    if !has_file || is_changed {
        return 0;
    }
    for header in headers.iter().filter(|header| header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_W == 0) {
        let (start, end) = (place(header.p_vaddr as usize), place((header.p_vaddr + header.p_filesz) as usize));
        // Only whole pages: a page at either end may belong to a segment that can be written.
        let (first, end) = (start.next_multiple_of(page), end / page * page);
        if first < end {
            // SAFETY: these pages are a private mapping of a file and were never written, so each is read from the file again.
            unsafe { libc::madvise(first as *mut c_void, end - first, libc::MADV_DONTNEED) };
        }
    }
    0
}

/// Whether a dynamic section says that the loader writes into segments that are read-only afterwards.
fn has_text_relocations(entries: &[[usize; 2]]) -> bool {
    let mut entries = entries.iter().take_while(|[tag, _]| *tag != DT_NULL);
    entries.any(|[tag, value]| *tag == DT_TEXTREL || *tag == DT_FLAGS && value & DF_TEXTREL != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: usize = 1024 * 1024;
    static TABLE: [u8; SIZE] = [1; SIZE];

    /// KiB of this program's constants that are mapped now.
    fn mapped() -> usize {
        let program = std::env::current_exe().unwrap().display().to_string();
        let smaps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let (mut is_constant, mut sum) = (false, 0);
        for line in smaps.lines() {
            let fields: Vec<&str> = line.split_whitespace().collect();
            if fields[0].contains('-') {
                is_constant = fields[1] == "r--p" && line.ends_with(&program);
            } else if fields[0] == "Rss:" && is_constant {
                sum += fields[1].parse::<usize>().unwrap();
            }
        }
        sum
    }

    #[test]
    fn pages_are_unmapped_and_come_back_when_they_are_used() {
        let sum = || std::hint::black_box(&TABLE).iter().map(|byte| usize::from(*byte)).sum::<usize>();
        assert_eq!(sum(), SIZE);
        let before = mapped();
        unmap();
        let after = mapped();
        assert!(after + SIZE / 2 / 1024 < before, "{before} KiB before, {after} KiB after");
        assert_eq!(sum(), SIZE);
    }

    #[test]
    fn an_object_whose_code_the_loader_changes_is_recognised() {
        assert!(!has_text_relocations(&[[1, 30], [DT_FLAGS, 8], [DT_NULL, 0], [DT_TEXTREL, 0]]));
        assert!(has_text_relocations(&[[1, 30], [DT_TEXTREL, 0], [DT_NULL, 0]]));
        assert!(has_text_relocations(&[[DT_FLAGS, DF_TEXTREL | 8], [DT_NULL, 0]]));
    }
}
