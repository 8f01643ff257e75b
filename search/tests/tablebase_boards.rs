//! Boards that are no states, asked about as batches do.

use mancala_env::{Game, Giuthi, GiuthiRules, Player};
use mancala_search::tablebase::{BuildSettings, Tablebase, Thresholds, build};

/// All boards of so many pits with at most `seeds` seeds.
fn boards(pits: usize, seeds: u8) -> Vec<Vec<u8>> {
    let mut boards = vec![Vec::new()];
    for _ in 0..pits {
        let longer = |board: Vec<u8>| {
            let left = seeds - board.iter().sum::<u8>();
            (0..=left).map(move |pit| [&board[..], &[pit]].concat())
        };
        boards = boards.into_iter().flat_map(longer).collect();
    }
    boards
}

#[test]
fn every_board_is_what_its_settled_state_is() {
    const SEEDS: u8 = 7;
    let folder = tempfile::tempdir().unwrap();
    for pits in [2, 3] {
        let path = folder.path().join(format!("{pits}.tb"));
        let rules = GiuthiRules::new(pits, 2).unwrap();
        build(&path, &rules, SEEDS.into(), &BuildSettings::default(), &()).unwrap();
        let table = Tablebase::open(&path).unwrap();
        let mut met = [0; 3];
        for board in boards(2 * usize::from(pits), SEEDS) {
            // Player 1's row is numbered from 0.
            let state = Giuthi::from_pits(&rules, &board, [0; 2], Player::One).unwrap();
            let (kind, expected) = if state.is_over() {
                let margin = i16::from(state.scores()[1]) - i16::from(state.scores()[0]);
                let (win, loss) = (Some(1 - margin), Some(-1 - margin));
                (2, Thresholds { win, loss, win_rank: 0, loss_rank: 0 })
            } else if state.to_move() == Player::One {
                (0, table.probe(&state).unwrap())
            } else {
                (1, table.probe(&state).unwrap().turned())
            };
            met[kind] += 1;
            assert_eq!(table.probe_board(&board), Some(expected), "{board:?}");
        }
        assert!(met.iter().all(|&boards| boards > 10), "{met:?}");
        let mut full = vec![0; 2 * usize::from(pits)];
        full[0] = SEEDS + 1;
        assert_eq!(table.probe_board(&full), None);
        full.fill(255);
        assert_eq!(table.probe_board(&full), None);
    }
}
