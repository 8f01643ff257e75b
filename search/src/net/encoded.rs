//! What a net reads of positions, in flat arrays, for whoever runs it elsewhere than [`Net`](super::Net) does.

use mancala_env::{ActionInfo, Game};

use super::{
    Foreseen, NetConfig, ReplyFinder, action_features, afterstates, count_row, describe, describe_with,
    for_afterstate_rows,
};

/// B positions as a net of some sizes reads them; K legal actions in all, D observation cells, F action features.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Encoded {
    /// Observations, `(B, D)`.
    pub observations: Vec<f32>,
    /// Rows of the table of counts, `(B, pits)`; empty for a net without one.
    pub counts: Vec<i64>,
    /// Numbers of the legal actions, position after position, `(K,)`.
    pub actions: Vec<i64>,
    /// Which position each action belongs to, `(K,)`, ascending.
    pub rows: Vec<i64>,
    /// Features of the actions, `(K, F)`.
    pub features: Vec<f32>,
    /// Rows of the table of counts after actions, action after action; none for an action that ends the game, or for a net without it.
    pub after_counts: Vec<i64>,
    /// Where those of each action begin, `(K,)`; empty for a net without it.
    pub after_offsets: Vec<i64>,
    positions: i64,
    raw: Vec<u8>,
}

impl Encoded {
    /// Positions with their legal actions; what can follow these is found in lockstep.
    pub fn of<G: Game>(rules: &G::Rules, net: NetConfig, positions: &[(&G, &[ActionInfo])]) -> Self {
        let mut finder = ReplyFinder::new(rules, net);
        let foreseen = finder.as_mut().map_or(&[][..], |finder| {
            let after: Vec<G> =
                positions.iter().flat_map(|(state, actions)| afterstates(*state, actions)).collect();
            let actions =
                positions.iter().flat_map(|&(state, actions)| actions.iter().map(move |info| (state, info)));
            finder.find(actions.zip(&after).map(|((state, info), after)| (state, info, after)))
        });
        let mut encoded = Self::default();
        let mut rest = foreseen;
        for (state, actions) in positions {
            let (foreseen, others) = rest.split_at(actions.len().min(rest.len()));
            encoded.push(rules, net, *state, actions, foreseen);
            rest = others;
        }
        encoded
    }

    /// Adds a position whose legal actions these are, with what can follow each; `foreseen` is empty if nobody has looked.
    pub fn push<G: Game>(
        &mut self,
        rules: &G::Rules,
        net: NetConfig,
        state: &G,
        actions: &[ActionInfo],
        foreseen: &[Foreseen],
    ) {
        let (cells, pits) = (G::observation_len(rules), G::num_pits(rules));
        let (units, levels) = ((G::seed_unit(rules), pits), net.count_levels);
        state.observe(rules, grown(&mut self.observations, cells));
        self.raw.resize(cells, 0);
        if levels > 0 {
            state.observe_raw(rules, &mut self.raw);
            let rows = self.raw[..pits].iter().enumerate().map(|(pit, &count)| count_row(pit, count, levels));
            self.counts.extend(rows.map(|row| row as i64));
        }
        if net.afterstates {
            for (info, after) in actions.iter().zip(afterstates(state, actions)) {
                self.after_offsets.push(self.after_counts.len() as i64);
                let add = |row| self.after_counts.push(row as i64);
                for_afterstate_rows(rules, state, info, &after, levels, &mut self.raw, add);
            }
        }
        for (i, info) in actions.iter().enumerate() {
            self.actions.push(info.action.into());
            self.rows.push(self.positions);
            let out = grown(&mut self.features, action_features(net));
            match foreseen.get(i) {
                Some(foreseen) => describe_with(info, foreseen, net, units, out),
                None => describe(state, info, net, units, out),
            }
        }
        self.positions += 1;
    }
}

/// So many new cells of 0 at the end.
fn grown(cells: &mut Vec<f32>, more: usize) -> &mut [f32] {
    let from = cells.len();
    cells.resize(from + more, 0.0);
    &mut cells[from..]
}
