//! In which order to try the actions of a position: a good one first makes the rest short.

use mancala_env::{Action, Player};

use super::values::INFINITY;

/// How often an action has refuted a position, by player and action number; weighted by the depth below.
#[derive(Debug, Default)]
pub(super) struct Refutations {
    counts: [Vec<u32>; 2],
}

impl Refutations {
    /// Forgets everything; `num_actions` is the size of the action space.
    pub(super) fn clear(&mut self, num_actions: usize) {
        for counts in &mut self.counts {
            counts.clear();
            counts.resize(num_actions, 0);
        }
    }

    /// `player`'s `action` has refuted a position searched `depth` plies deep.
    #[inline]
    pub(super) fn reward(&mut self, player: Player, action: Action, depth: u32) {
        let count = &mut self.counts[player.index()][usize::from(action)];
        *count = count.saturating_add(depth * depth);
    }

    #[inline]
    fn count(&self, player: Player, action: Action) -> u32 {
        self.counts[player.index()][usize::from(action)]
    }

    /// The rank of an action, higher is earlier: the table's action, then by its value as far as one sees at once, then by past
    /// refutations.
    #[inline]
    pub(super) fn rank(
        &self,
        player: Player,
        action: Action,
        table_action: Option<Action>,
        value: i32,
    ) -> u64 {
        u64::from(table_action == Some(action)) << 63
            | ((value + 2 * INFINITY) as u64) << 32
            | u64::from(self.count(player, action))
    }
}
