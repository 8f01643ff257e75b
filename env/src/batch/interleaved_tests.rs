//! The engine against the scalar rules, whatever is asked of them in whatever order.

use std::fmt::Debug;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::engine::BatchEngine;
use super::foretell_tests::compare_features;
use super::isa::Level;
use super::lockstep::BatchGame;
use crate::features::ActionInfo;
use crate::game::Game;
use crate::giuthi::{Capture, Giuthi, GiuthiRules};
use crate::kiothi::{Kiothi, KiothiRules};
use crate::opening::{Stream, stream};
use crate::vec_env::{Arrays, Cell, LoopEnv, ResetOptions, VecEnvConfig};

/// Draws of a case.
struct Draw(ChaCha8Rng);

impl Draw {
    fn below(&mut self, most: usize) -> usize {
        self.0.next_u32() as usize % most
    }

    fn of<C: Copy>(&mut self, choices: &[C]) -> C {
        choices[self.below(choices.len())]
    }

    fn one_in(&mut self, most: usize) -> bool {
        self.below(most) == 0
    }
}

/// An engine and the environment that it must be like, with their arrays.
struct Pair<G: BatchGame, T> {
    rules: G::Rules,
    engine: BatchEngine<G>,
    scalar: LoopEnv<G>,
    ours: Arrays<T>,
    theirs: Arrays<T>,
    rubbish: T,
}

/// The length of the histories that come before a repetition that is looked for: about the reach of a trail.
const PATIENCE: [usize; 8] = [1, 2, 8, 30, 31, 32, 33, 45];

impl<G: BatchGame, T: Cell + PartialEq + Debug> Pair<G, T> {
    fn arrays(&self) -> Arrays<T> {
        let (cells, actions) = (G::observation_len(&self.rules), G::num_actions(&self.rules));
        Arrays::rubbish(self.scalar.num_envs(), cells, actions, self.rubbish)
    }

    fn sample(&mut self) -> Vec<i64> {
        let mut actions = [vec![-1; self.scalar.num_envs()], vec![-1; self.scalar.num_envs()]];
        self.engine.sample_actions(&mut actions[0]).unwrap();
        self.scalar.sample_actions(&mut actions[1]).unwrap();
        assert_eq!(actions[0], actions[1]);
        actions[0].clone()
    }

    /// Actions that capture nothing and repeat nothing, where there are any, so that histories grow long; a history as long as the
    /// game has patience for is ended by a repetition.
    fn patient_actions(&self, draw: &mut Draw) -> Vec<i64> {
        let mut choose = |env| {
            let position = self.scalar.position(env);
            let actions = position.legal_actions();
            let first = draw.below(actions.len());
            let patience = PATIENCE[env % PATIENCE.len()];
            let infos = (0..actions.len().min(40))
                .map(|i| ActionInfo::of(&position, actions[(first + i) % actions.len()]).0);
            let value = |info: &ActionInfo| match info.repeats {
                true => {
                    if position.history().len() >= patience {
                        3
                    } else {
                        0
                    }
                }
                false => 1 + i32::from(info.captured == 0 && !info.ends_game),
            };
            infos.max_by_key(value).expect("no game is over").action.into()
        };
        (0..self.scalar.num_envs()).map(&mut choose).collect()
    }

    fn step(&mut self, actions: &[i64]) {
        self.engine.step(actions, &mut self.ours.buffers()).unwrap();
        self.scalar.step(actions, &mut self.theirs.buffers()).unwrap();
        assert!(self.ours == self.theirs, "different arrays");
    }

    /// The engine's arrays tell of an older step then.
    fn advance(&mut self, actions: &[i64]) {
        self.engine.advance(actions).unwrap();
        self.scalar.step(actions, &mut self.theirs.buffers()).unwrap();
    }

    fn refuse(&mut self, draw: &mut Draw, mut actions: Vec<i64>) {
        for _ in 0..=draw.below(3) {
            let env = draw.below(actions.len());
            actions[env] = draw.of(&[-1, 0, 7, 600, 629, 630, 65_536, i64::MIN, i64::MAX]);
        }
        // As text: not all of them are numbers.
        let shown = |pair: &Self| format!("{:?} {:?}", pair.ours, pair.theirs);
        let before = shown(self);
        let illegal = (0..actions.len()).any(|env| self.scalar.position(env).check(actions[env]).is_err());
        if illegal {
            let results = (
                self.engine.step(&actions, &mut self.ours.buffers()),
                self.scalar.step(&actions, &mut self.theirs.buffers()),
            );
            assert_eq!(results.0, results.1);
            assert!(results.0.is_err() && self.engine.advance(&actions).is_err());
            assert!(shown(self) == before, "arrays were touched");
        } else {
            self.step(&actions);
        }
    }

    fn reset(&mut self, draw: &mut Draw, known: &[String]) {
        let games = self.scalar.num_envs();
        let sparse = draw.of(&[1, 2, 20]);
        let mask: Vec<bool> = (0..games).map(|_| draw.one_in(sparse)).collect();
        let bad = draw.one_in(8);
        let positions: Vec<_> = (0..games)
            .map(|_| match draw.below(if bad { 30 } else { 29 }) {
                29 => Some("nonsense".to_owned()),
                0..10 if !known.is_empty() => Some(known[draw.below(known.len())].clone()),
                _ => None,
            })
            .collect();
        let options = ResetOptions {
            seed: draw.one_in(3).then_some(draw.of(&[0, 1, 1 << 40, u64::MAX])),
            mask: (!draw.one_in(4)).then_some(&mask),
            positions: draw.one_in(2).then_some(&positions),
        };
        let results = (
            self.engine.reset(&options, &mut self.ours.buffers()),
            self.scalar.reset(&options, &mut self.theirs.buffers()),
        );
        assert_eq!(results.0, results.1);
        if results.0.is_ok() {
            assert!(self.ours == self.theirs, "different arrays");
        }
    }

    /// One of the two goes on in another one, of another instruction set and number of threads, which knows nothing but what
    /// was saved.
    fn restore(&mut self, draw: &mut Draw) {
        let saved = self.engine.save();
        assert!(saved == self.scalar.save(), "saved otherwise");
        let config = VecEnvConfig { threads: draw.of(&[1, 2, 5]), ..*self.scalar.config() };
        if draw.one_in(3) {
            self.scalar = LoopEnv::new(self.rules, config).unwrap();
            self.scalar.restore(&saved, &mut self.theirs.buffers()).unwrap();
        } else {
            // Now and then where other games have been played.
            if draw.one_in(2) {
                let levels: Vec<_> = Level::supported().collect();
                self.engine = BatchEngine::with_level(self.rules, config, draw.of(&levels)).unwrap();
            } else {
                let mut actions = vec![-1; config.num_envs];
                for _ in 0..draw.of(&[1, 40]) {
                    self.engine.sample_actions(&mut actions).unwrap();
                    self.engine.advance(&actions).unwrap();
                }
            }
            self.engine.restore(&saved, &mut self.ours.buffers()).unwrap();
        }
        assert!(saved == self.engine.save() && saved == self.scalar.save(), "saved otherwise");
    }

    fn compare_positions(&self) {
        for env in 0..self.scalar.num_envs() {
            assert_eq!(self.engine.position(env), self.scalar.position(env), "env {env}");
        }
    }
}

/// Does so many things in a row; the length of the longest history.
fn interleave<G: BatchGame, T: Cell + PartialEq + Debug>(
    rules: G::Rules,
    config: VecEnvConfig,
    level: Level,
    rubbish: T,
    things: usize,
    draw: &mut Draw,
) -> usize {
    let (engine, scalar) =
        (BatchEngine::<G>::with_level(rules, config, level), LoopEnv::<G>::new(rules, config));
    let (engine, scalar) = match (engine, scalar) {
        (Ok(engine), Ok(scalar)) => (engine, scalar),
        (engine, scalar) => {
            assert_eq!(engine.err(), scalar.err());
            return 0;
        }
    };
    let none = Arrays::rubbish(0, 0, 0, rubbish);
    let mut pair = Pair { rules, engine, scalar, ours: none.clone(), theirs: none, rubbish };
    (pair.ours, pair.theirs) = (pair.arrays(), pair.arrays());
    let (mut known, mut longest) = (Vec::new(), 0);
    let mut patient = draw.one_in(2);
    for _ in 0..things {
        if draw.one_in(40) {
            patient = !patient;
        }
        match draw.below(100) {
            0..3 => drop(pair.sample()),
            3..6 => {
                let actions = pair.sample();
                pair.refuse(draw, actions);
            }
            6..9 => pair.reset(draw, &known),
            9..12 => (pair.ours, pair.theirs) = (pair.arrays(), pair.arrays()),
            12..18 => pair.compare_positions(),
            18..20 => drop(compare_features(&mut pair.engine)),
            22..24 => pair.restore(draw),
            20..22 => known.extend((0..3).map(|_| pair.scalar.position(draw.below(config.num_envs)).write())),
            at => {
                let actions = if patient { pair.patient_actions(draw) } else { pair.sample() };
                if at < 28 { pair.advance(&actions) } else { pair.step(&actions) }
            }
        }
        let history = |env| pair.scalar.position(env).history().len();
        longest = longest.max((0..config.num_envs.min(8)).map(history).max().unwrap_or(0));
    }
    pair.compare_positions();
    longest
}

/// A case: a game, a batch and what is asked of it, all drawn.
fn case(number: u64, things: usize) -> usize {
    let draw = &mut Draw(stream(Stream::Arena, number, 0, 0));
    let levels: Vec<_> = Level::supported().collect();
    let level = draw.of(&levels);
    let config = VecEnvConfig {
        num_envs: draw.of(&[1, 2, 16, 63, 64, 65, 100, 127, 128, 129, 192, 200, 1030]),
        seed: draw.of(&[0, 5, u64::MAX]),
        max_plies: draw.of(&[
            None,
            None,
            None,
            Some(1),
            Some(2),
            Some(31),
            Some(32),
            Some(33),
            Some(34),
            Some(60),
        ]),
        random_opening_plies: draw.of(&[0, 0, 1, 3, 31, 32, 33, 34, 50]),
        random_first_player: false,
        threads: draw.of(&[1, 1, 2, 3, 9]),
    };
    if draw.below(3) > 0 {
        let rules =
            GiuthiRules::new(draw.of(&[2, 3, 4, 5, 6, 7, 8, 9, 10]), draw.of(&[2, 3, 4, 5, 6, 7, 8, 9]))
                .unwrap();
        let rules = rules.with_capture(draw.of(&[Capture::Any, Capture::Occupied]));
        // Of small boards hardly any opening is long.
        let most = match rules.pits() {
            2 => 3,
            3 => 6,
            4 => 12,
            _ => 50,
        };
        let config = VecEnvConfig {
            random_first_player: draw.one_in(2),
            random_opening_plies: config.random_opening_plies.min(most),
            ..config
        };
        eprintln!("{number} {} {level:?} {config:?}", Giuthi::id(&rules));
        if draw.one_in(2) {
            interleave::<Giuthi, f32>(rules, config, level, 7.5, things, draw)
        } else {
            interleave::<Giuthi, u8>(rules, config, level, 9, things, draw)
        }
    } else {
        let starts = [(3, 1), (3, 2), (3, 5), (3, 10), (4, 2), (5, 3), (6, 5), (10, 1), (10, 3)];
        let (boma, warriors) = draw.of(&starts);
        let rules = KiothiRules::new(boma, warriors).unwrap().with_one_warrior_multiplier(2.5).unwrap();
        let most = if boma * warriors < 7 { 16 } else { 50 };
        let config = VecEnvConfig { random_opening_plies: config.random_opening_plies.min(most), ..config };
        eprintln!("{number} {} {level:?} {config:?}", Kiothi::id(&rules));
        if draw.one_in(2) {
            interleave::<Kiothi, f32>(rules, config, level, 7.5, things, draw)
        } else {
            interleave::<Kiothi, u8>(rules, config, level, 9, things, draw)
        }
    }
}

/// With `MANCALA_SOAK` so many times as many cases.
#[test]
fn whatever_is_asked_the_games_are_those_of_the_scalar_path() {
    let times =
        std::env::var("MANCALA_SOAK").map_or(1, |times| times.parse().expect("MANCALA_SOAK is a number"));
    let longest = (0..8 * times).map(|number| case(number, 80)).max();
    assert!(longest > Some(40), "{longest:?}");
}
