//! What holds of every board, start and option there is, through the closed choice of games at the edge.

use mancala_env::{ActionInfo, AnyPosition, Game, GameSpec, Position, for_position, perft};
use mancala_tests::{every_game, random_game};

#[test]
fn there_are_144_games_of_giuthi_and_41_of_kiothi() {
    let games = every_game();
    let giuthi = games.iter().filter(|game| matches!(game, GameSpec::Giuthi(_))).count();
    assert_eq!((giuthi, games.len() - giuthi), (144, 41));
}

#[test]
fn every_game_is_read_back_from_its_id() {
    for game in every_game() {
        assert_eq!(GameSpec::parse(&game.id()), Ok(game));
        assert_eq!(game.initial().spec(), game);
        let start = for_position!(game.initial(), |position| position.write());
        assert_eq!(game.read(&start).unwrap().spec(), game);
    }
}

fn check_game<G: Game>(start: Position<G>, game: &GameSpec) {
    let played = random_game(start, 7, 100);
    for (before, after) in played.iter().zip(&played[1..]) {
        // Some legal action leads to the next position, and its text to the same moves.
        let infos = before.legal_actions().into_iter().map(|action| ActionInfo::of(before, action));
        assert!(infos.into_iter().any(|(_, state)| state == *after.state()), "{}", before.write());
        let read = game.read(&after.write()).unwrap();
        let legal = for_position!(&read, |position| position.legal_actions());
        assert_eq!(legal, after.legal_actions(), "{}", after.write());
        assert_eq!(after.plies(), before.plies() + 1);
    }
    let end = played.last().unwrap();
    assert!(end.is_over() || played.len() == 101);
}

#[test]
fn random_games_go_on_until_they_end() {
    for game in every_game() {
        for_position!(game.initial(), |position| check_game(position, &game));
    }
}

/// Perft by playing every sequence from the start: no position is copied.
fn count_from_the_start(game: &GameSpec, moves: &mut Vec<u16>, depth: usize) -> u64 {
    let mut position = game.initial();
    let legal = for_position!(&mut position, |position| {
        for &action in moves.iter() {
            position.play(action).unwrap();
        }
        position.legal_actions()
    });
    if moves.len() + 1 == depth {
        return legal.len() as u64;
    }
    legal
        .into_iter()
        .map(|action| {
            moves.push(action);
            let count = count_from_the_start(game, moves, depth);
            moves.pop();
            count
        })
        .sum()
}

#[test]
fn perft_counts_what_can_be_played_from_the_start() {
    for game in every_game() {
        let counted = count_from_the_start(&game, &mut vec![], 3);
        let start: AnyPosition = game.initial();
        assert_eq!(for_position!(&start, |position| perft(position, 3)), counted, "{game}");
        assert_eq!(for_position!(&start, |position| perft(position, 0)), 1);
    }
}

#[test]
fn rules_from_a_file_are_checked() {
    use mancala_env::{GiuthiRules, KiothiRules};
    let giuthi = GiuthiRules::new(8, 8).unwrap();
    let text = serde_json::to_string(&giuthi).unwrap();
    assert_eq!(serde_json::from_str::<GiuthiRules>(&text).unwrap(), giuthi);
    for pits in [0, 1, 11, 200] {
        let altered = text.replace("\"pits\":8", &format!("\"pits\":{pits}"));
        let error = serde_json::from_str::<GiuthiRules>(&altered).unwrap_err().to_string();
        assert!(error.contains(&format!("no board of {pits} pits")), "{error}");
    }
    let kiothi = KiothiRules::new(6, 5).unwrap();
    let text = serde_json::to_string(&kiothi).unwrap();
    assert_eq!(serde_json::from_str::<KiothiRules>(&text).unwrap(), kiothi);
    let altered = text.replace("\"warriors\":5", "\"warriors\":6");
    assert!(serde_json::from_str::<KiothiRules>(&altered).is_err());
}
