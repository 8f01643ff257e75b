//! Sizes in bytes, as people write them.

const UNITS: [(&str, u64); 5] =
    [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];

/// Reads `4GiB`, `1.5 GiB` or `100000`.
pub(super) fn parse_size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let unit = UNITS.iter().find(|(name, _)| text.ends_with(name)).copied();
    let (name, unit) = unit.unwrap_or(("", 1));
    let number = text[..text.len() - name.len()].trim_end();
    let is_number = number.starts_with(|c: char| c.is_ascii_digit()) && !number.contains(['e', 'E']);
    match number.parse::<f64>().map(|number| number * unit as f64) {
        Ok(bytes) if is_number && (1.0..1e18).contains(&bytes) => Ok(bytes as u64),
        _ => Err("expected a number of bytes, as 4GiB, 500MiB or 100000".into()),
    }
}

/// Writes a size in the largest unit that it fills.
pub(super) fn write_size(bytes: u64) -> String {
    match UNITS.iter().find(|&&(name, unit)| bytes >= unit && name != "B") {
        Some((name, unit)) => format!("{:.1} {name}", bytes as f64 / *unit as f64),
        None => format!("{bytes} B"),
    }
}

/// The most memory that this process has held, where the system tells.
pub(super) fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_written() {
        for (text, bytes) in
            [("4GiB", 4 << 30), ("1.5 MiB", 3 << 19), ("100000", 100_000), ("7B", 7), ("2TiB", 2 << 40)]
        {
            assert_eq!(parse_size(text), Ok(bytes));
        }
        for text in [
            "",
            "GiB",
            "-1GiB",
            "0",
            "0MiB",
            "4GB",
            "4gib",
            "nan",
            "inf",
            "1e9",
            "4GiBB",
            "1 2",
            "99999999TiB",
        ] {
            assert!(parse_size(text).is_err(), "{text}");
        }
        assert_eq!([7, 1024, 1536 << 10, 3 << 30].map(write_size), ["7 B", "1.0 KiB", "1.5 MiB", "3.0 GiB"]);
    }
}
