//! One of the games in lockstep.

use mancala_env::{Action, Game, Position, Stream, random_opening_actions, stream};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::fork::fork;
use super::{GameRecord, MoveRecord, SearchKind, SelfPlayConfig};
use crate::mcts::{Gathered, Outcome, Tree, dirichlet, gumbel};

/// How the present position is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Searching {
    /// It is not.
    No,
    /// With few simulations, for the move alone.
    Fast,
    /// In full, for the move and the policy.
    Full,
}

/// A place among the games in lockstep, which plays one game after another.
pub(super) struct Lane<G: Game> {
    position: Position<G>,
    pub(super) tree: Tree<G>,
    searching: Searching,
    rng: ChaCha8Rng,
    record: GameRecord,
    /// Moves searched, in all games.
    pub(super) searched: u64,
    /// Simulations of them.
    pub(super) simulations: u64,
    /// Games that began as forks.
    pub(super) forks: u64,
}

impl<G: Game> Lane<G> {
    pub(super) fn new(rules: &G::Rules, config: &SelfPlayConfig, seed: u64, index: u64) -> Self {
        let mut lane = Self {
            position: Position::initial(*rules),
            tree: Tree::new(*rules, config.settings()),
            searching: Searching::No,
            rng: stream(Stream::SelfPlay, seed, index, 0),
            record: GameRecord::new(index),
            searched: 0,
            simulations: 0,
            forks: 0,
        };
        lane.begin_game(config, seed, index, &[]);
        lane
    }

    /// Begins a game; as a fork of one of those that have `ended`, if that is drawn.
    pub(super) fn begin_game(
        &mut self,
        config: &SelfPlayConfig,
        seed: u64,
        index: u64,
        ended: &[GameRecord],
    ) {
        let start = Position::initial(*self.position.rules());
        self.rng = stream(Stream::SelfPlay, seed, index, 0);
        self.searching = Searching::No;
        self.record = GameRecord::new(index);
        // What is off draws no random numbers: games without forks are those of a program that knows none.
        if config.fork_share > 0.0
            && self.rng.random_bool(config.fork_share)
            && let Some(forked) = fork(&start, ended, config.max_plies, &mut self.rng)
        {
            (self.position, self.record.opening) = forked;
            self.forks += 1;
            return;
        }
        let plies = self.rng.random_range(0..=config.opening_plies);
        self.position = start.clone();
        // On the smallest boards all openings of some length may end the game: then the game begins at the start.
        if let Some((position, opening)) = random_opening_actions(&start, plies, &mut self.rng) {
            (self.position, self.record.opening) = (position, opening);
        }
    }

    /// Plays on until a leaf waits to be judged (`true`) or the game has ended (`false`).
    pub(super) fn advance(&mut self, config: &SelfPlayConfig) -> bool {
        loop {
            if self.searching != Searching::No {
                match self.tree.gather() {
                    Gathered::Leaf => return true,
                    Gathered::Done => self.play_searched(config),
                    Gathered::Pause => {}
                }
            } else if self.position.is_over() || self.position.plies() >= config.max_plies {
                return false;
            } else if let [action] = self.position.legal_actions()[..] {
                self.play(action, MoveRecord::forced(action));
            } else {
                self.begin_search(config);
            }
        }
    }

    /// Begins a search of the present position. All noise is drawn anew for every move.
    fn begin_search(&mut self, config: &SelfPlayConfig) {
        let actions = self.position.legal_actions().len();
        let is_full = config.full_share >= 1.0 || self.rng.random_bool(config.full_share.into());
        self.searching = if is_full { Searching::Full } else { Searching::Fast };
        self.tree.set_simulations(if is_full { config.simulations } else { config.fast_simulations });
        if !is_full {
            self.tree.begin(&self.position, &[]);
            return;
        }
        match config.selection {
            SearchKind::Gumbel => {
                let noise: Vec<f32> = (0..actions).map(|_| gumbel(&mut self.rng)).collect();
                self.tree.begin(&self.position, &noise);
            }
            SearchKind::Puct => {
                self.tree.begin(&self.position, &[]);
                if config.noise_part > 0.0 {
                    let alpha = config.noise_alpha / actions as f64;
                    self.tree.mix_priors(&dirichlet(alpha, actions, &mut self.rng), config.noise_part);
                }
            }
        }
    }

    /// Plays the move that the search has found.
    fn play_searched(&mut self, config: &SelfPlayConfig) {
        let outcome = self.tree.outcome();
        self.searched += 1;
        self.simulations += u64::from(self.tree.simulations());
        let action = match self.record.moves.len() < config.sampled_plies as usize {
            true => self.sample(&outcome, config.temperature),
            false => outcome.action,
        };
        let record = MoveRecord::searched(action, &outcome, self.searching == Searching::Full);
        self.searching = Searching::No;
        self.play(action, record);
    }

    /// Draws an action with a probability in proportion to policy^(1 / temperature).
    fn sample(&mut self, outcome: &Outcome, temperature: f32) -> Action {
        // Shares of the greatest, which no temperature can make vanish.
        let most = outcome.policy.iter().copied().fold(0.0, f32::max);
        let weights: Vec<f32> =
            outcome.policy.iter().map(|share| (share / most).powf(1.0 / temperature)).collect();
        let mut rest = self.rng.random::<f32>() * weights.iter().sum::<f32>();
        for (&action, weight) in outcome.actions.iter().zip(weights) {
            if rest < weight {
                return action;
            }
            rest -= weight;
        }
        // Rounding has left a crumb.
        outcome.action
    }

    fn play(&mut self, action: Action, record: MoveRecord) {
        self.position.play_unchecked(action);
        self.record.moves.push(record);
    }

    pub(super) fn take_record(&mut self) -> GameRecord {
        let mut record = std::mem::replace(&mut self.record, GameRecord::new(0));
        record.end = self.position.end();
        record.returns = self.position.returns();
        record.scores = self.position.scores();
        record
    }
}
