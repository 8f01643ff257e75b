//! How fast players are, fairly.

use std::time::{Duration, Instant};

use mancala_env::VecEnvError;

use super::players::Player;

/// Each figure is the median of so many rounds.
pub(super) const ROUNDS: usize = 5;
/// After so many steps games are at all their stages; at first all stand at the start, where moves are cheaper or dearer.
const WARM_UP_STEPS: usize = 200;
/// Large batches of slow games are not warmed up for longer.
pub(super) const WARM_UP_LIMIT: Duration = Duration::from_secs(2);
/// The clock is looked at after about so many moves, lest looking take time where a step is a single move.
const MOVES_A_LOOK: usize = 1024;

/// Plays until the games are mixed, or for so long.
pub(super) fn warm_up(player: &mut dyn Player, limit: Duration) -> Result<(), VecEnvError> {
    let begun = Instant::now();
    for _ in 0..WARM_UP_STEPS {
        player.play(1)?;
        if begun.elapsed() > limit {
            break;
        }
    }
    Ok(())
}

/// Moves a second of each player, who has `seconds` in all. They take turns in rounds, so that whatever else the machine does
/// meets all alike; `on_round` is called after each.
pub(super) fn rates<const N: usize>(
    players: &mut [&mut dyn Player; N],
    seconds: f64,
    on_round: &mut dyn FnMut(),
) -> Result<[f64; N], VecEnvError> {
    let mut rates = [[0.0; ROUNDS]; N];
    let turn = Duration::from_secs_f64(seconds / ROUNDS as f64);
    for round in 0..ROUNDS {
        for (player, rates) in players.iter_mut().zip(&mut rates) {
            rates[round] = rate(*player, turn)?;
        }
        on_round();
    }
    Ok(rates.map(median))
}

/// Moves a second over at least this long.
fn rate(player: &mut dyn Player, turn: Duration) -> Result<f64, VecEnvError> {
    let steps_a_look = (MOVES_A_LOOK / player.games()).max(1);
    let begun = Instant::now();
    let mut steps = 0;
    loop {
        player.play(steps_a_look)?;
        steps += steps_a_look;
        let elapsed = begun.elapsed();
        if elapsed >= turn {
            return Ok((steps * player.games()) as f64 / elapsed.as_secs_f64());
        }
    }
}

fn median(mut rates: [f64; ROUNDS]) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[ROUNDS / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sleeps a millisecond a step.
    struct Sleeper(usize);

    impl Player for Sleeper {
        fn play(&mut self, steps: usize) -> Result<(), VecEnvError> {
            self.0 += steps;
            std::thread::sleep(Duration::from_millis(steps as u64));
            Ok(())
        }

        fn games(&self) -> usize {
            1000
        }
    }

    #[test]
    fn players_take_turns_and_moves_are_counted_by_the_second() {
        let (mut one, mut other, mut rounds) = (Sleeper(0), Sleeper(0), 0);
        let mut players: [&mut dyn Player; 2] = [&mut one, &mut other];
        let rates = rates(&mut players, 0.05, &mut || rounds += 1).unwrap();
        assert_eq!(rounds, ROUNDS);
        // A sleep takes longer than asked, never less.
        assert!(rates.iter().all(|&rate| rate > 0.0 && rate <= 1e6), "{rates:?}");
        assert!(one.0 >= ROUNDS && other.0 >= ROUNDS);
    }

    #[test]
    fn the_median_is_the_middle_one() {
        assert_eq!(median([5.0, 1.0, 4.0, 2.0, 9.0]), 4.0);
    }

    #[test]
    fn warming_up_ends_in_time() {
        let mut slow = Sleeper(0);
        warm_up(&mut slow, Duration::from_millis(5)).unwrap();
        assert!((1..=6).contains(&slow.0), "{}", slow.0);
    }
}
