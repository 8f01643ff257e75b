//! How long a build still takes.
//!
//! A board of a larger layer costs more: it has more moves, and they take more laps. So the share of the boards that are done
//! promises too much. What a board costs grows by much the same factor from layer to layer, though, and the factor is read off
//! the layers that this run has built.

/// Foresees how long a build still takes, in seconds; times are seconds since it began.
#[derive(Debug)]
pub(super) struct Estimate {
    /// Boards of each layer, by seeds.
    boards: Vec<u64>,
    /// Layers that this run has built.
    built: Vec<Built>,
    current: Option<Current>,
    /// When the last layer was done.
    since: f64,
}

#[derive(Clone, Copy, Debug)]
struct Built {
    seeds: usize,
    seconds: f64,
    /// How long its round 0 took.
    first_round: f64,
}

/// The layer being built.
#[derive(Clone, Copy, Debug)]
struct Current {
    seeds: usize,
    /// The share of round 0 that is done, and when it got there.
    played: f64,
    at: f64,
}

/// What a board costs from one layer to the next, and the share of round 0, before there is anything to read them off.
const USUAL_GROWTH: f64 = 0.05;
const USUAL_FIRST_ROUND: f64 = 0.65;
/// Layers that took less are all noise.
const SHORTEST: f64 = 0.02;
/// Nothing is foreseen from less.
const LEAST_SEEN: f64 = 0.3;

impl Estimate {
    pub(super) fn new(boards: Vec<u64>) -> Self {
        Self { boards, built: Vec::new(), current: None, since: 0.0 }
    }

    /// Some more of the layer of so many seeds has been looked at.
    pub(super) fn progress(&mut self, now: f64, seeds: usize, round: u32, share: f64) {
        let current = self.current.get_or_insert(Current { seeds, played: 0.0, at: now });
        let played = if round == 0 { share } else { 1.0 };
        if played > current.played {
            *current = Current { seeds, played, at: now };
        }
    }

    /// A layer is done and took so long; zero if it was there before.
    pub(super) fn layer(&mut self, now: f64, seeds: usize, seconds: f64) {
        let first_round = self.current.map_or(seconds, |current| current.at - self.since);
        if seconds >= SHORTEST {
            self.built.push(Built { seeds, seconds, first_round });
        }
        self.current = None;
        self.since = now;
    }

    /// Seconds left; `None` where too little has been seen.
    pub(super) fn left(&self, now: f64) -> Option<f64> {
        let spent = now - self.since;
        let next = self.boards.len().min(self.built.last().map_or(0, |built| built.seeds + 1));
        let (seeds, whole) = match self.current {
            Some(current) => (current.seeds, self.whole(&current)),
            None => (next, None),
        };
        let mut points: Vec<(f64, f64, f64)> =
            self.built.iter().map(|built| self.point(built.seeds, built.seconds, built.seconds)).collect();
        points.extend(whole.map(|whole| self.point(seeds, whole, spent)));
        let line = Line::through(&points)?;
        let foreseen = |seeds: usize| line.at(seeds as f64).exp() * self.boards[seeds] as f64;
        let played = self.current.map_or(0.0, |current| current.played);
        let of_this = match (self.boards.get(seeds), whole) {
            (None, _) => 0.0,
            (Some(_), Some(whole)) => played * whole + (1.0 - played) * foreseen(seeds),
            (Some(_), None) => foreseen(seeds),
        };
        let later: f64 = (seeds + 1..self.boards.len()).map(foreseen).sum();
        Some((of_this - spent).max(0.0) + later)
    }

    /// How long the layer being built takes in all, by how long its round 0 takes.
    fn whole(&self, current: &Current) -> Option<f64> {
        let seconds: f64 = self.built.iter().map(|built| built.seconds).sum();
        let first_rounds: f64 = self.built.iter().map(|built| built.first_round).sum();
        let share = if seconds > LEAST_SEEN { first_rounds / seconds } else { USUAL_FIRST_ROUND };
        let first_round = (current.at - self.since) / current.played;
        (current.played > 0.0 && first_round > 0.0).then(|| first_round / share.clamp(0.1, 1.0))
    }

    /// The logarithm of what a board of a layer costs, and how much that counts: as much as the time it is read off.
    fn point(&self, seeds: usize, seconds: f64, seen: f64) -> (f64, f64, f64) {
        (seeds as f64, (seconds / self.boards[seeds] as f64).ln(), seen)
    }
}

/// A straight line.
struct Line {
    middle: (f64, f64),
    slope: f64,
}

impl Line {
    /// The line through weighted points (x, y, weight) that lies closest, drawn towards the usual growth.
    fn through(points: &[(f64, f64, f64)]) -> Option<Self> {
        let sum = |each: &dyn Fn(f64, f64) -> f64| {
            points.iter().map(|&(x, y, weight)| weight * each(x, y)).sum::<f64>()
        };
        let weight = sum(&|_, _| 1.0);
        if weight < LEAST_SEEN {
            return None;
        }
        let middle = (sum(&|x, _| x) / weight, sum(&|_, y| y) / weight);
        let (over, under) = (
            sum(&|x, y| (x - middle.0) * (y - middle.1)) / weight,
            sum(&|x, _| (x - middle.0) * (x - middle.0)) / weight,
        );
        let slope = (over + USUAL_GROWTH) / (under + 1.0);
        Some(Self { middle, slope: slope.clamp(0.0, 3.0 * USUAL_GROWTH) })
    }

    fn at(&self, x: f64) -> f64 {
        self.middle.1 + self.slope * (x - self.middle.0)
    }
}

/// A time to come, no finer than it is known.
pub(super) fn tell_left(seconds: f64) -> String {
    match seconds.round() as u64 {
        seconds @ 0..10 => format!("about {} s left", seconds.max(1)),
        seconds @ 10..60 => format!("about {} s left", seconds.div_ceil(5) * 5),
        seconds @ 60..3600 => format!("about {} min left", seconds.div_ceil(60)),
        seconds => format!("about {} h {} min left", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Boards of 4 pits a row, and what 2 busy cores took for each layer, the last ones in seconds.
    const BOARDS: [u64; 9] =
        [240_460, 328_900, 444_158, 592_020, 780_572, 1_017_900, 1_315_015, 1_682_928, 2_136_304];
    const SECONDS: [f64; 9] = [0.24, 0.2438, 0.3245, 0.4712, 0.66, 0.835, 1.34, 1.7075, 2.4394];

    /// The largest factor by which the estimates were wrong in the first four fifths of a build whose layers before `first` were there.
    fn worst(first: usize) -> f64 {
        let mut estimate = Estimate::new(BOARDS.to_vec());
        let all: f64 = SECONDS[first..].iter().sum();
        let (mut now, mut worst): (f64, f64) = (0.0, 1.0);
        let mut check = |estimate: &Estimate, now: f64| {
            if let Some(left) = estimate.left(now).filter(|_| now < 0.8 * all) {
                worst = worst.max(left / (all - now)).max((all - now) / left);
            }
        };
        for seeds in 0..first {
            estimate.layer(0.0, seeds, 0.0);
        }
        for (seeds, seconds) in SECONDS.into_iter().enumerate().skip(first) {
            // Round 0 takes 0.6 of the time, 20 others the rest.
            for step in 1..=10 {
                estimate.progress(now + 0.06 * seconds * step as f64, seeds, 0, step as f64 / 10.0);
                check(&estimate, now + 0.06 * seconds * step as f64);
            }
            for round in 1..=20 {
                let at = now + seconds * (0.6 + 0.02 * round as f64);
                estimate.progress(at, seeds, round, 1.0);
                check(&estimate, at);
            }
            now += seconds;
            estimate.layer(now, seeds, seconds);
            check(&estimate, now);
        }
        assert_eq!(estimate.left(now), Some(0.0));
        worst
    }

    #[test]
    fn estimates_are_honest_from_early_on() {
        for first in [0, 3, 6, 8] {
            let worst = worst(first);
            assert!(worst < 1.6, "{first}: wrong by a factor of {worst}");
        }
    }

    #[test]
    fn nothing_is_foreseen_from_nothing() {
        let mut estimate = Estimate::new(BOARDS.to_vec());
        assert_eq!(estimate.left(0.0), None);
        estimate.progress(0.01, 0, 0, 0.5);
        assert_eq!(estimate.left(0.01), None);
    }

    #[test]
    fn times_are_told_roughly() {
        for (seconds, told) in [
            (0.0, "about 1 s left"),
            (9.2, "about 9 s left"),
            (31.0, "about 35 s left"),
            (61.0, "about 2 min left"),
            (7_300.0, "about 2 h 1 min left"),
        ] {
            assert_eq!(tell_left(seconds), told);
        }
    }
}
