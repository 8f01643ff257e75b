//! The replay buffer: a window of the newest positions in memory, and the games they come from on disk.

mod batch;
mod mirror;
mod shards;

use std::collections::VecDeque;

use mancala_env::Game;
use mancala_search::net::{NetConfig, ReplyFinder, afterstates};
use mancala_search::self_play::Sample;
use rand::{Rng, RngExt};

pub use batch::{Batch, encode};
pub use mancala_search::self_play::{Shard, ShardHeader};
pub use mirror::mirrored;
pub use shards::{ShardError, Shards};

/// The newest positions, in the order in which they were played.
#[derive(Debug)]
pub struct Replay<G: Game> {
    rules: G::Rules,
    samples: VecDeque<Sample<G>>,
    window: usize,
    mirror: bool,
    /// Finds the replies in positions that enter, where the net reads of them: once, however often a position is drawn.
    finder: Option<ReplyFinder<G>>,
}

/// Which position of the window to learn from, and whether mirrored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    index: u32,
    mirrored: bool,
}

impl<G: Game> Replay<G> {
    /// An empty buffer that keeps `window` positions. With `mirror` half of the draws are mirrored, if the game has a mirror
    /// symmetry.
    pub fn new(rules: G::Rules, window: usize, mirror: bool) -> Self {
        Self { rules, samples: VecDeque::new(), window, mirror: mirror && G::HAS_MIRROR, finder: None }
    }

    /// Has what a net of these sizes reads at hand, instead of finding it out in every [`batch`](Self::batch).
    pub fn prepared_for(mut self, net: NetConfig) -> Self {
        self.finder = ReplyFinder::new(&self.rules, net);
        self
    }

    /// Board size and options.
    pub fn rules(&self) -> &G::Rules {
        &self.rules
    }

    /// The positions in the window.
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// Changes how many positions are kept, of those that are added from here on.
    pub fn set_window(&mut self, window: usize) {
        self.window = window;
    }

    /// How many positions are kept at most.
    pub fn window(&self) -> usize {
        self.window
    }

    /// Adds positions; the oldest leave.
    pub fn extend(&mut self, samples: impl IntoIterator<Item = Sample<G>>) {
        let from = self.samples.len();
        self.samples.extend(samples);
        if let Some(finder) = &mut self.finder {
            let entered = self.samples.range(from..);
            let after: Vec<G> =
                entered.clone().flat_map(|sample| afterstates(&sample.state, &sample.actions)).collect();
            let actions = entered.flat_map(|sample| sample.actions.iter().map(|info| (&sample.state, info)));
            let actions = actions.zip(&after).map(|((state, info), after)| (state, info, after));
            let mut foreseen = finder.find(actions).iter();
            for sample in self.samples.range_mut(from..) {
                sample.foreseen = foreseen.by_ref().take(sample.actions.len()).copied().collect();
            }
        }
        let surplus = self.samples.len().saturating_sub(self.window);
        self.samples.drain(..surplus);
    }

    /// Draws `count` positions uniformly, with repeats.
    ///
    /// # Panics
    /// If the window is empty.
    pub fn draw(&self, count: usize, rng: &mut impl Rng) -> Vec<Draw> {
        assert!(!self.is_empty(), "positions to draw from");
        let len = self.samples.len() as u64;
        let draw = |_| {
            // The upper half chooses by multiplying and shifting, the lowest bit mirrors.
            let random: u64 = rng.random();
            let index = ((random >> 32) * len) >> 32;
            Draw { index: index as u32, mirrored: self.mirror && random & 1 == 1 }
        };
        (0..count).map(draw).collect()
    }

    /// The drawn positions as tensors, for a net of these sizes.
    pub fn batch(&self, net: NetConfig, draws: &[Draw]) -> Batch {
        let samples = draws.iter().map(|draw| (&self.samples[draw.index as usize], draw.mirrored));
        encode(&self.rules, net, samples)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use mancala_env::{
        ActionInfo, Giuthi, GiuthiRules, Kiothi, KiothiRules, Position, Stream, random_action, stream,
    };

    /// Positions of random games, with made-up policies and values.
    pub(crate) fn random_samples<G: Game>(rules: G::Rules, count: usize, seed: u64) -> Vec<Sample<G>> {
        let mut samples = Vec::new();
        let mut rng = stream(Stream::Agent, seed, 0, 0);
        while samples.len() < count {
            let mut position = Position::<G>::initial(rules);
            while !position.is_over() && samples.len() < count {
                let actions: Vec<ActionInfo> = position
                    .legal_actions()
                    .iter()
                    .map(|&action| ActionInfo::of(&position, action).0)
                    .collect();
                let parts: Vec<f32> = actions.iter().map(|_| 0.01 + rng.random::<f32>()).collect();
                let total: f32 = parts.iter().sum();
                let forced = actions.len() == 1;
                samples.push(Sample {
                    state: *position.state(),
                    policy: if forced { Vec::new() } else { parts.iter().map(|part| part / total).collect() },
                    outcome: [-1.0, 0.0, 1.0][rng.random_range(0..3)],
                    margin: 2.0 * rng.random::<f32>() - 1.0,
                    foreseen: Vec::new(),
                    value: (!forced).then(|| 2.0 * rng.random::<f32>() - 1.0),
                    actions,
                });
                let action = random_action(position.state(), &mut rng).unwrap();
                position.play_unchecked(action);
            }
        }
        samples
    }

    #[test]
    fn the_oldest_positions_leave() {
        let rules = GiuthiRules::new(3, 2).unwrap();
        let samples = random_samples::<Giuthi>(rules, 30, 1);
        let mut replay = Replay::new(rules, 20, true);
        replay.extend(samples[..15].to_vec());
        assert_eq!(replay.len(), 15);
        replay.extend(samples[15..].to_vec());
        assert!(replay.samples.iter().eq(&samples[10..]));
    }

    #[test]
    fn batches_do_not_depend_on_when_replies_are_found() {
        fn compare<G: Game>(rules: G::Rules) {
            let net =
                NetConfig { reply_features: true, capture_search: true, ..NetConfig::plain(8, 1, 8, 8) };
            let samples = random_samples::<G>(rules, 150, 1);
            let [late, early] = [false, true].map(|is_early| {
                let replay = Replay::new(rules, 120, true);
                let mut replay = if is_early { replay.prepared_for(net) } else { replay };
                // More than one game at a time, and more than there is room for.
                replay.extend(samples[..70].to_vec());
                replay.extend(samples[70..].to_vec());
                assert!(replay.samples.iter().all(|sample| sample.foreseen.is_empty() != is_early));
                let draws = replay.draw(300, &mut stream(Stream::Learner, 1, 0, 0));
                replay.batch(net, &draws).input.features
            });
            assert_eq!(late.size()[1], 16);
            assert!(late.equal(&early), "{}", G::id(&rules));
        }
        compare::<Giuthi>(GiuthiRules::new(5, 4).unwrap());
        compare::<Kiothi>(KiothiRules::new(3, 2).unwrap());
    }

    #[test]
    fn draws_reach_the_whole_window_and_follow_the_seed() {
        let rules = GiuthiRules::new(3, 2).unwrap();
        let mut replay = Replay::new(rules, 20, true);
        replay.extend(random_samples::<Giuthi>(rules, 20, 1));
        let draw = |seed| replay.draw(500, &mut stream(Stream::Learner, seed, 0, 0));
        let draws = draw(1);
        assert_eq!(draws, draw(1));
        assert_ne!(draws, draw(2));
        for index in 0..20 {
            for mirrored in [false, true] {
                assert!(draws.contains(&Draw { index, mirrored }));
            }
        }
    }
}
