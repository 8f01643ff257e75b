//! `mcts`: tree search with an evaluator written in Python.

mod batch;
mod evaluator;
mod options;
mod result;

use mancala_env::{Game, Position, Stream, for_game, stream};
use mancala_search::mcts::{Tree, dirichlet, gumbel, search};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

pub(crate) use self::batch::LeafBatch;
use self::evaluator::PythonEvaluator;
use self::options::{Noise, Options};
pub(crate) use self::result::SearchResult;
use crate::states::{KnownGame, read_states};

/// Searches `states`, positions of one game, all at once with an evaluator written in Python.
///
/// A tree grows over each state. Simulation after simulation every tree names one leaf, and `evaluate` judges all of these in one
/// call: it gets a `LeafBatch` of N leaves, at most as many as there are states, and returns numpy arrays of floats, float32 without
/// a copy: `(policy_logits, values)` or `(policy_logits, values, draws)`. `policy_logits` is (N, A), only differences within a row
/// count, and what stands at illegal actions is ignored. `values` is (N,): the expected outcome for the player to move in the leaf,
/// 1 a win and -1 a loss; a draw counts as 0. `draws` is (N,): the probability of a draw, of use with `contempt` alone. Ends of games
/// are not asked about: the search knows what they are worth.
///
/// `sims` simulations are run for each state, beside the evaluation of the state itself; with 0 the policy is the evaluator's own.
/// Options that are left out have the values told here.
///
/// Keyword Args:
///     selection: "gumbel", sequential halving at the root and the improved policy below (Danihelka et al. 2022), or "puct" (AlphaZero).
///     considered: Root actions that the halving starts with, 16 (gumbel).
///     exploration: Weight of the prior's term, 1.25 (puct).
///     sigma_scale: How much values weigh against logits in the improved policy, 0.25 (gumbel).
///     contempt: A draw is worth this much less than 0 to the player to move in the state, 0 to 1, 0.
///     seed: None searches to play its best. A seed explores: with Gumbel noise, or by Dirichlet noise in the root's priors (puct).
///         State i has a stream of its own, (seed, i); give every move another seed.
///     noise_alpha: Of the Dirichlet distribution, 10 / legal actions (puct).
///     noise_part: Its part in the priors, 0.25 (puct).
///     action_features: "dense" or "ragged": what `LeafBatch.action_features` holds.
///
/// A state's result depends on the state with its history, its index if there is a seed, the options and the evaluator, not on
/// the other states. `evaluate` is called in the caller's thread and may itself call `mcts`; what it raises goes on to the caller, and
/// Ctrl-C interrupts between batches. TypeError and ValueError, naming argument, index or row, for whatever does not fit: no states,
/// states of different games, finished ones, options of the other selection, arrays of another shape or dtype, legal actions'
/// logits that are not finite, values that are not from -1 to 1.
#[pyfunction]
#[pyo3(signature = (
    states, evaluate, sims=None, *, selection=None, considered=None, exploration=None, sigma_scale=None, contempt=None,
    seed=None, noise_alpha=None, noise_part=None, action_features=None
), text_signature = "(states, evaluate, sims=64, *, selection='gumbel', considered=None, exploration=None, sigma_scale=None, \
    contempt=None, seed=None, noise_alpha=None, noise_part=None, action_features=None)")]
#[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
pub(crate) fn mcts(
    states: &Bound<'_, PyAny>,
    evaluate: &Bound<'_, PyAny>,
    sims: Option<&Bound<'_, PyAny>>,
    selection: Option<&Bound<'_, PyAny>>,
    considered: Option<&Bound<'_, PyAny>>,
    exploration: Option<&Bound<'_, PyAny>>,
    sigma_scale: Option<&Bound<'_, PyAny>>,
    contempt: Option<&Bound<'_, PyAny>>,
    seed: Option<&Bound<'_, PyAny>>,
    noise_alpha: Option<&Bound<'_, PyAny>>,
    noise_part: Option<&Bound<'_, PyAny>>,
    action_features: Option<&Bound<'_, PyAny>>,
) -> PyResult<SearchResult> {
    let options = options::Given {
        sims,
        selection,
        considered,
        exploration,
        sigma_scale,
        contempt,
        seed,
        noise_alpha,
        noise_part,
        action_features,
    };
    let options = options.read()?;
    if !evaluate.is_callable() {
        let kind = evaluate.get_type().name()?;
        return Err(PyTypeError::new_err(format!("evaluate is a function of a LeafBatch, not {kind}")));
    }
    let positions = read_states(states, "one search is of one game", "there is nothing to search")?;
    for_game!(positions[0].spec(), |rules: G| search_all::<G>(
        &rules,
        G::those_of(positions),
        evaluate,
        &options
    ))
}

fn search_all<G: Game>(
    rules: &G::Rules,
    positions: Vec<Position<G>>,
    evaluate: &Bound<'_, PyAny>,
    options: &Options,
) -> PyResult<SearchResult> {
    let py = evaluate.py();
    let mut evaluator = PythonEvaluator::<G>::new(rules, evaluate, options.action_features);
    let mut trees = Vec::with_capacity(positions.len());
    let searched = py.detach(|| {
        trees.extend(positions.iter().enumerate().map(|(index, position)| {
            let mut tree = Tree::new(*rules, options.settings);
            begin(&mut tree, position, index as u64, options.noise);
            tree
        }));
        search(&mut trees, &mut evaluator, || true)
    });
    if let Some(error) = evaluator.raised.take() {
        return Err(error);
    }
    searched.map_err(PyValueError::new_err)?;
    SearchResult::new::<G>(py, rules, &mut trees, evaluator.asked)
}

/// Begins a search of the state with this index.
fn begin<G: Game>(tree: &mut Tree<G>, position: &Position<G>, index: u64, noise: Noise) {
    let actions = position.legal_actions().len();
    match noise {
        Noise::None => tree.begin(position, &[]),
        Noise::Gumbel { seed } => {
            let mut rng = stream(Stream::Search, seed, index, 0);
            let noise: Vec<f32> = (0..actions).map(|_| gumbel(&mut rng)).collect();
            tree.begin(position, &noise);
        }
        Noise::Dirichlet { seed, alpha, part } => {
            let mut rng = stream(Stream::Search, seed, index, 0);
            tree.begin(position, &[]);
            tree.mix_priors(&dirichlet(alpha.unwrap_or(10.0 / actions as f64), actions, &mut rng), part);
        }
    }
}
