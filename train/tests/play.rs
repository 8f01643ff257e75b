//! `mancala play` from outside, with what is typed piped into it.

mod common;

use std::io::Write;
use std::process::{Command, Output, Stdio};

use common::refusal;
use mancala_env::{Game, GameSpec, Player, Position, for_game};
use mancala_search::AgentSpec;

/// Plays with these lines typed.
fn run(arguments: &[&str], typed: impl AsRef<[u8]>) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mancala"))
        .arg("play")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may have left before all was typed.
    let _ = child.stdin.take().unwrap().write_all(typed.as_ref());
    child.wait_with_output().unwrap()
}

/// The transcript of a session that must end well.
fn transcript(arguments: &[&str], typed: impl AsRef<[u8]>) -> String {
    let output = run(arguments, typed);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*message), (Some(0), ""), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// What is answered to each line typed.
fn answers(arguments: &[&str], typed: &[&str]) -> Vec<String> {
    let text = transcript(arguments, typed.iter().map(|line| format!("{line}\n")).collect::<String>());
    let mut answers: Vec<String> = Vec::new();
    for line in text.lines() {
        let is_prompt = ["Player 0> ", "Player 1> ", "over> "].iter().any(|prompt| line.starts_with(prompt));
        match answers.last_mut() {
            _ if is_prompt => answers.push(String::new()),
            Some(answer) => *answer += &format!("{line}\n"),
            None => {}
        }
    }
    assert_eq!(answers.pop().as_deref(), Some(""), "the prompt at which the input ended: {text}");
    assert_eq!(answers.len(), typed.len(), "{text}");
    answers
}

/// What is answered to the last of some lines.
fn answer(arguments: &[&str], typed: &[&str]) -> String {
    answers(arguments, typed).pop().unwrap()
}

/// A message that refuses to play.
fn refused(arguments: &[&str]) -> String {
    refusal(&run(arguments, ""), 2)
}

/// Plays a game with the library, the human the legal action in the middle; what has to be typed for it, and how it ends. Every
/// third move is taken back and made again, every fourth is looked at lap by lap.
fn game<G: Game>(rules: G::Rules, human: Player, seed: u64) -> (String, Position<G>) {
    let mut agent = AgentSpec::Random.build::<G>(&rules).unwrap();
    agent.new_game(seed);
    let mut position = Position::<G>::initial(rules);
    let (mut typed, mut moves) = (String::new(), 0);
    while !position.is_over() {
        let action = if position.to_move() == human {
            let legal = position.legal_actions();
            let action = legal[legal.len() / 2];
            let name = position.state().action_name(action);
            typed += &format!("{name}\n");
            if moves % 3 == 0 {
                typed += &format!("undo\n{name}\n");
            }
            if moves % 4 == 0 {
                typed += "laps\nlaps 1\n?\nnonsense\n";
            }
            moves += 1;
            action
        } else {
            agent.act(&position).unwrap()
        };
        position.play(action).unwrap();
    }
    (typed, position)
}

#[test]
fn whole_games_against_random_end_as_the_library_says() {
    for id in ["giuthi-4x3", "giuthi-6x6", "giuthi-5x4?capture=occupied", "kiothi-3x2", "kiothi-6x5"] {
        for human in [Player::Zero, Player::One] {
            for_game!(GameSpec::parse(id).unwrap(), |rules: G| {
                let (typed, end) = game::<G>(rules, human, 7);
                let player = human.index().to_string();
                let arguments = ["--game", id, "--against", "random", "--as", &player, "--seed", "7"];
                let text = transcript(&arguments, format!("{typed}position\nhint\n"));
                let [zero, one] = end.scores();
                let result = match end.winner() {
                    Some(winner) => {
                        format!("Player {} wins, {} to {}", winner.index(), zero.max(one), zero.min(one))
                    }
                    None => format!("a draw, {zero} to {one}"),
                };
                let word = end.end().unwrap().word();
                assert!(text.contains(&format!("The game is over ({word}): {result}.")), "{text}");
                assert!(text.contains(&format!("over> position\n{}\n", end.write())), "{text}");
                assert!(text.ends_with("over> hint\nThe game is over.\nover> \n"), "{text}");
                assert_eq!(text.matches("Taken back: ").count(), typed.matches("undo").count());
            });
        }
    }
}

const GIUTHI: [&str; 4] = ["--game", "giuthi-4x4", "--against", "greedy"];

/// Six seeds are to be had (docs/giuthi.md).
const CAPTURE: [&str; 6] =
    ["--game", "giuthi-4x4", "--against", "greedy", "--position", "1,5,0,2/0,1,2,0 0 0 p0"];

#[test]
fn the_board_is_drawn_from_player_0s_seat_and_flips() {
    let expected = "
               3     2     1     0   <- ccw
  Player 1 |   2     0     5     1  | captured   0  greedy
> Player 0 |   0     1     2     0  | captured   0  you
               4     5     6     7   -> ccw

";
    let flipped = "
               7     6     5     4   <- ccw
> Player 0 |   0     2     1     0  | captured   0  you
  Player 1 |   1     5     0     2  | captured   0  greedy
               0     1     2     3   -> ccw

";
    assert_eq!(
        answers(&CAPTURE, &["board", "flip", "board", "flip"]),
        [expected, flipped, flipped, expected]
    );
    let position = "1,2,3,4,5,6,7,0,9,0/0,0,0,0,1,0,0,0,0,2 3 4 p0 sow x..................x";
    let kiothi = answer(&["--game", "kiothi", "--against", "random", "--position", position], &["board"]);
    let expected = "
              19    18    17    16    15    14    13    12    11    10   <- sowing
  Player 1 |   2x    0     0     0     0     1     0     0     0     0  | captured   4  random
> Player 0 |   1x    2     3     4     5     6     7     0     9     0  | captured   3  you
               0     1     2     3     4     5     6     7     8     9   -> sowing
x marks a nki.

";
    assert_eq!(kiothi, expected);
}

#[test]
fn laps_show_how_a_capture_came_about() {
    let expected = "\
Player 0 plays 6ccw, from
               3     2     1     0   <- ccw
  Player 1 |   2     0     5     1  | captured   0  greedy
> Player 0 |   0     1     2     0  | captured   0  you
               4     5     6     7   -> ccw
lap 1: 2 seeds from pit 6 ccw, the last into pit 0, occupied: a relay with 2
           |   2     0     5    [2] |
           |   0     1     0     1  |
lap 2: 2 seeds from pit 0 cw, the last into pit 6, empty: a capture of 6
           |   2     0     5     0  |
           |   0     1    [1]    2  |
and then
               3     2     1     0   <- ccw
  Player 1 |   2     0     0     0  | captured   0  greedy
  Player 0 |   0     1     0     2  | captured   6  you
               4     5     6     7   -> ccw
";
    let typed = ["laps", "6ccw", "laps 2", "laps 99", "laps x"];
    let answers = answers(&CAPTURE, &typed);
    assert_eq!(answers[0], "No move has been played yet.\n");
    assert_eq!(answers[2], expected);
    assert!(answers[3].contains("not \"99\"") && answers[4].contains("not \"x\""));
}

#[test]
fn an_endless_sowing_is_cut_where_it_comes_round() {
    let endless =
        ["--game", "giuthi-2x2", "--against", "random", "--as", "1", "--position", "5,0/0,5 0 0 p1"];
    let [told, text] = &answers(&endless, &["0cw", "laps"])[..] else { panic!("two answers") };
    assert_eq!(text.lines().filter(|line| line.starts_with("lap ")).count(), 17);
    assert_eq!(text.lines().last().unwrap(), "All stands as after lap 1: the laps would never end.");
    assert!(told.starts_with("Player 1 plays 0cw: its laps would never end.\n"), "{told}");
    assert!(told.contains("The game is over (endless): a draw, 0 to 0.\n"), "{told}");
    let position = "0,1,0,1,2,1,2,1,4,1/6,5,7,1,2,1,9,1,8,7 0 0 p1 sow ..........x.x...x.x.";
    let proven = ["--game", "kiothi", "--against", "random", "--as", "1", "--position", position];
    assert!(answer(&proven, &["16:9", "laps"]).ends_with("they would never end.\n"));
}

// 531 laps (env/tests/giuthi/endless.rs).
#[test]
fn of_a_very_long_move_the_middle_is_left_out() {
    let long = ["--game", "giuthi-2x4", "--against", "random", "--position", "47,55/25,35 0 0 p0"];
    let text = answer(&long, &["3ccw", "laps 2"]);
    let shown: Vec<&str> = text.lines().filter(|line| line.starts_with("lap ")).collect();
    assert_eq!(shown.len(), 100);
    assert!(shown[89].starts_with("lap 90: ") && shown[90].starts_with("lap 522: "), "{shown:?}");
    assert!(shown[99].starts_with("lap 531: ") && text.contains("... 431 laps like these ...\n"));
}

#[test]
fn extra_moves_and_passes_are_said() {
    let at = |position: &'static str| ["--game", "giuthi-4x4", "--against", "random", "--position", position];
    let twice = answer(&at("0,0,0,2/2,2,0,2 0 0 p0"), &["5ccw 5ccw"]);
    assert_eq!(twice.matches("has earned an extra move.").count(), 2, "{twice}");
    let own_pass = answer(&at("0,0,0,2/0,2,0,0 0 0 p0"), &["5ccw"]);
    assert!(
        own_pass.contains("but no pit of his holds two seeds: he passes, and Player 1 moves."),
        "{own_pass}"
    );
    let pass = ["--game", "giuthi-2x4", "--against", "random", "--as", "1", "--position", "5,3/0,1 0 0 p1"];
    let pass = answer(&pass, &["1ccw"]);
    assert!(
        pass.contains("Player 0 has no pit of two seeds or more and passes: Player 1 moves again."),
        "{pass}"
    );
}

#[test]
fn a_wrong_move_says_why_and_changes_nothing() {
    let wrong = [
        ("4ccw", "illegal action 0 (4ccw): pit 4 is empty"),
        ("5cw", "pit 5 holds 1 seed; a move needs at least two"),
        ("1ccw", "1 is not a pit of Player 0"),
        ("99ccw", "99 is more than 7"),
        ("6", "expected ccw or cw"),
        ("castle", "`help` the commands"),
        ("undo undo", "`help` the commands"),
        ("undo", "nothing to take back"),
    ];
    let typed: Vec<&str> =
        ["board"].into_iter().chain(wrong.iter().flat_map(|&(text, _)| [text, "board"])).collect();
    let told = answers(&CAPTURE, &typed);
    for (pair, (text, why)) in told[1..].chunks(2).zip(wrong) {
        assert!(pair[0].contains(why) && pair[0].lines().count() == 1, "{text}: {}", pair[0]);
        assert_eq!(pair[1], told[0], "{text} changed something");
    }
    let kiothi = answers(&["--game", "kiothi", "--against", "random"], &["9:1", "lift 4 lift 4"]);
    assert!(kiothi[0].contains("the opening is not over: the player must lift a boma"), "{kiothi:?}");
    assert!(kiothi[1].starts_with("Player 0 plays lift 4.\n"), "{kiothi:?}");
    assert!(kiothi[1].contains("boma 4 is empty"), "{kiothi:?}");
    let more = answer(&CAPTURE, &["6ccw 6ccw"]);
    assert!(more.contains("6ccw is not played: it is not your turn any more."), "{more}");
}

#[test]
fn undo_takes_back_the_agents_answers_too() {
    let answers = answers(&GIUTHI, &["board", "4ccw", "undo"]);
    let (taken, board) = answers[2].split_once('\n').unwrap();
    assert!(taken.starts_with("Taken back: 4ccw (Player 0), ") && taken.contains("(Player 1)"), "{taken}");
    assert_eq!(board, answers[0]);
    // The agent's first move is nobody's to take back.
    let second = ["--game", "giuthi-4x4", "--against", "greedy", "--as", "1"];
    assert!(answer(&second, &["undo"]).contains("nothing to take back"));
    // And from a game that is over.
    let over = ["--game", "giuthi-2x2", "--against", "random", "--as", "1", "--position", "5,0/0,5 0 0 p1"];
    assert_eq!(answer(&over, &["0cw", "undo", "position"]), "5,0/0,5 0 0 p1\n");
}

#[test]
fn commands_answer() {
    let typed = ["?", "moves", "position", "help", "hint", "6ccw", "undo", "hint"];
    let answers = answers(&CAPTURE, &typed);
    assert_eq!(answers[..3], ["6ccw  6cw\n", "6ccw  6cw\n", "1,5,0,2/0,1,2,0 0 0 p0\n"]);
    for command in ["moves", "undo", "laps", "hint", "position", "board", "flip", "help", "quit"] {
        assert!(answers[3].contains(command), "{}", answers[3]);
    }
    let value = "value     +6.00 for Player 0 (seeds by which he ends ahead)\n";
    assert!(answers[4].starts_with(value), "{}", answers[4]);
    assert_eq!(answers[7], answers[4], "the agent answers the same again");
    assert!(transcript(&GIUTHI, "quit\n4ccw\n").ends_with("Player 0> quit\n"), "nothing is read after it");
    assert!(transcript(&GIUTHI, "").ends_with("Player 0> \n"), "the end of the input is no error");
    assert!(transcript(&GIUTHI, "\n  \n").ends_with("Player 0> \n"));
}

#[test]
fn whatever_is_typed_the_game_goes_on() {
    let text = transcript(&CAPTURE, b"\xff\xfe\0 6ccw\r\n6ccw,\r\n,\nlaps 1 2\nundo");
    assert!(text.contains("Player 0 plays 6ccw: 2 laps") && text.contains("Taken back: 6ccw"), "{text}");
    assert!(text.ends_with("Player 0> \n"), "{text}");
}

#[test]
fn the_seed_decides_what_the_agent_answers() {
    let with_seed = |seed: &str| {
        transcript(&["--game", "giuthi-8x8", "--against", "random", "--as", "1", "--seed", seed], "")
    };
    assert_eq!(with_seed("1"), with_seed("1"));
    assert!((2..6).any(|seed| with_seed(&seed.to_string()) != with_seed("1")));
}

#[test]
fn bad_usage_is_named() {
    let game =
        |arguments: &[&str]| refused(&[&["--game", "giuthi-2x2", "--against", "random"], arguments].concat());
    assert!(refused(&["--game", "chess", "--against", "random"]).contains("chess"));
    assert!(refused(&["--game", "giuthi", "--against", "chess"]).contains("--against chess"));
    assert!(refused(&["--game", "giuthi", "--against", "net:nowhere,sims=1"]).contains("nowhere"));
    assert!(refused(&["--game", "giuthi"]).contains("--against"));
    assert!(game(&["--as", "2"]).contains("2"));
    assert!(game(&["--seed", "-1"]).contains("-1"));
    assert!(game(&["--position", "x"]).contains("\"x\""));
    let over = game(&["--position", "1,0/0,1 3 3 p0"]);
    assert!(over.contains("1,0/0,1 3 3 p0") && over.contains("the game is over (no-moves)"), "{over}");
}
