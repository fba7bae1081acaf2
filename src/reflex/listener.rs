//! Finds the process that listens on a port, from Linux's /proc. On other systems it finds none.

use std::fs;
use std::path::Path;

/// The most processes and descriptors that are examined, so that the search is fast on large machines.
const MOST_PROCESSES: usize = 4_000;
const MOST_DESCRIPTORS: usize = 40_000;

/// The kernel's code for the state of a listening socket.
const LISTENS: &str = "0A";

/// The id and name of the process that listens on a TCP port. The id is 0 for a process of another user, which cannot be read.
pub(super) fn of(port: u16) -> Option<(u32, String)> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"];
    let inode = tables.iter().find_map(|table| inode(&fs::read_to_string(table).ok()?, port))?;
    Some(owner(inode).unwrap_or_else(|| (0, "a process of another user".to_owned())))
}

/// The inode of the socket that listens on a port, in a table of the kernel.
fn inode(table: &str, port: u16) -> Option<u64> {
    table.lines().skip(1).find_map(|line| {
        let mut fields = line.split_whitespace();
        let local = fields.nth(1)?;
        let state = fields.nth(1)?;
        let inode = fields.nth(5)?;
        let is_it = state == LISTENS && u16::from_str_radix(local.rsplit(':').next()?, 16) == Ok(port);
        is_it.then(|| inode.parse().ok())?
    })
}

fn owner(inode: u64) -> Option<(u32, String)> {
    let socket = format!("socket:[{inode}]");
    let mut seen = 0;
    for process in fs::read_dir("/proc").ok()?.flatten().take(MOST_PROCESSES) {
        let Some(id) = process.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let Ok(descriptors) = fs::read_dir(process.path().join("fd")) else { continue };
        for descriptor in descriptors.flatten() {
            seen += 1;
            if fs::read_link(descriptor.path()).is_ok_and(|target| target == Path::new(&socket)) {
                let name = fs::read_to_string(process.path().join("comm")).unwrap_or_default();
                return Some((id, name.trim().to_owned()));
            }
        }
        if seen > MOST_DESCRIPTORS {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listening_socket_is_found_in_the_table() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
                     0: 0100007F:1F90 0100007F:D431 01 00000000:00000000 00:00000000 00000000  1000        0 11 1\n\
                     1: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4242 1\n";
        assert_eq!(inode(table, 8080), Some(4242));
        assert_eq!(inode(table, 8081), None);
        assert_eq!(inode("garbage\n\n1 2 3", 8080), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_socket_of_this_process_is_attributed_to_it() {
        let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let (id, _) = of(socket.local_addr().unwrap().port()).unwrap();
        assert_eq!(id, std::process::id());
    }
}
