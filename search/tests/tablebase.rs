//! Tablebases against full minimax, known values, and opponents who must not get away.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use mancala_env::{
    Action, Capture, End, Game, Giuthi, GiuthiRules, Player, Position, Stream, random_action, stream,
};
use mancala_search::tablebase::{BuildSettings, Class, Tablebase, TablebaseAgent, build};
use mancala_search::{Agent, AgentSpec, RandomAgent};
use rand::{Rng, RngExt};

/// The table of a board with so many seeds in each pit, built once a process.
fn table(pits: u8, seeds: u8, capture: Capture) -> Arc<Tablebase> {
    static MADE: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = MADE.get_or_init(|| tempfile::tempdir().unwrap()).path();
    let rules = GiuthiRules::new(pits, seeds).unwrap().with_capture(capture);
    let path: PathBuf = folder.join(Giuthi::id(&rules));
    static BUILDING: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _building = BUILDING.lock().unwrap();
    if !path.exists() {
        let settings = BuildSettings { threads: 2, ..BuildSettings::default() };
        build(&path, &rules, Giuthi::total_seeds(&rules).into(), &settings, &()).unwrap();
    }
    Arc::new(Tablebase::open(path).unwrap())
}

#[test]
fn start_positions_have_their_known_values() {
    for (pits, seeds, capture, win, loss) in [
        (3, 2, Capture::Any, Some(-7), Some(-9)),
        (3, 3, Capture::Any, Some(13), Some(11)),
        (4, 2, Capture::Any, Some(-3), Some(-13)),
        (4, 3, Capture::Any, Some(1), Some(-5)),
        (3, 3, Capture::Occupied, Some(11), Some(9)),
    ] {
        let rules = GiuthiRules::new(pits, seeds).unwrap().with_capture(capture);
        let thresholds = table(pits, seeds, capture).probe(&Giuthi::initial(&rules)).unwrap();
        assert_eq!((thresholds.win, thresholds.loss), (win, loss), "{}", Giuthi::id(&rules));
    }
    let rules = GiuthiRules::new(2, 2).unwrap();
    let thresholds = table(2, 2, Capture::Any).probe(&Giuthi::initial(&rules)).unwrap();
    assert_eq!(thresholds.class(0), Class::Win);
}

/// Who wins, by going through every line with the history that it has.
///
/// A board is searched once for each history that can make a difference: a win holds for every history without the positions
/// that its lines pass, and a failure for every history that has the positions which made it one.
struct Minimax {
    player: Player,
    known: HashMap<Giuthi, Known>,
}

/// What was found out about a state (its scores included), under different histories.
#[derive(Default)]
struct Known {
    /// What the lines of the win pass, before they capture.
    wins: Vec<Rc<HashSet<u128>>>,
    /// What had to have stood.
    failures: Vec<Rc<HashSet<u128>>>,
}

impl Minimax {
    /// Whether `player` can force a win.
    fn forces(player: Player, position: &Position<Giuthi>) -> bool {
        Self { player, known: HashMap::new() }.search(position).0
    }

    /// Whether he can, and the positions passed (if so) or met again (if not).
    fn search(&mut self, position: &Position<Giuthi>) -> (bool, Rc<HashSet<u128>>) {
        if position.is_over() {
            return (position.winner() == Some(self.player), Rc::default());
        }
        let own = position.state().fingerprint();
        let before: HashSet<u128> =
            position.history().iter().copied().filter(|&fingerprint| fingerprint != own).collect();
        let known = self.known.entry(*position.state()).or_default();
        if let Some(passed) = known.wins.iter().find(|passed| passed.is_disjoint(&before)) {
            return (true, passed.clone());
        }
        if let Some(met) = known.failures.iter().find(|met| met.is_subset(&before)) {
            return (false, met.clone());
        }
        let chooses = position.to_move() == self.player;
        let (mut wins, mut all) = (!chooses, HashSet::new());
        for action in position.legal_actions() {
            let mut child = position.clone();
            let played = child.play_unchecked(action);
            let (child_wins, mut set) = self.search(&child);
            if child.end() == Some(End::Repetition) {
                set = Rc::new(HashSet::from([child.state().fingerprint()]));
            } else if played.captured > 0 {
                set = Rc::default();
            }
            if child_wins == chooses {
                // This action settles it, whatever the others do.
                (wins, all) = (chooses, (*set).clone());
                break;
            }
            all.extend(set.iter());
        }
        if wins {
            all.insert(own);
        } else {
            all.remove(&own);
        }
        let all = Rc::new(all);
        let known = self.known.entry(*position.state()).or_default();
        if wins { &mut known.wins } else { &mut known.failures }.push(all.clone());
        (wins, all)
    }

    fn class(position: &Position<Giuthi>) -> Class {
        let player = position.to_move();
        if Self::forces(player, position) {
            Class::Win
        } else if Self::forces(player.other(), position) {
            Class::Loss
        } else {
            Class::Draw
        }
    }
}

/// A board of so many seeds on which Player 1 can move, with his lead; `None` if the draw was none.
fn draw_board(rules: &GiuthiRules, seeds: u32, lead: i16, rng: &mut impl Rng) -> Option<Position<Giuthi>> {
    let mut pits = vec![0; 2 * usize::from(rules.pits())];
    for _ in 0..seeds {
        let pit = rng.random_range(0..pits.len());
        pits[pit] += 1;
    }
    let scores = [(-lead).max(0) as u8, lead.max(0) as u8];
    let state = Giuthi::from_pits(rules, &pits, scores, Player::One)?;
    (!state.is_over() && state.to_move() == Player::One).then(|| Position::from_state(*rules, state))
}

/// At the thresholds, and one seed beside them, full minimax agrees.
fn check_thresholds(rules: &GiuthiRules, table: &Tablebase, position: &Position<Giuthi>) {
    let (pits, mover) = (position.state().pits(), position.to_move());
    let thresholds = table.probe(position.state()).unwrap();
    let leads = [
        thresholds.win,
        thresholds.win.map(|win| win - 1),
        thresholds.loss,
        thresholds.loss.map(|loss| loss + 1),
    ];
    for lead in leads.into_iter().flatten() {
        let mut scores = [0; 2];
        scores[mover.index()] = lead.max(0) as u8;
        scores[mover.other().index()] = (-lead).max(0) as u8;
        let state = Giuthi::from_pits(rules, pits, scores, mover).unwrap();
        let position = Position::from_state(*rules, state);
        assert_eq!(Minimax::class(&position), thresholds.class(lead), "{} {thresholds:?}", position.write());
    }
}

#[test]
fn thresholds_agree_with_full_minimax() {
    // The start positions and random boards, fewer seeds where the histories get long.
    for (pits, seeds, capture, boards, most) in [
        (2, 2, Capture::Any, 300, 8),
        (2, 4, Capture::Any, 300, 16),
        (2, 4, Capture::Occupied, 300, 16),
        (3, 2, Capture::Any, 150, 10),
        (3, 2, Capture::Occupied, 50, 8),
    ] {
        let rules = GiuthiRules::new(pits, seeds).unwrap().with_capture(capture);
        let table = table(pits, seeds, capture);
        check_thresholds(&rules, &table, &Position::initial(rules));
        let mut rng = stream(Stream::Tablebase, 1, pits.into(), seeds.into());
        for _ in 0..boards {
            let seeds = rng.random_range(2..=most);
            if let Some(position) = draw_board(&rules, seeds, 0, &mut rng) {
                check_thresholds(&rules, &table, &position);
            }
        }
    }
}

#[test]
fn judgements_count_the_history() {
    let (mut judged, mut stopped) = (0, 0);
    for (pits, seeds, games) in [(2, 2, 300), (2, 4, 300), (3, 2, 200)] {
        let rules = GiuthiRules::new(pits, seeds).unwrap();
        let table = table(pits, seeds, Capture::Any);
        for game in 0..games {
            let mut rng = stream(Stream::Tablebase, 2, pits.into(), game);
            let most = table.max_seeds();
            let seeds = rng.random_range(4..=most);
            let lead = rng.random_range(-(seeds as i16)..=seeds as i16);
            let Some(mut position) = draw_board(&rules, seeds, lead, &mut rng) else { continue };
            while !position.is_over() {
                for judgement in table.judge(&position).unwrap() {
                    let mut child = position.clone();
                    child.play_unchecked(judgement.action);
                    let class = match child.is_over() {
                        true => match child.winner() {
                            Some(winner) if winner == position.to_move() => Class::Win,
                            Some(_) => Class::Loss,
                            None => Class::Draw,
                        },
                        false => {
                            let class = Minimax::class(&child);
                            // A class with a fresh history, to see that histories make a difference here.
                            let fresh = table.probe(child.state()).unwrap();
                            let scores = child.scores().map(i16::from);
                            let mover = child.to_move();
                            let lead = scores[mover.index()] - scores[mover.other().index()];
                            stopped += u32::from(fresh.class(lead) != class);
                            match (mover == position.to_move(), class) {
                                (true, class) => class,
                                (false, Class::Win) => Class::Loss,
                                (false, Class::Loss) => Class::Win,
                                (false, Class::Draw) => Class::Draw,
                            }
                        }
                    };
                    assert_eq!(judgement.class, class, "{} {judgement:?}", position.write());
                    judged += 1;
                }
                // Quiet actions make histories long.
                let action = (0..4)
                    .filter_map(|_| random_action(position.state(), &mut rng))
                    .find(|&action| position.clone().play_unchecked(action).captured == 0)
                    .or_else(|| random_action(position.state(), &mut rng));
                position.play_unchecked(action.unwrap());
            }
        }
    }
    println!("{judged} actions judged, {stopped} of which a history stopped");
    assert!(judged > 5_000 && stopped > 20, "{judged} {stopped}");
}

/// Takes no seeds where it can help it.
struct NonCapturing(RandomAgent);

impl Agent<Giuthi> for NonCapturing {
    fn new_game(&mut self, seed: u64) {
        Agent::<Giuthi>::new_game(&mut self.0, seed);
    }

    fn act_many(
        &mut self,
        positions: &[&Position<Giuthi>],
    ) -> Result<Vec<Action>, mancala_search::AgentError> {
        let quiet = |position: &&Position<Giuthi>| {
            let is_quiet = |&action: &Action| {
                let mut child = (*position).clone();
                let played = child.play_unchecked(action);
                played.captured == 0 && !child.is_over()
            };
            position.legal_actions().into_iter().find(is_quiet)
        };
        positions.iter().map(|position| quiet(position).map_or_else(|| self.0.act(position), Ok)).collect()
    }

    fn analyze(
        &mut self,
        position: &Position<Giuthi>,
    ) -> Result<mancala_search::Analysis, mancala_search::AgentError> {
        self.0.analyze(position)
    }
}

/// Plays on from a position that its player to move wins; says whether he did.
fn converts(agent: &mut TablebaseAgent, opponent: &mut dyn Agent<Giuthi>, start: &Position<Giuthi>) -> bool {
    let player = start.to_move();
    let mut position = start.clone();
    while !position.is_over() {
        let action = match position.to_move() == player {
            true => agent.act(&position).unwrap(),
            false => opponent.act(&position).unwrap(),
        };
        position.play(action).unwrap();
    }
    position.winner() == Some(player)
}

#[test]
fn won_positions_are_won() {
    const POSITIONS: u32 = 10_000;
    for (pits, seeds) in [(3, 3), (4, 2)] {
        let rules = GiuthiRules::new(pits, seeds).unwrap();
        let table = table(pits, seeds, Capture::Any);
        let mut agent = TablebaseAgent::new::<Giuthi>(table.clone(), &rules).unwrap();
        let mut opponents: [Box<dyn Agent<Giuthi>>; 3] = [
            Box::new(RandomAgent::new()),
            Box::new(NonCapturing(RandomAgent::new())),
            Box::new(agent.clone()),
        ];
        let mut rng = stream(Stream::Tablebase, 3, pits.into(), seeds.into());
        let mut won = 0;
        while won < POSITIONS {
            let seeds = rng.random_range(2..=table.max_seeds());
            let Some(board) = draw_board(&rules, seeds, 0, &mut rng) else { continue };
            // With no seed to spare, or a few.
            let Some(win) = table.probe(board.state()).unwrap().win else { continue };
            let lead = win + rng.random_range(0..3);
            let scores = [(-lead).max(0) as u8, lead.max(0) as u8];
            let state = Giuthi::from_pits(&rules, board.state().pits(), scores, Player::One).unwrap();
            let start = Position::from_state(rules, state);
            won += 1;
            for opponent in &mut opponents {
                opponent.new_game(won.into());
                assert!(converts(&mut agent, &mut **opponent, &start), "{}", start.write());
            }
        }
    }
}

#[test]
fn an_agent_that_takes_over_wins_what_its_history_leaves_it() {
    let rules = GiuthiRules::new(3, 3).unwrap();
    let table = table(3, 3, Capture::Any);
    let mut agent = TablebaseAgent::new::<Giuthi>(table.clone(), &rules).unwrap();
    let mut won = 0;
    for game in 0..400 {
        let mut rng = stream(Stream::Tablebase, 4, 0, game);
        let mut position = Position::<Giuthi>::initial(rules);
        let mut opponent = RandomAgent::new();
        for _ in 0..rng.random_range(0..12) {
            if let Some(action) = random_action(position.state(), &mut rng).filter(|_| !position.is_over()) {
                position.play_unchecked(action);
            }
        }
        if position.is_over()
            || table.judge(&position).unwrap().iter().all(|judgement| judgement.class != Class::Win)
        {
            continue;
        }
        won += 1;
        assert!(converts(&mut agent, &mut opponent, &position), "{}", position.write());
    }
    assert!(won > 50, "{won}");
}

#[test]
fn positions_outside_are_errors() {
    let table = table(3, 2, Capture::Any);
    let rules = GiuthiRules::new(3, 3).unwrap();
    let error = table.probe(&Giuthi::initial(&rules)).unwrap_err().to_string();
    assert!(error.contains("18 seeds in play") && error.contains("at most 12"), "{error}");
    let other = GiuthiRules::new(4, 2).unwrap();
    let error = table.probe(&Giuthi::initial(&other)).unwrap_err().to_string();
    assert!(error.contains("3 pits a row") && error.contains("4 pits a row"), "{error}");
    let occupied = rules.with_capture(Capture::Occupied);
    let error = table.probe(&Giuthi::initial(&occupied)).unwrap_err().to_string();
    assert!(error.contains("capture=any") && error.contains("capture=occupied"), "{error}");
    let (over, _) = Giuthi::read(&rules, "0,0,0/1,0,0 4 4 p0").unwrap();
    assert!(table.probe(&over).unwrap_err().to_string().contains("over"));
    let mut agent = TablebaseAgent::new::<Giuthi>(table, &rules).unwrap();
    assert!(agent.act(&Position::<Giuthi>::initial(rules)).unwrap_err().to_string().contains("18 seeds"));
}

/// Of random positions of 3x3 in which an action can spoil the value, with more seeds than `most`: how many the agent keeps.
fn preserved(agent: &AgentSpec, most: u32) -> (u32, u32) {
    let rules = GiuthiRules::new(3, 3).unwrap();
    let table = table(3, 3, Capture::Any);
    let mut agent = agent.build::<Giuthi>(&rules).unwrap();
    let mut rng = stream(Stream::Tablebase, 5, 0, 0);
    let (mut preserved, mut positions) = (0, 0);
    while positions < 400 {
        let seeds = rng.random_range(most + 1..=most + 4);
        let lead = (seeds % 2) as i16 + 2 * rng.random_range(-2..=2);
        let Some(position) = draw_board(&rules, seeds, lead, &mut rng) else { continue };
        let judgements = table.judge(&position).unwrap();
        let best = judgements.iter().map(|judgement| judgement.class).max().unwrap();
        if judgements.iter().all(|judgement| judgement.class == best) {
            continue;
        }
        positions += 1;
        let action = agent.act(&position).unwrap();
        preserved += u32::from(
            judgements.iter().any(|judgement| judgement.action == action && judgement.class == best),
        );
    }
    (preserved, positions)
}

#[test]
fn agents_that_search_look_positions_up() {
    let small = table(3, 2, Capture::Any);
    for agent in ["alphabeta:depth=2", "alphabeta:nodes=300", "mcts:sims=100"] {
        let without = preserved(&agent.parse().unwrap(), small.max_seeds());
        let with = preserved(&format!("{agent},tb={}", small.path()).parse().unwrap(), small.max_seeds());
        println!("{agent}: {without:?}, with a tablebase {with:?}");
        assert!(
            5 * (with.1 - with.0) <= 3 * (without.1 - without.0),
            "{agent}: three fifths of the mistakes at most"
        );
        // Within the table they play perfectly.
        assert_eq!(
            preserved(&format!("{agent},tb={}", table(3, 3, Capture::Any).path()).parse().unwrap(), 8),
            (400, 400)
        );
    }
    let kiothi = mancala_env::KiothiRules::new(3, 2).unwrap();
    for text in [format!("tablebase:{}", small.path()), format!("mcts:sims=8,tb={}", small.path())] {
        let spec: AgentSpec = text.parse().unwrap();
        let error = spec.build::<mancala_env::Kiothi>(&kiothi).err().unwrap().to_string();
        assert!(error.contains("3 pits a row and capture=any") && error.contains("kiothi-3x2"), "{error}");
        let wide = GiuthiRules::new(5, 4).unwrap();
        let error = spec.build::<Giuthi>(&wide).err().unwrap().to_string();
        assert!(error.contains("3 pits a row") && error.contains("5 pits a row"), "{error}");
    }
}
