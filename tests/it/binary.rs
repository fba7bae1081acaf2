//! How the binary is linked: position independent and read-only after relocation, because it reads untrusted bytes.

use crate::harness::PROGRAM;

fn number(bytes: &[u8], at: usize, length: usize) -> u64 {
    bytes[at..at + length].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

/// Type, offset and size of each program header of a 64-bit little-endian ELF file.
fn segments(file: &[u8]) -> Vec<(u64, usize, usize)> {
    let (start, size, count) =
        (number(file, 32, 8) as usize, number(file, 54, 2) as usize, number(file, 56, 2) as usize);
    let headers = (0..count).map(|at| start + at * size);
    headers
        .map(|at| (number(file, at, 4), number(file, at + 8, 8) as usize, number(file, at + 32, 8) as usize))
        .collect()
}

#[cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
#[test]
fn it_is_position_independent_and_read_only_after_relocation() {
    const ET_DYN: u64 = 3;
    const PT_DYNAMIC: u64 = 2;
    const PT_GNU_RELRO: u64 = 0x6474_E552;
    const DT_FLAGS: u64 = 30;
    const DT_FLAGS_1: u64 = 0x6FFF_FFFB;
    const DF_BIND_NOW: u64 = 8;
    const DF_1_NOW: u64 = 1;
    const DF_1_PIE: u64 = 0x0800_0000;
    let release = std::env::var_os("SHELLMATE_RELEASE");
    for program in [Some(PROGRAM.into()), release].into_iter().flatten() {
        let file = std::fs::read(&program).unwrap();
        assert_eq!((&file[..4], number(&file, 16, 2)), (&b"\x7fELF"[..], ET_DYN), "{program:?}");
        let segments = segments(&file);
        assert!(segments.iter().any(|(kind, ..)| *kind == PT_GNU_RELRO), "{program:?}");
        let (_, offset, size) = *segments.iter().find(|(kind, ..)| *kind == PT_DYNAMIC).unwrap();
        let entries: Vec<(u64, u64)> =
            (offset..offset + size).step_by(16).map(|at| (number(&file, at, 8), number(&file, at + 8, 8))).collect();
        let flags = |tag| entries.iter().filter(|(kind, _)| *kind == tag).map(|(_, value)| value).sum::<u64>();
        assert_eq!(flags(DT_FLAGS) & DF_BIND_NOW, DF_BIND_NOW, "{program:?}");
        assert_eq!(flags(DT_FLAGS_1) & (DF_1_NOW | DF_1_PIE), DF_1_NOW | DF_1_PIE, "{program:?}");
    }
}
