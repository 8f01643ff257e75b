//! What a net reads beyond the observation: rows of its table of counts, and what actions do.

use mancala_env::{ACTION_FEATURES, Action, ActionInfo, Foreteller, Game, Replies};

use super::NetConfig;

/// Features of the replies to an action.
pub const REPLY_FEATURES: usize = 6;

/// Features of an action that a net of these sizes reads.
pub fn action_features(net: NetConfig) -> usize {
    ACTION_FEATURES + if net.reply_features { REPLY_FEATURES } else { 0 }
}

/// Writes the features of an action of `state`: those of [`ActionInfo::features`], and, where `out` has room for them, six of
/// the replies, which are the legal actions of the position after it:
///
/// - if the same player moves again: the most that a reply captures, / seeds a pit at the start; whether one earns an extra move;
/// - if the other player moves: the most that a reply captures, and the mean, / seeds a pit at the start; whether one earns an
///   extra move;
/// - the number of replies / pits.
///
/// What does not apply is 0, and so are all six if the action ends the game, and in Kiothi's opening, where nothing is sown.
/// `units` are [`Game::seed_unit`] and [`Game::num_pits`].
pub fn describe<G: Game>(state: &G, info: &ActionInfo, units: (f32, usize), out: &mut [f32]) {
    let is_read = out.len() > ACTION_FEATURES && has_replies(info);
    let replies = if is_read { Replies::of(state, info.action) } else { Replies::default() };
    describe_with(info, &replies, units, out);
}

/// The same with the replies that a [`ReplyFinder`] has found.
pub fn describe_with(info: &ActionInfo, replies: &Replies, units: (f32, usize), out: &mut [f32]) {
    let (seed_unit, pits) = units;
    let (own, out) = out.split_at_mut(ACTION_FEATURES);
    own.copy_from_slice(&info.features(seed_unit, pits));
    if out.is_empty() {
        return;
    }
    out.fill(0.0);
    let most = f32::from(replies.most) / seed_unit;
    let mean = f32::from(replies.sum) / f32::from(replies.count.max(1)) / seed_unit;
    let earns_move = f32::from(u8::from(replies.earns_move));
    match replies.is_own {
        true => out[..2].copy_from_slice(&[most, earns_move]),
        false => out[2..5].copy_from_slice(&[most, mean, earns_move]),
    }
    out[5] = f32::from(replies.count) / pits as f32;
}

/// Whether the game goes on after an action that sows.
fn has_replies(info: &ActionInfo) -> bool {
    info.laps > 0 && !info.ends_game
}

/// Finds the replies to many actions at once, several times as fast as one after the other.
#[derive(Debug)]
pub struct ReplyFinder<G: Game> {
    foreteller: Foreteller<G>,
    moves: Vec<(G, Action)>,
    found: Vec<Replies>,
    /// What was found, and none for the other actions.
    replies: Vec<Replies>,
}

impl<G: Game> ReplyFinder<G> {
    /// For positions of these rules.
    pub fn new(rules: &G::Rules) -> Self {
        let foreteller = Foreteller::new(rules);
        Self { foreteller, moves: Vec::new(), found: Vec::new(), replies: Vec::new() }
    }

    /// What [`describe_with`] wants to know of each action, in their order; each comes with the state that it is legal in.
    pub fn find<'a>(&mut self, actions: impl Iterator<Item = (&'a G, &'a ActionInfo)> + Clone) -> &[Replies] {
        let with_replies = actions.clone().filter(|(_, info)| has_replies(info));
        self.moves.clear();
        self.moves.extend(with_replies.map(|(state, info)| (*state, info.action)));
        self.found.clear();
        self.foreteller.replies(&self.moves, &mut self.found);
        let mut found = self.found.iter();
        let mut of = |info| if has_replies(info) { found.next().copied() } else { None };
        self.replies.clear();
        self.replies.extend(actions.map(|(_, info)| of(info).unwrap_or_default()));
        &self.replies
    }
}

/// The row of a table of counts with so many levels for a pit that holds `count`.
pub fn count_row(pit: usize, count: u8, levels: usize) -> usize {
    pit * levels + usize::from(count).min(levels - 1)
}
