//! What a net reads beyond the observation: rows of its table of counts, and what actions do.

use mancala_env::{ACTION_FEATURES, Action, ActionInfo, Foreteller, Game, Replies};

use super::NetConfig;

/// Features of the replies to an action.
pub const REPLY_FEATURES: usize = 6;
/// Features of the captures that follow an action.
pub const CAPTURE_FEATURES: usize = 2;

/// Features of an action that a net of these sizes reads.
pub fn action_features(net: NetConfig) -> usize {
    let of_replies = if net.reply_features { REPLY_FEATURES } else { 0 };
    let of_captures = if net.capture_search { CAPTURE_FEATURES } else { 0 };
    ACTION_FEATURES + of_replies + of_captures
}

/// What can follow an action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Foreseen {
    /// The replies to it.
    pub replies: Replies,
    /// A reply is worth what it captures and the most that the action after it captures, less what the other player has of these.
    /// The worth of the best reply for who makes it, in seeds for the player who acted; 0 without a reply, and if nobody has looked.
    pub best: i16,
    /// The worth of all replies, summed, likewise.
    pub sum: i16,
}

impl Foreseen {
    /// Plays `action`, which must be legal, all replies to it, and with `is_deep` all replies to those, by the scalar rules.
    pub fn of<G: Game>(state: &G, action: Action, is_deep: bool) -> Self {
        let mut after = *state;
        after.play_unchecked(action);
        let mut foreseen = Self { replies: Replies::of(state, action), ..Self::default() };
        if is_deep {
            let replies = after.legal_actions();
            foreseen.judge(replies.iter().map(|&reply| Replies::of(&after, reply)));
        }
        foreseen
    }

    /// Takes in what is known of each reply.
    fn judge(&mut self, replies: impl Iterator<Item = Replies>) {
        let worth = |reply: Replies| {
            let answer = i16::from(reply.most);
            i16::from(reply.captured) + if reply.is_own { answer } else { -answer }
        };
        let (mut best, mut sum) = (None, 0);
        for worth in replies.map(worth) {
            best = best.max(Some(worth));
            sum += worth;
        }
        let sign = if self.replies.is_own { 1 } else { -1 };
        (self.best, self.sum) = (sign * best.unwrap_or(0), sign * sum);
    }
}

/// Writes the features of an action of `state`: those of [`ActionInfo::features`], and, for a net that reads them, six of
/// the replies, which are the legal actions of the position after it:
///
/// - if the same player moves again: the most that a reply captures, / seeds a pit at the start; whether one earns an extra move;
/// - if the other player moves: the most that a reply captures, and the mean, / seeds a pit at the start; whether one earns an
///   extra move;
/// - the number of replies / pits;
///
/// and two of the captures within three plies: [`Foreseen::best`], and the mean worth of the replies, / seeds a pit at the start.
///
/// What does not apply is 0, and so are all of them if the action ends the game, and in Kiothi's opening, where nothing is sown.
/// `units` are [`Game::seed_unit`] and [`Game::num_pits`].
pub fn describe<G: Game>(state: &G, info: &ActionInfo, net: NetConfig, units: (f32, usize), out: &mut [f32]) {
    let is_read = net.reply_features && has_replies(info);
    let foreseen =
        if is_read { Foreseen::of(state, info.action, net.capture_search) } else { Foreseen::default() };
    describe_with(info, &foreseen, net, units, out);
}

/// The same with what a [`ReplyFinder`] has found.
pub fn describe_with(
    info: &ActionInfo,
    foreseen: &Foreseen,
    net: NetConfig,
    units: (f32, usize),
    out: &mut [f32],
) {
    let (seed_unit, pits) = units;
    let (own, out) = out.split_at_mut(ACTION_FEATURES);
    own.copy_from_slice(&info.features(seed_unit, pits));
    if !net.reply_features {
        return;
    }
    let Foreseen { replies, best, sum } = foreseen;
    out.fill(0.0);
    let count = f32::from(replies.count.max(1));
    let most = f32::from(replies.most) / seed_unit;
    let mean = f32::from(replies.sum) / count / seed_unit;
    let earns_move = f32::from(u8::from(replies.earns_move));
    match replies.is_own {
        true => out[..2].copy_from_slice(&[most, earns_move]),
        false => out[2..5].copy_from_slice(&[most, mean, earns_move]),
    }
    out[5] = f32::from(replies.count) / pits as f32;
    if net.capture_search {
        out[6] = f32::from(*best) / seed_unit;
        out[7] = f32::from(*sum) / count / seed_unit;
    }
}

/// Whether the game goes on after an action that sows.
fn has_replies(info: &ActionInfo) -> bool {
    info.laps > 0 && !info.ends_game
}

/// Finds what can follow many actions at once, several times as fast as one after the other.
#[derive(Debug)]
pub struct ReplyFinder<G: Game> {
    foreteller: Foreteller<G>,
    is_deep: bool,
    moves: Vec<(G, Action)>,
    found: Vec<Replies>,
    /// The replies to all moves, and what was found of them.
    replies: Vec<(G, Action)>,
    answers: Vec<Replies>,
    /// What was found, and none for the other actions.
    foreseen: Vec<Foreseen>,
}

impl<G: Game> ReplyFinder<G> {
    /// For positions of these rules and a net of these sizes; `None` if it does not read of replies.
    pub fn new(rules: &G::Rules, net: NetConfig) -> Option<Self> {
        net.reply_features.then(|| Self {
            foreteller: Foreteller::new(rules),
            is_deep: net.capture_search,
            moves: Vec::new(),
            found: Vec::new(),
            replies: Vec::new(),
            answers: Vec::new(),
            foreseen: Vec::new(),
        })
    }

    /// What [`describe_with`] wants to know of each action, in their order; each comes with the state that it is legal in, and the
    /// board after it.
    pub fn find<'a>(
        &mut self,
        actions: impl Iterator<Item = (&'a G, &'a ActionInfo, &'a G)> + Clone,
    ) -> &[Foreseen] {
        let with_replies = actions.clone().filter(|(_, info, _)| has_replies(info));
        self.moves.clear();
        self.moves.extend(with_replies.clone().map(|(state, info, _)| (*state, info.action)));
        self.found.clear();
        self.foreteller.replies(&self.moves, &mut self.found);
        self.replies.clear();
        self.answers.clear();
        if self.is_deep {
            for (_, _, after) in with_replies {
                self.replies.extend(after.legal_actions().iter().map(|&reply| (*after, reply)));
            }
            self.foreteller.replies(&self.replies, &mut self.answers);
        }
        let (mut found, mut answers) = (self.found.iter(), self.answers.iter());
        self.foreseen.clear();
        self.foreseen.extend(actions.map(|(_, info, _)| {
            let mut foreseen = Foreseen::default();
            if has_replies(info) {
                foreseen.replies = *found.next().expect("replies were found to each");
                if self.is_deep {
                    foreseen.judge(answers.by_ref().take(foreseen.replies.count.into()).copied());
                }
            }
            foreseen
        }));
        &self.foreseen
    }
}

/// The board after each of some actions of `state`, which must be legal.
pub fn afterstates<G: Game>(state: &G, actions: &[ActionInfo]) -> Vec<G> {
    let after = |info: &ActionInfo| {
        let mut after = *state;
        after.play_unchecked(info.action);
        after
    };
    actions.iter().map(after).collect()
}

/// Calls `add` with the rows of the table of counts for the board after an action of `state`, unless the action ends the game.
/// `raw` is as long as an observation.
pub fn for_afterstate_rows<G: Game>(
    rules: &G::Rules,
    state: &G,
    info: &ActionInfo,
    after: &G,
    levels: usize,
    raw: &mut [u8],
    mut add: impl FnMut(usize),
) {
    if info.ends_game {
        return;
    }
    after.observe_raw(rules, raw);
    let pits = G::num_pits(rules);
    let side = if after.to_move() == state.to_move() { 0 } else { pits * levels };
    for (pit, &count) in raw[..pits].iter().enumerate() {
        add(side + count_row(pit, count, levels));
    }
}

/// The row of a table of counts with so many levels for a pit that holds `count`.
pub fn count_row(pit: usize, count: u8, levels: usize) -> usize {
    pit * levels + usize::from(count).min(levels - 1)
}
