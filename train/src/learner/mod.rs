//! The learner: minibatches from the replay buffer, one gradient, one step.
//!
//! Each minibatch is split among threads, each of which finds the gradient of its part with a net of its own over the same
//! parameters. The parts are added up in a fixed order, so that a run repeats exactly at the same number of threads.
//! Nothing of an iteration's random numbers outlives it: they come from the seed and the iteration alone.

mod adamw;
mod loss;
mod state;

use std::sync::mpsc;

use mancala_env::{Game, Stream, stream};
use mancala_search::net::{NetHeader, Weights};
use tch::Tensor;

use crate::config::Learner as LearnerConfig;
use crate::net::{Parameters, TorchNet};
use crate::replay::{Draw, Replay};

use adamw::AdamW;
pub use loss::Sums;
pub use state::StateError;

/// A net that is being learned, with all that learning needs to go on.
#[derive(Debug)]
pub struct Learner {
    config: LearnerConfig,
    parameters: Parameters,
    optimizer: AdamW,
    /// The moving average of the parameters, if games are played with it, f32 `(parameters,)`.
    average: Option<Tensor>,
}

/// What an iteration of learning was like.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Learned {
    /// Steps made.
    pub steps: u64,
    /// Sums over all positions of all steps.
    pub sums: Sums,
    /// Mean length of the gradients, before they were cut.
    pub gradient: f64,
    /// The learning rate of the last step.
    pub rate: f64,
}

/// The learning has come apart: a loss or gradient is no number any more.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "iteration {iteration}, step {step}: the gradient is not finite; a lower learner.learning_rate may help"
)]
pub struct Diverged {
    /// The iteration, from 1.
    pub iteration: u64,
    /// The step in it, from 0.
    pub step: u64,
}

/// The gradient of one thread's part of a minibatch.
type Part = (Tensor, Sums);

impl Learner {
    /// A fresh net: its weights come from the seed.
    pub fn new(header: NetHeader, config: LearnerConfig, seed: u64) -> Self {
        let weights = Weights::random(header, &mut stream(Stream::Learner, seed, 0, 0));
        let parameters = Parameters::new(&weights);
        let optimizer = AdamW::new(parameters.header());
        let average = (config.ema_decay > 0.0).then(|| parameters.flat().copy());
        Self { config, parameters, optimizer, average }
    }

    /// Steps made since the start of the run.
    pub fn steps(&self) -> u64 {
        self.optimizer.steps
    }

    /// The weights to play with: the moving average if there is one.
    pub fn weights(&self) -> Weights {
        match &self.average {
            None => self.parameters.weights(),
            Some(average) => {
                let header = self.parameters.header();
                Weights { header: header.clone(), tensors: crate::net::unflatten(header, average) }
            }
        }
    }

    /// Makes `steps` steps on positions drawn from the buffer. `on_step` is told after each.
    ///
    /// # Errors
    /// If the gradient is not finite any more.
    ///
    /// # Panics
    /// If the buffer is empty.
    pub fn learn<G: Game>(
        &mut self,
        replay: &Replay<G>,
        seed: u64,
        iteration: u64,
        steps: u64,
        threads: usize,
        mut on_step: impl FnMut(),
    ) -> Result<Learned, Diverged> {
        tch::set_num_threads(1);
        let mut rng = stream(Stream::Learner, seed, iteration, 0);
        let batch = self.config.batch;
        let part_len = batch.div_ceil(threads.clamp(1, batch));
        let mut learned = Learned { steps, ..Learned::default() };
        std::thread::scope(|scope| {
            let own = self.parameters.net();
            let helpers: Vec<_> = (1..batch.div_ceil(part_len))
                .map(|_| {
                    let (orders, inbox) = mpsc::sync_channel::<Vec<Draw>>(1);
                    let (outbox, parts) = mpsc::sync_channel::<Part>(1);
                    let (net, config) = (self.parameters.net(), self.config.clone());
                    scope.spawn(move || {
                        tch::set_num_threads(1);
                        for draws in inbox {
                            if outbox.send(part(&net, replay, &draws, batch, &config)).is_err() {
                                break;
                            }
                        }
                    });
                    (orders, parts)
                })
                .collect();
            for step in 0..steps {
                let draws = replay.draw(batch, &mut rng);
                let mut shares = draws.chunks(part_len);
                let first = shares.next().expect("a batch has a position");
                for ((orders, _), share) in helpers.iter().zip(shares) {
                    orders.send(share.to_vec()).expect("helpers work until their orders end");
                }
                let (mut gradient, sums) = part(&own, replay, first, batch, &self.config);
                learned.sums.add(&sums);
                for (_, parts) in &helpers {
                    let (other, sums) = parts.recv().expect("helpers answer every order");
                    gradient += other;
                    learned.sums.add(&sums);
                }
                learned.rate = self.config.rate(iteration, self.optimizer.steps);
                let length = self.step(&gradient, learned.rate);
                if !length.is_finite() {
                    return Err(Diverged { iteration, step });
                }
                learned.gradient += length / steps as f64;
                on_step();
            }
            Ok(learned)
        })
    }

    /// One step of the optimizer and of the moving average.
    fn step(&mut self, gradient: &Tensor, rate: f64) -> f64 {
        let LearnerConfig { weight_decay, gradient_clip, ema_decay, .. } = self.config;
        let length =
            self.optimizer.step(self.parameters.flat_mut(), gradient, rate, weight_decay, gradient_clip);
        if let Some(average) = &mut self.average {
            let _ = tch::no_grad(|| average.lerp_(self.parameters.flat(), 1.0 - ema_decay));
        }
        length
    }
}

/// The gradient of the loss of some positions of a batch of `total`.
fn part<G: Game>(
    net: &TorchNet,
    replay: &Replay<G>,
    draws: &[Draw],
    total: usize,
    config: &LearnerConfig,
) -> Part {
    let batch = replay.batch(net.config(), draws);
    let output = net.forward(&batch.input);
    let (loss, sums) = loss::loss(&output, &batch, total, config);
    (net.gradient(&loss), sums)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::tests::random_samples;
    use mancala_env::{Giuthi, GiuthiRules};
    use mancala_search::net::NetConfig;

    fn setting(config: LearnerConfig) -> (Learner, Replay<Giuthi>) {
        let rules = GiuthiRules::new(3, 2).unwrap();
        let net = NetConfig::plain(16, 1, 8, 8);
        let learner = Learner::new(NetHeader::of::<Giuthi>(&rules, net), config, 1);
        let mut replay = Replay::new(rules, 200, true);
        replay.extend(random_samples::<Giuthi>(rules, 24, 1));
        (learner, replay)
    }

    fn config() -> LearnerConfig {
        LearnerConfig { batch: 64, warmup_steps: 0, learning_rate: 1e-2, ..Default::default() }
    }

    #[test]
    fn losses_fall_on_positions_seen_again_and_again() {
        let (mut learner, replay) = setting(config());
        let mean = |learned: &Learned| {
            let Sums { positions, searched, policy, target_entropy, value, .. } = learned.sums;
            ((policy - target_entropy) / searched, value / positions)
        };
        let before = mean(&learner.learn(&replay, 1, 1, 1, 1, || ()).unwrap());
        let mut steps = 0;
        learner.learn(&replay, 1, 2, 300, 1, || steps += 1).unwrap();
        let after = mean(&learner.learn(&replay, 1, 3, 5, 1, || ()).unwrap());
        assert_eq!((steps, learner.steps()), (300, 306));
        assert!(after.0 < 0.7 * before.0 && after.1 < 0.7 * before.1, "{before:?} {after:?}");
    }

    #[test]
    fn a_margin_head_is_learned_by_its_weight() {
        let margin_loss = |margin_weight| {
            let (_, replay) = setting(config());
            let net = NetConfig::plain(16, 1, 8, 8);
            let header = NetHeader::of::<Giuthi>(replay.rules(), net).with_margin(true);
            let mut learner = Learner::new(header, LearnerConfig { margin_weight, ..config() }, 1);
            let mut last = 0.0;
            for iteration in 1..=2 {
                let learned = learner.learn(&replay, 1, iteration, 150, 1, || ()).unwrap();
                last = learned.sums.margin / learned.sums.positions;
            }
            last
        };
        let (learned, ignored) = (margin_loss(1.0), margin_loss(0.0));
        assert!(learned < 0.5 * ignored, "{learned} {ignored}");
    }

    #[test]
    fn threads_share_a_batch_and_agree() {
        let learn = |threads| {
            let (mut learner, replay) = setting(config());
            let learned = learner.learn(&replay, 1, 1, 3, threads, || ()).unwrap();
            (learner.weights(), learned)
        };
        let (one, one_learned) = learn(1);
        for threads in [2, 3, 100] {
            let (many, learned) = learn(threads);
            assert_eq!(many, learn(threads).0, "repeats exactly");
            assert_eq!(learned.sums.positions, one_learned.sums.positions);
            for (one, many) in one.tensors.iter().zip(&many.tensors) {
                for (one, many) in one.data.iter().zip(&many.data) {
                    // Adam's first steps divide by the gradient's own size, and so stretch its last bits.
                    assert!((one - many).abs() < 1e-3, "{one} {many}");
                }
            }
        }
    }

    #[test]
    fn the_moving_average_trails_the_weights() {
        let (mut learner, replay) = setting(LearnerConfig { ema_decay: 0.9, ..config() });
        let before = learner.weights();
        learner.learn(&replay, 1, 1, 1, 1, || ()).unwrap();
        let (average, now) = (learner.weights(), learner.parameters.weights());
        for ((before, average), now) in before.tensors.iter().zip(&average.tensors).zip(&now.tensors) {
            for ((before, average), now) in before.data.iter().zip(&average.data).zip(&now.data) {
                assert!((average - (0.9 * before + 0.1 * now)).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn a_learner_that_comes_apart_says_so() {
        let (mut learner, replay) = setting(config());
        let _ = tch::no_grad(|| learner.parameters.flat_mut().fill_(f64::NAN));
        assert_eq!(learner.learn(&replay, 1, 4, 9, 2, || ()), Err(Diverged { iteration: 4, step: 0 }));
    }
}
