//! How tree search asks for values and priors: many leaves at a time.

use mancala_env::{ActionInfo, Game, Player, Position, Stream, random_action, stream};

/// A leaf of a search tree: a position that goes on, with what each legal action does.
#[derive(Clone, Copy, Debug)]
pub struct Leaf<'a, G: Game> {
    /// Board size and options.
    pub rules: &'a G::Rules,
    /// The board.
    pub state: &'a G,
    /// Fingerprints of the positions since the last capture, this one last.
    pub history: &'a [u128],
    /// The legal actions, ascending, never empty.
    pub actions: &'a [ActionInfo],
    /// The board after each of them.
    pub afterstates: &'a [G],
}

impl<G: Game> Leaf<'_, G> {
    /// The leaf as a position of its own.
    pub fn position(&self) -> Position<G> {
        Position::with_history(*self.rules, *self.state, self.history)
    }
}

/// What an evaluator says of a batch of leaves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluations {
    /// Expected outcome of each leaf in the view of its player to move, shape `(leaves,)`, range -1..=1.
    pub values: Vec<f32>,
    /// Probability of a draw of each leaf, shape `(leaves,)`, range 0..=1; empty where the evaluator knows none.
    pub draws: Vec<f32>,
    /// Logits of each leaf's legal actions, in their order, leaf after leaf, shape `(sum of legal actions,)`. Only
    /// differences within a leaf count.
    pub logits: Vec<f32>,
}

/// Judges leaves. The answer for a leaf does not depend on the others in the batch, but for the last bits of floats.
pub trait Evaluator<G: Game>: Send {
    /// Begins a game: whatever is random from here on comes from `seed`.
    fn new_game(&mut self, _seed: u64) {}

    /// Judges a batch; `out` is overwritten.
    ///
    /// # Errors
    /// Whatever keeps the evaluator from answering, in words.
    fn evaluate(&mut self, leaves: &[Leaf<'_, G>], out: &mut Evaluations) -> Result<(), String>;
}

/// Knows nothing: value 0, priors as [`Game::random_weight`] has them. For tests and for search alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct UniformEvaluator;

fn push_prior_logits<G: Game>(leaf: &Leaf<'_, G>, logits: &mut Vec<f32>) {
    logits.extend(leaf.actions.iter().map(|info| (leaf.state.random_weight(info.action) as f32).ln()));
}

impl<G: Game> Evaluator<G> for UniformEvaluator {
    fn evaluate(&mut self, leaves: &[Leaf<'_, G>], out: &mut Evaluations) -> Result<(), String> {
        out.values.clear();
        out.draws.clear();
        out.values.resize(leaves.len(), 0.0);
        out.logits.clear();
        leaves.iter().for_each(|leaf| push_prior_logits(leaf, &mut out.logits));
        Ok(())
    }
}

/// Plays one random game to the end from each leaf; priors as [`Game::random_weight`] has them. The game played depends on
/// the seed and the leaf (with its history) alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct RolloutEvaluator {
    seed: u64,
}

impl RolloutEvaluator {
    /// With seed 0 until a game begins.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<G: Game> Evaluator<G> for RolloutEvaluator {
    fn new_game(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn evaluate(&mut self, leaves: &[Leaf<'_, G>], out: &mut Evaluations) -> Result<(), String> {
        out.values.clear();
        out.draws.clear();
        out.logits.clear();
        for leaf in leaves {
            let hash =
                leaf.history.iter().fold(leaf.state.fingerprint(), |hash, &one| hash.rotate_left(1) ^ one);
            let mut rng = stream(Stream::Agent, self.seed, hash as u64, (hash >> 64) as u64);
            let mut position = leaf.position();
            while let Some(action) =
                (!position.is_over()).then(|| random_action(position.state(), &mut rng)).flatten()
            {
                position.play_unchecked(action);
            }
            let winner = position.winner();
            out.values.push(
                winner.map_or(0.0, |winner: Player| if winner == leaf.state.to_move() { 1.0 } else { -1.0 }),
            );
            push_prior_logits(leaf, &mut out.logits);
        }
        Ok(())
    }
}
