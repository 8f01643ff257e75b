//! A curve as inline SVG, in the colours of the page.

use std::fmt::Write;

use super::html::{escaped, figure, grouped};

const WIDTH: f64 = 320.0;
const HEIGHT: f64 = 150.0;
/// Room for the labels: left, right, above, below.
const LEFT: f64 = 52.0;
const RIGHT: f64 = 8.0;
const TOP: f64 = 8.0;
const BOTTOM: f64 = 20.0;
/// More points than this are drawn as means of neighbours: a screen has no room for them.
const MOST_POINTS: usize = 400;

/// A figure over the iterations, with its name above and its last value; nothing where it never has a value.
pub(super) fn chart(name: &str, points: &[(f64, f64)]) -> Option<String> {
    let points: Vec<_> = points.iter().copied().filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
    let last = points.last()?.1;
    let share = points.len().div_ceil(MOST_POINTS);
    let drawn: Vec<_> = points.chunks(share).map(mean).collect();
    let (first_x, last_x) = (points[0].0, points[points.len() - 1].0);
    let ticks = Ticks::of(&drawn);
    let across = |x: f64| {
        let part = if last_x > first_x { (x - first_x) / (last_x - first_x) } else { 0.5 };
        LEFT + part * (WIDTH - LEFT - RIGHT)
    };
    let down =
        |y: f64| HEIGHT - BOTTOM - (y - ticks.low) / (ticks.high - ticks.low) * (HEIGHT - TOP - BOTTOM);

    let means = if share > 1 { format!(", means of {share}") } else { String::new() };
    let (name, last) = (escaped(name), figure(last));
    let mut out = format!("<figure class=\"chart\"><figcaption>{name} <b>{last}</b>{means}</figcaption>");
    let _ =
        write!(out, "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{name}, last {last}\">");
    for value in ticks.values() {
        let y = down(value);
        let _ = write!(
            out,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{:.0}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 4.0,
            y + 3.5,
            ticks.label(value)
        );
    }
    let below = HEIGHT - 6.0;
    let _ = write!(out, "<text x=\"{LEFT}\" y=\"{below}\">{}</text>", figure(first_x));
    let _ = write!(
        out,
        "<text x=\"{:.0}\" y=\"{below}\" text-anchor=\"end\">{}</text>",
        WIDTH - RIGHT,
        figure(last_x)
    );
    match drawn[..] {
        [(x, y)] => {
            let _ =
                write!(out, "<circle class=\"dot\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\"/>", across(x), down(y));
        }
        _ => {
            let line: Vec<_> =
                drawn.iter().map(|&(x, y)| format!("{:.1},{:.1}", across(x), down(y))).collect();
            let _ = write!(out, "<polyline class=\"curve\" points=\"{}\"/>", line.join(" "));
        }
    }
    Some(out + "</svg></figure>\n")
}

fn mean(points: &[(f64, f64)]) -> (f64, f64) {
    let count = points.len() as f64;
    let sum = points.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0 / count, sum.1 + point.1 / count));
    (sum.0, sum.1)
}

/// Round values that the points lie between.
struct Ticks {
    low: f64,
    high: f64,
    step: f64,
}

impl Ticks {
    fn of(points: &[(f64, f64)]) -> Self {
        let values = points.iter().map(|&(_, y)| y);
        let (low, high) =
            (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max));
        // A constant, or what differs from one in its last digits only, has no range of its own: it is shown above or below 0.
        let is_constant = high - low <= (1e-6 * low.abs().max(high.abs())).max(1e-9);
        let (low, high) = if is_constant { (low.min(0.0), high.max(0.0)) } else { (low, high) };
        let range = if high > low { (high - low).min(f64::MAX) } else { 1.0 };
        let unit = 10f64.powf((range / 3.0).log10().floor());
        let step =
            [1.0, 2.0, 5.0, 10.0].map(|times| times * unit).into_iter().find(|step| range / step <= 3.0);
        let step = step.unwrap_or(10.0 * unit);
        let low = (low / step).floor() * step;
        let high = ((high / step).ceil() * step).max(low + step);
        Self { low, high, step }
    }

    /// A value with as many digits as tell it from the next.
    fn label(&self, value: f64) -> String {
        let decimals = -self.step.log10().floor();
        match () {
            () if value == 0.0 => "0".into(),
            () if value.abs() >= 1e7 || decimals > 4.0 => format!("{value:.2e}"),
            () if decimals <= 0.0 => grouped(value),
            () => format!("{value:.*}", decimals as usize),
        }
    }

    fn values(&self) -> impl Iterator<Item = f64> {
        let count = ((self.high - self.low) / self.step).round() as u32;
        (0..=count).map(|i| {
            let value = self.low + f64::from(i) * self.step;
            // What is 0 but for rounding is 0.
            if value.abs() < 1e-9 * self.step { 0.0 } else { value }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_lie_between_round_values() {
        for (low, high) in
            [(0.0, 1.0), (0.1235, 0.8825), (-3.0, 700.0), (5.0, 5.0), (0.0, 0.0), (1e9, 1e9 + 1.0)]
        {
            let ticks = Ticks::of(&[(0.0, low), (1.0, high)]);
            assert!(ticks.low <= low && high <= ticks.high, "{low} {high}: {} {}", ticks.low, ticks.high);
            assert!((2..=5).contains(&ticks.values().count()), "{low} {high}");
        }
        let labels = |low, high| {
            let ticks = Ticks::of(&[(0.0, low), (1.0, high)]);
            ticks.values().map(|value| ticks.label(value)).collect::<Vec<_>>()
        };
        assert_eq!(labels(0.13, 0.88), ["0", "0.5", "1.0"]);
        assert_eq!(labels(0.61, 1.32), ["0.5", "1.0", "1.5"]);
        assert_eq!(labels(10_100.0, 29_000.0), ["10,000", "20,000", "30,000"]);
        assert_eq!(labels(-0.02, 0.04), ["-0.02", "0", "0.02", "0.04"]);
        assert_eq!(labels(1024.0, 1024.0), ["0", "500", "1,000", "1,500"]);
        assert_eq!(labels(-2.0, -2.0), ["-2", "-1", "0"]);
        assert_eq!(labels(0.0, 0.0), ["0", "0.5"]);
    }

    #[test]
    fn every_number_of_points_is_drawn() {
        assert!(chart("x", &[]).is_none());
        assert!(chart("x", &[(1.0, f64::NAN)]).is_none());
        assert!(chart("x", &[(1.0, 2.0)]).unwrap().contains("<circle"));
        for count in [2, 399, 400, 401, 10_000] {
            let points: Vec<_> = (0..count).map(|x| (f64::from(x), f64::from(x % 7))).collect();
            let drawn = chart("a<b", &points).unwrap();
            let line = drawn.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
            assert!((2..=400).contains(&line.split(' ').count()));
            assert!(drawn.contains("a&lt;b") && !drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
        }
    }
}
