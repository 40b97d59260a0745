//! The physical memory of this process and of the computer, from `/proc` on Linux and from `sysinfo` elsewhere.

/// Bytes of physical memory that this process uses, where the system reports it.
pub(crate) fn resident_memory() -> Option<u64> {
    system::resident()
}

/// The largest number of bytes of physical memory that this process has used; known only on Linux.
pub(crate) fn peak_memory() -> Option<u64> {
    system::peak()
}

/// Half of the computer's memory in bytes, where the system reports it, else 4 GiB.
pub(crate) fn half_of_the_memory() -> u64 {
    system::total().map_or(4 << 30, |bytes| bytes / 2)
}

#[cfg(target_os = "linux")]
mod system {
    pub(super) fn resident() -> Option<u64> {
        bytes_of("/proc/self/status", "VmRSS:")
    }

    pub(super) fn peak() -> Option<u64> {
        bytes_of("/proc/self/status", "VmHWM:")
    }

    pub(super) fn total() -> Option<u64> {
        bytes_of("/proc/meminfo", "MemTotal:")
    }

    /// The number of KiB in a line of a file under `/proc`, in bytes.
    fn bytes_of(file: &str, key: &str) -> Option<u64> {
        let text = std::fs::read_to_string(file).ok()?;
        let line = text.lines().find(|line| line.starts_with(key))?;
        line.split_ascii_whitespace().nth(1)?.parse().ok().map(|kib: u64| kib * 1024)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use sysinfo::{MemoryRefreshKind, ProcessRefreshKind, ProcessesToUpdate, System, get_current_pid};

    pub(super) fn resident() -> Option<u64> {
        let pid = get_current_pid().ok()?;
        let mut system = System::new();
        let memory = ProcessRefreshKind::nothing().with_memory();
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), false, memory);
        Some(system.process(pid)?.memory())
    }

    pub(super) fn peak() -> Option<u64> {
        None
    }

    pub(super) fn total() -> Option<u64> {
        let mut system = System::new();
        system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
        Some(system.total_memory()).filter(|&bytes| bytes > 0)
    }
}
