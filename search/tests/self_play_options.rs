//! The choices that self-play has: which search, how much of it, where games begin.

use mancala_env::{Action, Game, Giuthi, GiuthiRules, Kiothi, KiothiRules};
use mancala_search::self_play::{GameRecord, SearchKind, SelfPlayConfig, SelfPlayed, play_games};
use mancala_search::{Evaluations, Evaluator, Leaf, UniformEvaluator};

const SIMULATIONS: u32 = 12;

fn config() -> SelfPlayConfig {
    SelfPlayConfig {
        lockstep: 4,
        simulations: SIMULATIONS,
        considered: 4,
        opening_plies: 4,
        max_plies: 60,
        ..SelfPlayConfig::default()
    }
}

fn rules() -> GiuthiRules {
    GiuthiRules::new(4, 3).unwrap()
}

fn play(config: &SelfPlayConfig, seed: u64, games: u64) -> SelfPlayed {
    play_games::<Giuthi>(&rules(), &mut UniformEvaluator, config, seed, 0..games, &mut |_| {}).unwrap()
}

#[test]
fn puct_learns_from_shares_of_visits() {
    let puct = SelfPlayConfig { selection: SearchKind::Puct, ..config() };
    let played = play(&puct, 1, 20);
    let policies = played.records.iter().flat_map(|game| &game.moves).map(|played| &played.policy);
    let mut searched = 0;
    for policy in policies.filter(|policy| !policy.is_empty()) {
        for &share in policy {
            let visits = f64::from(share) * f64::from(SIMULATIONS) / 65535.0;
            assert!((visits - visits.round()).abs() < 1e-3, "{visits} visits");
        }
        searched += 1;
    }
    assert_eq!(searched, played.stats.searched);
    assert_eq!(played.stats.simulations, searched * u64::from(SIMULATIONS));
    // The same again is the same; other noise makes other games, and so does none.
    assert_eq!(play(&puct, 1, 20).records, played.records);
    assert_ne!(play(&puct, 2, 20).records, played.records);
    assert_ne!(play(&SelfPlayConfig { noise_part: 0.0, ..puct }, 1, 20).records, played.records);
}

/// Moves searched in full, searched fast and forced.
fn count_kinds<G: Game>(rules: &G::Rules, records: &[GameRecord]) -> [u64; 3] {
    let mut kinds = [0; 3];
    for sample in records.iter().flat_map(|game| game.samples::<G>(rules).unwrap()) {
        let kind = match (sample.policy.is_empty(), sample.value) {
            (false, Some(_)) => 0,
            (true, Some(_)) => 1,
            (true, None) => 2,
            (false, None) => panic!("a policy without a search"),
        };
        assert_eq!(kind == 2, sample.actions.len() == 1, "forced moves are not searched, and others are");
        kinds[kind] += 1;
    }
    kinds
}

/// The share of full searches is as asked, and each kind has its simulations. In Giuthi no move is forced, for each pit can be
/// sown in either direction.
fn check_kinds<G: Game>(rules: G::Rules, games: u64) -> u64 {
    for selection in [SearchKind::Gumbel, SearchKind::Puct] {
        let capped = SelfPlayConfig { selection, full_share: 0.25, fast_simulations: 3, ..config() };
        let played =
            play_games::<G>(&rules, &mut UniformEvaluator, &capped, 1, 0..games, &mut |_| {}).unwrap();
        let [full, fast, _] = count_kinds::<G>(&rules, &played.records);
        let share = full as f64 / (full + fast) as f64;
        assert!((share - 0.25).abs() < 0.06, "{full} of {}", full + fast);
        assert_eq!(played.stats.searched, full + fast);
        assert_eq!(played.stats.simulations, full * u64::from(SIMULATIONS) + fast * 3);
    }
    let played = play_games::<G>(&rules, &mut UniformEvaluator, &config(), 1, 0..games, &mut |_| {}).unwrap();
    let [full, fast, forced] = count_kinds::<G>(&rules, &played.records);
    assert_eq!((fast, full), (0, played.stats.searched));
    forced
}

#[test]
fn fast_and_forced_moves_are_no_rows_for_the_policy() {
    check_kinds::<Giuthi>(rules(), 60);
    assert!(check_kinds::<Kiothi>(KiothiRules::new(3, 2).unwrap(), 20) > 0);
}

/// All actions of a game.
fn line(game: &GameRecord) -> Vec<Action> {
    game.opening.iter().copied().chain(game.moves.iter().map(|played| played.action)).collect()
}

#[test]
fn forks_begin_where_another_game_has_been() {
    let forking = SelfPlayConfig { fork_share: 0.5, opening_plies: 0, ..config() };
    let played = play(&forking, 3, 80);
    let forks: Vec<&GameRecord> = played.records.iter().filter(|game| !game.opening.is_empty()).collect();
    assert_eq!(forks.len() as u64, played.stats.forks);
    // The first games find none that has ended.
    assert!((20..=60).contains(&forks.len()), "{}", forks.len());
    for fork in &forks {
        let (_, before) = fork.opening.split_last().unwrap();
        assert!(played.records.iter().any(|game| game.index != fork.index && line(game).starts_with(before)));
        assert_eq!(fork.samples::<Giuthi>(&rules()).unwrap().len(), fork.moves.len());
        assert!(line(fork).len() <= 60);
    }
    let longest = forks.iter().map(|fork| fork.opening.len()).max().unwrap();
    assert!(longest > 10, "{longest} plies");
    // Pure in the arguments of the whole call.
    assert_eq!(play(&forking, 3, 80).records, played.records);
    let kiothi = KiothiRules::new(3, 2).unwrap();
    let played =
        play_games::<Kiothi>(&kiothi, &mut UniformEvaluator, &forking, 3, 0..12, &mut |_| {}).unwrap();
    assert!(played.stats.forks > 0);
    played.records.iter().for_each(|game| drop(game.samples::<Kiothi>(&kiothi).unwrap()));
}

#[test]
fn noise_is_drawn_anew_for_every_move() {
    // One simulation, and so the noise alone decides.
    let noise = SelfPlayConfig { simulations: 1, considered: 1, opening_plies: 0, ..config() };
    let mut pairs = Vec::new();
    for game in play(&noise, 1, 400).records {
        let samples = game.samples::<Giuthi>(&rules()).unwrap();
        let place = |ply: usize| {
            let actions: &Vec<_> = &samples[ply].actions;
            (actions.len(), actions.iter().position(|info| info.action == game.moves[ply].action).unwrap())
        };
        let ((_, first), (actions, second)) = (place(0), place(1));
        // The same noise again would choose the same place, if there is one.
        if first < actions {
            pairs.push((first, second));
        }
    }
    let same = pairs.iter().filter(|(first, second)| first == second).count();
    assert!(pairs.len() >= 50, "{}", pairs.len());
    assert!(
        2 * same < pairs.len(),
        "{same} of {} moves are in the same place as the one before",
        pairs.len()
    );
}

#[test]
fn drawn_moves_follow_the_policy_and_its_temperature() {
    let differing = |sampled_plies, temperature| {
        let drawn = SelfPlayConfig { sampled_plies, temperature, selection: SearchKind::Puct, ..config() };
        let played = play(&drawn, 1, 40);
        let mut differing = [0, 0];
        for game in &played.records {
            for (ply, record) in game.moves.iter().enumerate().filter(|(_, record)| !record.policy.is_empty())
            {
                let samples = game.samples::<Giuthi>(&rules()).unwrap();
                let actions = &samples[ply].actions;
                let place = actions.iter().position(|info| info.action == record.action).unwrap();
                assert!(record.policy[place] > 0, "an action without a share was drawn");
                differing[usize::from(ply >= 6)] +=
                    usize::from(record.policy[place] < *record.policy.iter().max().unwrap());
            }
        }
        differing
    };
    assert_eq!(differing(0, 1.0), [0, 0]);
    let [early, late] = differing(6, 1.0);
    assert!(early > 20 && late == 0, "{early} {late}");
    let [cold, _] = differing(6, 0.05);
    assert!(4 * cold < early, "{cold} {early}");
}

#[test]
fn margins_are_those_of_the_end_and_0_in_draws() {
    // Some of the games are stopped, which counts as a draw.
    let played = play(&SelfPlayConfig { max_plies: 14, ..config() }, 1, 60);
    let total = f32::from(2u8 * 4 * 3);
    let mut draws = 0;
    for game in &played.records {
        for sample in game.samples::<Giuthi>(&rules()).unwrap() {
            let own = sample.state.to_move().index();
            let lead = f32::from(game.scores[own]) - f32::from(game.scores[1 - own]);
            let is_draw = game.returns == [0.0; 2];
            assert_eq!(sample.margin, if is_draw { 0.0 } else { lead / total });
            assert_eq!(sample.margin > 0.0, sample.outcome > 0.0);
            draws += usize::from(is_draw && lead != 0.0);
        }
    }
    assert!(draws > 0, "no draw in which somebody leads");
}

/// Judges as another does, with all logits moved by a constant.
struct Shifted(f32);

impl Evaluator<Giuthi> for Shifted {
    fn evaluate(&mut self, leaves: &[Leaf<'_, Giuthi>], out: &mut Evaluations) -> Result<(), String> {
        UniformEvaluator.evaluate(leaves, out)?;
        // Priors and values that differ, in eighths, which floats add exactly.
        for (i, logit) in out.logits.iter_mut().enumerate() {
            *logit = (i % 3) as f32 / 8.0 + self.0;
        }
        Ok(())
    }
}

#[test]
fn only_differences_of_logits_count() {
    for selection in [SearchKind::Gumbel, SearchKind::Puct] {
        let one = SelfPlayConfig { selection, lockstep: 1, ..config() };
        let play = |shift| {
            play_games::<Giuthi>(&rules(), &mut Shifted(shift), &one, 1, 0..5, &mut |_| {}).unwrap().records
        };
        for (one, other) in play(0.0).iter().zip(&play(64.0)) {
            assert_eq!(line(one), line(other));
            for (one, other) in one.moves.iter().zip(&other.moves) {
                assert!((one.value - other.value).abs() < 1e-4, "{one:?} {other:?}");
            }
        }
    }
}

#[test]
fn time_is_split_into_parts_of_the_whole() {
    let stats = play(&config(), 1, 40).stats;
    assert!(stats.inference_seconds > 0.0 && stats.rules_seconds > 0.0);
    assert!(stats.inference_seconds + stats.rules_seconds + stats.search_seconds() >= 0.99 * stats.seconds);
    let rows = stats.rows as f64 / stats.calls as f64;
    assert!(rows > 1.0 && rows <= 4.0, "{rows}");
    // The root of each search is judged too, and ends need no judgement.
    assert!(stats.rows <= stats.simulations + stats.searched);
}
