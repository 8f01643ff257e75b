//! How tree search asks for values and priors: many leaves at a time.

use mancala_env::{ActionInfo, Game, Position};

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
    /// Logits of each leaf's legal actions, in their order, leaf after leaf, shape `(sum of legal actions,)`. Only
    /// differences within a leaf count.
    pub logits: Vec<f32>,
}

/// Judges leaves. The answer for a leaf does not depend on the others in the batch, but for the last bits of floats.
pub trait Evaluator<G: Game>: Send {
    /// Judges a batch; `out` is overwritten.
    ///
    /// # Errors
    /// Whatever keeps the evaluator from answering, in words.
    fn evaluate(&mut self, leaves: &[Leaf<'_, G>], out: &mut Evaluations) -> Result<(), String>;
}
