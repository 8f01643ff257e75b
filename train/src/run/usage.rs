//! How much the process has worked.

/// The clock ticks a second of /proc, the same on every Linux.
const TICKS: f64 = 100.0;

/// CPU seconds of all threads of the process so far, in hundredths; `None` on systems without /proc.
pub(super) fn cpu_seconds() -> Option<f64> {
    parse(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// The name of the command, in brackets, may hold anything; the 12th and 13th number after it are the ticks in user mode and in
/// the kernel.
fn parse(stat: &str) -> Option<f64> {
    let mut fields = stat[stat.rfind(')')? + 1..].split_ascii_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some((ticks()? + ticks()?) as f64 / TICKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ticks_are_found_behind_any_name() {
        let stat = "4 (a) b) R 1 4 4 0 -1 4194304 97 0 0 0 250 50 7 8 20 0 1 0";
        assert_eq!(parse(stat), Some(3.0));
        assert_eq!(parse("4 (cut) R 1"), None);
        assert_eq!(parse(""), None);
    }
}
