//! Positions drawn at random, as play might reach them.

use mancala_env::{Game, Giuthi, GiuthiRules, Player, Position};
use rand::{Rng, RngExt};

use super::Tablebase;
use super::error::TablebaseError;

/// Draws positions that a tablebase knows, in games by some rules.
pub(super) struct Draw<'a> {
    tablebase: &'a Tablebase,
    rules: GiuthiRules,
    /// Seeds of the start position.
    total: u32,
}

impl<'a> Draw<'a> {
    /// # Errors
    /// If the tablebase is of another board or option.
    pub(super) fn new(tablebase: &'a Tablebase, rules: &GiuthiRules) -> Result<Self, TablebaseError> {
        tablebase.check_game::<Giuthi>(rules)?;
        Ok(Self { tablebase, rules: *rules, total: Giuthi::total_seeds(rules).into() })
    }

    /// A position with a fresh history: a number of seeds that play can leave, each equally likely, then each board with as many,
    /// then each lead that the captured seeds allow; either player to move. `None` if nobody can move there, or only the player
    /// whose turn it is not.
    pub(super) fn position(&self, rng: &mut impl Rng) -> Option<Position<Giuthi>> {
        let most = self.tablebase.max_seeds().min(self.total);
        if most < 2 {
            return None;
        }
        let seeds = rng.random_range(2..=most);
        let captured = (self.total - seeds) as i16;
        // The leads have the parity of what was captured.
        let lead = captured - 2 * rng.random_range(0..=captured);
        self.with(seeds, lead, rng)
    }

    fn with(&self, seeds: u32, lead: i16, rng: &mut impl Rng) -> Option<Position<Giuthi>> {
        let index = &self.tablebase.index;
        let (mut cells, row) = ([0; 20], usize::from(self.rules.pits()));
        index.write_board(seeds as usize, rng.random_range(0..index.boards(seeds as usize)), &mut cells);
        let cells = &mut cells[..2 * row];
        if rng.random() {
            cells.reverse();
            cells.rotate_left(row);
        }
        let mover = if rng.random() { Player::Zero } else { Player::One };
        if mover == Player::Zero {
            // Player 1's row comes first.
            cells.rotate_left(row);
        }
        let state = Giuthi::from_pits(&self.rules, cells, self.scores(seeds, lead, mover)?, mover)?;
        (!state.is_over() && state.to_move() == mover).then(|| Position::from_state(self.rules, state))
    }

    /// The same board and player to move with another lead of his; `None` if play cannot give it.
    pub(super) fn with_lead(&self, position: &Position<Giuthi>, lead: i16) -> Option<Position<Giuthi>> {
        let (state, mover) = (position.state(), position.to_move());
        let scores = self.scores(state.seeds_in_play().into(), lead, mover)?;
        let state = Giuthi::from_pits(&self.rules, state.pits(), scores, mover)?;
        Some(Position::from_state(self.rules, state))
    }

    /// The scores with this lead of the player to move, every seed that is not in play being in one of them.
    fn scores(&self, seeds: u32, lead: i16, mover: Player) -> Option<[u8; 2]> {
        let captured = (self.total - seeds) as i16;
        if lead.abs() > captured || (captured - lead) % 2 != 0 {
            return None;
        }
        let mut scores = [((captured - lead) / 2) as u8; 2];
        scores[mover.index()] = ((captured + lead) / 2) as u8;
        Some(scores)
    }
}

#[cfg(test)]
mod tests {
    use mancala_env::{Stream, stream};

    use super::*;
    use crate::tablebase::{BuildSettings, build, lead};

    fn lead_of(position: &Position<Giuthi>) -> i16 {
        lead(position.state(), position.to_move())
    }

    #[test]
    fn positions_are_such_as_play_can_leave() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.tb");
        let rules = GiuthiRules::new(3, 3).unwrap();
        build(&path, &rules, 10, &BuildSettings::default(), &()).unwrap();
        let tablebase = Tablebase::open(&path).unwrap();
        let draw = Draw::new(&tablebase, &rules).unwrap();
        let mut rng = stream(Stream::Tablebase, 0, 0, 0);
        let (mut leads, mut movers) = ([0; 37], [0u32; 2]);
        for position in (0..20_000).filter_map(|_| draw.position(&mut rng)) {
            let state = position.state();
            assert!(tablebase.covers(state));
            let all = state.scores().map(u32::from).iter().sum::<u32>() + u32::from(state.seeds_in_play());
            assert_eq!(all, 18);
            leads[(lead_of(&position) + 18) as usize] += 1;
            movers[position.to_move().index()] += 1;
            let other = draw.with_lead(&position, -lead_of(&position)).unwrap();
            assert_eq!(lead_of(&other), -lead_of(&position));
            assert_eq!(other.state().pits(), state.pits());
            assert!(draw.with_lead(&position, lead_of(&position) + 1).is_none());
        }
        assert!(leads[5..32].iter().all(|&count| count > 50), "{leads:?}");
        let [zero, one] = movers;
        assert!(f64::from(zero.abs_diff(one)) < 4.0 * f64::from(zero + one).sqrt(), "{movers:?}");
    }
}
