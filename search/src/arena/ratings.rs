//! Ratings of many agents from their games against each other.

use serde::Serialize;

use super::statistics::{ELO_SCALE, expected_score, student_95};

/// Steps of the fit; it takes some ten.
const MAX_STEPS: u32 = 500;
/// No strength moves further in one step, in units of [`ELO_SCALE`].
const MAX_STEP: f64 = 1.0;
/// Below such a step the fit is done.
const CONVERGED: f64 = 1e-10;

/// What two agents made of one opening.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatedPair {
    /// The first agent, by its number.
    pub a: usize,
    /// The second.
    pub b: usize,
    /// Games: 2, or 1 where the other is missing.
    pub games: u32,
    /// Points of `a` in them.
    pub points: f64,
}

/// The rating of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rating {
    /// Elo.
    pub elo: f64,
    /// Lower end of the 95% interval of `elo`; `None` where unbounded.
    pub elo_low: Option<f64>,
    /// Upper end of the 95% interval of `elo`; `None` where unbounded.
    pub elo_high: Option<f64>,
}

/// The ratings of agents, by their numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    /// The ratings.
    pub agents: Vec<Rating>,
    /// Whether games alone would have put some agents infinitely far apart: one side has won them all. Such agents have no
    /// interval, and their distance is that with one more game, drawn, between each two of them who met.
    pub is_unbounded: bool,
}

/// Why there are no ratings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RatingsError {
    /// Nobody has played anybody of another group, directly or through others.
    #[error("the agents fall into {} groups without a game between them", .0.len())]
    Disconnected(Vec<Vec<usize>>),
}

/// Rates agents by the model of Bradley and Terry, in which an agent of strength s expects s / (s + t) points a game against
/// one of strength t. A draw is half a point to both, so that of two agents the difference is that of their match. The
/// likeliest strengths are taken, `anchor` having `anchor_elo`.
///
/// The intervals are of the difference to the anchor. Since the two games of an opening are not independent, and draws
/// spread less than wins, they rest on the spread between pairs (the sandwich estimator) and not on the model.
///
/// # Errors
/// If not all agents are connected by games.
pub fn rate(
    agents: usize,
    pairs: &[RatedPair],
    anchor: usize,
    anchor_elo: f64,
) -> Result<Ratings, RatingsError> {
    let pairs: Vec<_> = pairs.iter().copied().filter(|pair| pair.a != pair.b).collect();
    let mut table = Table::new(agents, &pairs);
    let groups = table.groups();
    if groups.len() > 1 {
        return Err(RatingsError::Disconnected(groups));
    }
    let reaches = table.reaches();
    let is_bounded = |one: usize, other: usize| reaches[one][other] && reaches[other][one];
    for one in 0..agents {
        for other in 0..agents {
            if table.games[one][other] > 0.0 && !is_bounded(one, other) {
                table.games[one][other] += 1.0;
                table.points[one][other] += 0.5;
            }
        }
    }
    let strengths = table.fit(anchor);
    let errors = table.standard_errors(&strengths, &pairs, anchor);
    let freedom = pairs.len() as f64 - (agents as f64 - 1.0);
    let width = student_95(freedom);
    let rating = |agent: usize| {
        let elo = anchor_elo + ELO_SCALE * strengths[agent];
        let spread = match agent == anchor {
            true => Some(0.0),
            false => {
                width.filter(|_| is_bounded(agent, anchor)).map(|width| width * ELO_SCALE * errors[agent])
            }
        };
        Rating {
            elo,
            elo_low: spread.map(|spread| elo - spread),
            elo_high: spread.map(|spread| elo + spread),
        }
    };
    let is_unbounded = (0..agents).any(|agent| !is_bounded(agent, anchor));
    Ok(Ratings { agents: (0..agents).map(rating).collect(), is_unbounded })
}

/// Games and points of each agent against each.
struct Table {
    games: Vec<Vec<f64>>,
    points: Vec<Vec<f64>>,
}

impl Table {
    fn new(agents: usize, pairs: &[RatedPair]) -> Self {
        let empty = vec![vec![0.0; agents]; agents];
        let mut table = Self { games: empty.clone(), points: empty };
        for &RatedPair { a, b, games, points } in pairs {
            let games = f64::from(games);
            table.games[a][b] += games;
            table.games[b][a] += games;
            table.points[a][b] += points;
            table.points[b][a] += games - points;
        }
        table
    }

    fn agents(&self) -> usize {
        self.games.len()
    }

    /// The agents that are connected by games.
    fn groups(&self) -> Vec<Vec<usize>> {
        let connected = closure(&self.games);
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (agent, connected) in connected.iter().enumerate() {
            match groups.iter_mut().find(|group| connected[group[0]]) {
                Some(group) => group.push(agent),
                None => groups.push(vec![agent]),
            }
        }
        groups
    }

    /// Who has points against whom, directly or through others. Only where both have is their difference finite (Ford, 1957).
    fn reaches(&self) -> Vec<Vec<bool>> {
        closure(&self.points)
    }

    /// The likeliest strengths, as logarithms with the anchor at 0, by Newton's method with bounded steps.
    fn fit(&self, anchor: usize) -> Vec<f64> {
        let mut strengths = vec![0.0; self.agents()];
        for _ in 0..MAX_STEPS {
            let inverse = self.inverse_information(&strengths, anchor);
            let gradient: Vec<f64> = (0..self.agents())
                .map(|one| {
                    let surplus = |other| {
                        let expected = expected(strengths[one], strengths[other]);
                        self.points[one][other] - self.games[one][other] * expected
                    };
                    (0..self.agents()).map(surplus).sum()
                })
                .collect();
            let steps: Vec<f64> = inverse.iter().map(|row| dot(row, &gradient)).collect();
            let longest = steps.iter().fold(0.0, |longest: f64, step| longest.max(step.abs()));
            let shrink = (MAX_STEP / longest).min(1.0);
            strengths.iter_mut().zip(&steps).for_each(|(strength, step)| *strength += shrink * step);
            if longest < CONVERGED {
                break;
            }
        }
        strengths
    }

    /// The inverse of what the games tell of the strengths; the anchor's row and column are 0.
    fn inverse_information(&self, strengths: &[f64], anchor: usize) -> Vec<Vec<f64>> {
        let agents = self.agents();
        let mut information = vec![vec![0.0; agents]; agents];
        for one in 0..agents {
            for other in (0..agents).filter(|&other| other != one) {
                let expected = expected(strengths[one], strengths[other]);
                let weight = self.games[one][other] * expected * (1.0 - expected);
                information[one][one] += weight;
                information[one][other] -= weight;
            }
        }
        information.iter_mut().for_each(|row| row[anchor] = 0.0);
        information[anchor].fill(0.0);
        information[anchor][anchor] = 1.0;
        let mut inverse = inverse(information);
        inverse[anchor][anchor] = 0.0;
        inverse
    }

    /// Of the strengths, from the spread of the pairs around what is expected of them.
    fn standard_errors(&self, strengths: &[f64], pairs: &[RatedPair], anchor: usize) -> Vec<f64> {
        let inverse = self.inverse_information(strengths, anchor);
        let number = pairs.len() as f64;
        // As n / (n - 1) for a mean.
        let correction = number / (number - (self.agents() as f64 - 1.0)).max(1.0);
        let error = |row: &Vec<f64>| {
            let square = |pair: &RatedPair| {
                let expected = f64::from(pair.games) * expected(strengths[pair.a], strengths[pair.b]);
                ((row[pair.a] - row[pair.b]) * (pair.points - expected)).powi(2)
            };
            (correction * pairs.iter().map(square).sum::<f64>()).sqrt()
        };
        inverse.iter().map(error).collect()
    }
}

/// Points a game that the first agent expects.
fn expected(one: f64, other: f64) -> f64 {
    expected_score(ELO_SCALE * (one - other))
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// Who is reached from whom over entries above 0.
fn closure(edges: &[Vec<f64>]) -> Vec<Vec<bool>> {
    let direct = |(from, row): (usize, &Vec<f64>)| {
        row.iter().enumerate().map(|(to, &edge)| edge > 0.0 || to == from).collect()
    };
    let mut reached: Vec<Vec<bool>> = edges.iter().enumerate().map(direct).collect();
    for over in 0..edges.len() {
        let further = reached[over].clone();
        for row in reached.iter_mut().filter(|row| row[over]) {
            row.iter_mut().zip(&further).for_each(|(to, further)| *to |= further);
        }
    }
    reached
}

/// The inverse of a symmetric positive definite matrix, by Gauss and Jordan.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    for (index, row) in matrix.iter_mut().enumerate() {
        row.extend((0..size).map(|column| if column == index { 1.0 } else { 0.0 }));
    }
    for pivot in 0..size {
        let scale = 1.0 / matrix[pivot][pivot];
        matrix[pivot].iter_mut().for_each(|entry| *entry *= scale);
        let pivot_row = matrix[pivot].clone();
        for (_, row) in matrix.iter_mut().enumerate().filter(|(index, _)| *index != pivot) {
            let factor = row[pivot];
            row.iter_mut().zip(&pivot_row).for_each(|(entry, pivot)| *entry -= factor * pivot);
        }
    }
    matrix.into_iter().map(|mut row| row.split_off(size)).collect()
}
