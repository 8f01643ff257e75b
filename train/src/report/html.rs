//! Text and figures as HTML.

use std::fmt::Write;

/// Text that is only text, in elements and in quoted attributes.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            c => out.push(c),
        }
    }
    out
}

/// A number with as many digits as a reader wants of it.
pub(super) fn figure(value: f64) -> String {
    match value.abs() {
        size if size >= 1e15 => format!("{value:.3e}"),
        size if value.fract() == 0.0 || size >= 1000.0 => grouped(value),
        size if size >= 100.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        size if size >= 0.001 => format!("{value:.4}"),
        _ => format!("{value:.2e}"),
    }
}

/// A whole number, its digits in threes.
pub(super) fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut out = String::new();
    if value < 0.0 {
        out.push('-');
    }
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A time that something took.
pub(super) fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0) as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, _) => format!("{seconds:.1} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// A table whose first column is text and whose others are figures.
pub(super) fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut out = String::from("<div class=\"wide\"><table>\n<tr>");
    for cell in head {
        let _ = write!(out, "<th>{}</th>", escaped(cell));
    }
    out += "</tr>\n";
    for row in rows {
        let cells: String = row.iter().map(|cell| format!("<td>{}</td>", escaped(cell))).collect();
        let _ = writeln!(out, "<tr>{cells}</tr>");
    }
    out + "</table></div>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_is_markup() {
        assert_eq!(escaped("<a b=\"c\" d='e'>&amp;"), "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;");
    }

    #[test]
    fn figures_are_short() {
        let cases = [
            (0.0, "0"),
            (12.0, "12"),
            (-1234567.0, "-1,234,567"),
            (12402.68, "12,403"),
            (123.456, "123.5"),
            (1.23456, "1.23"),
            (0.0123456, "0.0123"),
            (0.00002, "2.00e-5"),
            (1e300, "1.000e300"),
        ];
        for (value, expected) in cases {
            assert_eq!(figure(value), expected);
        }
        for (seconds, expected) in [(1.25, "1.2 s"), (125.0, "2 min 5 s"), (7260.0, "2 h 1 min")] {
            assert_eq!(duration(seconds), expected);
        }
    }
}
