//! The rules against a second implementation, written from the rules pages alone as plainly as could be: whole random games
//! on every board and from uneven positions, move by move.

mod naive_giuthi;
mod naive_kiothi;
mod texts;

use mancala_env::{
    Capture, Game, Giuthi, GiuthiRules, Kiothi, KiothiRules, Played, Position, Stream, random_action, stream,
};
use naive_giuthi::NaiveGiuthi;
use naive_kiothi::NaiveKiothi;

/// What a naive move did.
#[derive(Clone, Debug, Default, PartialEq)]
struct NaivePlayed {
    captured: i32,
    /// 0 where no lap is counted: in the opening and in an endless sowing.
    laps: u16,
    landing: i32,
    entered: bool,
    extra: bool,
    bonus: bool,
    passed: bool,
    endless: bool,
}

impl From<Played> for NaivePlayed {
    fn from(played: Played) -> Self {
        Self {
            captured: played.captured.into(),
            laps: played.laps,
            landing: played.landing.into(),
            entered: played.entered,
            extra: played.extra_move,
            bonus: played.bonus,
            passed: played.passed,
            endless: played.endless,
        }
    }
}

/// What both naive games can do.
trait Naive: Clone {
    fn actions(&self) -> Vec<u16>;
    fn play(&mut self, action: u16) -> NaivePlayed;
    fn write(&self) -> String;
    fn end(&self) -> Option<&'static str>;
    fn winner(&self) -> Option<usize>;
}

macro_rules! delegate {
    ($naive:ty) => {
        impl Naive for $naive {
            fn actions(&self) -> Vec<u16> {
                self.actions()
            }
            fn play(&mut self, action: u16) -> NaivePlayed {
                self.play(action)
            }
            fn write(&self) -> String {
                self.write()
            }
            fn end(&self) -> Option<&'static str> {
                self.end()
            }
            fn winner(&self) -> Option<usize> {
                self.winner()
            }
        }
    };
}

delegate!(NaiveGiuthi);
delegate!(NaiveKiothi);

/// What was met on the way, so that a test can tell that it looked at what it was made for.
#[derive(Debug, Default)]
struct Met {
    moves: u32,
    endless: u32,
    repetitions: u32,
    sweeps: u32,
    passes: u32,
    longest: u16,
}

/// Where the rules and the naive game must agree, whatever the move.
fn compare<G: Game>(position: &Position<G>, naive: &impl Naive) {
    let at = || naive.write();
    assert_eq!(position.write(), at());
    assert_eq!(position.end().map(|end| end.word()), naive.end(), "{}", at());
    assert_eq!(position.winner().map(|winner| winner.index()), naive.winner(), "{}", at());
    assert_eq!(position.legal_actions()[..], naive.actions()[..], "{}", at());
}

/// Plays a random game, of at most `most` moves, on both.
fn play_out<G: Game>(
    mut position: Position<G>,
    mut naive: impl Naive,
    most: u32,
    rng: &mut impl rand::Rng,
    met: &mut Met,
) {
    compare(&position, &naive);
    for _ in 0..most {
        if position.is_over() {
            break;
        }
        let action = random_action(position.state(), rng).unwrap();
        let (before, history) = (naive.write(), position.history().len());
        let name = position.state().action_name(action);
        let played = position.play(action).unwrap();
        assert_eq!(NaivePlayed::from(played), naive.play(action), "{name} in {before}, history {history}");
        compare(&position, &naive);
        met.moves += 1;
        met.longest = met.longest.max(played.laps);
        met.passes += u32::from(played.passed);
    }
    match naive.end() {
        Some("endless") => met.endless += 1,
        Some("repetition") => met.repetitions += 1,
        Some(_) => met.sweeps += 1,
        None => {}
    }
}

/// Plays every legal action on both, one at a time.
fn play_each<G: Game>(position: &Position<G>, naive: &impl Naive, met: &mut Met) {
    for action in position.legal_actions() {
        let (mut position, mut naive) = (position.clone(), naive.clone());
        let played = position.play(action).unwrap();
        assert_eq!(NaivePlayed::from(played), naive.play(action), "{action} before {}", naive.write());
        compare(&position, &naive);
        met.moves += 1;
        met.longest = met.longest.max(played.laps);
        met.endless += u32::from(played.endless);
    }
}

/// How many times as many games are played; set MANCALA_SOAK for a long run.
fn soak() -> u32 {
    std::env::var("MANCALA_SOAK").map_or(1, |times| times.parse().expect("MANCALA_SOAK is a number"))
}

fn giuthi_boards() -> impl Iterator<Item = GiuthiRules> {
    let sizes = (2..=10).flat_map(|pits| (2..=9).map(move |seeds| GiuthiRules::new(pits, seeds).unwrap()));
    sizes.flat_map(|rules| [Capture::Any, Capture::Occupied].map(|capture| rules.with_capture(capture)))
}

fn kiothi_starts() -> impl Iterator<Item = KiothiRules> {
    (3..=10).flat_map(|boma| (1..=10).filter_map(move |warriors| KiothiRules::new(boma, warriors)))
}

#[test]
fn giuthi_agrees_on_every_board_with_both_captures() {
    let mut met = Met::default();
    for (board, rules) in giuthi_boards().enumerate() {
        for game in 0..8 * soak() {
            let mut rng = stream(Stream::Agent, board as u64, game.into(), 0);
            let position = Position::<Giuthi>::initial(rules);
            let naive = NaiveGiuthi::read(&position.write(), rules.capture() == Capture::Occupied);
            play_out(position, naive, 1000, &mut rng, &mut met);
        }
    }
    assert!(met.repetitions > 0 && met.endless > 0 && met.sweeps > 0 && met.passes > 0, "{met:?}");
}

#[test]
fn giuthi_agrees_from_uneven_positions() {
    let mut met = Met::default();
    for game in 0..8_000 * soak() {
        let mut rng = stream(Stream::Agent, 1, game.into(), 0);
        let pits = 2 + game as usize % 9;
        let capture = if game % 2 == 0 { Capture::Any } else { Capture::Occupied };
        let rules = GiuthiRules::new(pits as u8, 4).unwrap().with_capture(capture);
        let text = texts::giuthi(&mut rng, pits);
        let position = Position::<Giuthi>::read(rules, &text).unwrap();
        let naive = NaiveGiuthi::read(&text, capture == Capture::Occupied);
        play_each(&position, &naive, &mut met);
        play_out(position, naive, 10, &mut rng, &mut met);
    }
    assert!(met.endless > 10 && met.longest > 100, "{met:?}");
}

#[test]
fn kiothi_agrees_from_every_start() {
    let mut met = Met::default();
    for (start, rules) in kiothi_starts().enumerate() {
        for game in 0..30 * soak() {
            let mut rng = stream(Stream::Agent, start as u64, game.into(), 0);
            let position = Position::<Kiothi>::initial(rules);
            let naive = NaiveKiothi::read(&position.write());
            play_out(position, naive, 1000, &mut rng, &mut met);
        }
    }
    assert!(met.sweeps > 0 && met.longest > 30, "{met:?}");
}

#[test]
fn kiothi_agrees_from_uneven_positions() {
    let mut met = Met::default();
    for game in 0..10_000 * soak() {
        let mut rng = stream(Stream::Agent, 2, game.into(), 0);
        let text = texts::kiothi(&mut rng);
        let rules = KiothiRules::new(6, 5).unwrap();
        let position = Position::<Kiothi>::read(rules, &text).unwrap();
        let naive = NaiveKiothi::read(&text);
        play_each(&position, &naive, &mut met);
        play_out(position, naive, 60, &mut rng, &mut met);
    }
    assert!(met.endless > 0 && met.longest > 50, "{met:?}");
}

#[test]
fn kiothi_agrees_where_laps_never_end() {
    let mut met = Met::default();
    for game in 0..100 * soak() {
        let mut rng = stream(Stream::Agent, 3, game.into(), 0);
        let text = texts::kiothi_endless(&mut rng);
        let position = Position::<Kiothi>::read(KiothiRules::new(6, 5).unwrap(), &text).unwrap();
        let mut endless = position.clone();
        assert!(endless.play(position.state().parse_action("8:2").unwrap()).unwrap().endless, "{text}");
        play_each(&position, &NaiveKiothi::read(&text), &mut met);
    }
    assert!(met.endless >= 100, "{met:?}");
}
