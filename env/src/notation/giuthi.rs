//! Giuthi as text: `row of Player 1/row of Player 0 score0 score1 player`, moves as `12ccw`.

use super::{
    FieldError, FieldResult, ParseError, check_end, check_total, read_count, read_end, read_player, read_row,
    split_rows, words, write_row,
};
use crate::game::{Action, End, Game};
use crate::giuthi::{Direction, Giuthi, GiuthiRules, MAX_GIUTHI_SEEDS};

const FORM: &str = "row of Player 1/row of Player 0 score0 score1 player";

pub(crate) fn write(giuthi: &Giuthi) -> String {
    let (one, zero) = giuthi.pits().split_at(giuthi.row_len());
    let [score0, score1] = giuthi.scores;
    let player = giuthi.to_move.index();
    format!("{}/{} {score0} {score1} p{player}", write_row(one), write_row(zero))
}

pub(crate) fn read(rules: &GiuthiRules, text: &str) -> Result<(Giuthi, Option<End>), ParseError> {
    read_fields(rules, text).map_err(|error| error.within("position", text))
}

fn read_fields(rules: &GiuthiRules, text: &str) -> FieldResult<(Giuthi, Option<End>)> {
    let words = words(text, 4..=5, FORM)?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut giuthi = Giuthi::initial(rules);
    let row = giuthi.row_len();
    let (one, zero) = split_rows(words[0])?;
    let most = MAX_GIUTHI_SEEDS;
    read_row("row of Player 1", "pit", 0, one, most, &mut giuthi.pits[..row])?;
    read_row("row of Player 0", "pit", row, zero, most, &mut giuthi.pits[row..2 * row])?;
    giuthi.scores =
        [read_count("score of Player 0", words[1], most)?, read_count("score of Player 1", words[2], most)?];
    giuthi.to_move = read_player(words[3])?;
    let end = read_end(words.get(4))?;
    check_total(giuthi.pits.into_iter().chain(giuthi.scores), most, "seeds")?;
    check_end(end, giuthi.seeds_in_play(), !giuthi.is_over())?;
    if end.is_none() {
        giuthi.settle(giuthi.to_move);
    }
    Ok((giuthi, end))
}

pub(crate) fn parse_action(giuthi: &Giuthi, text: &str) -> Result<Action, ParseError> {
    parse_fields(giuthi, text).map_err(|error| error.within("move", text))
}

fn parse_fields(giuthi: &Giuthi, text: &str) -> FieldResult<Action> {
    let trimmed = text.trim();
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let (pit, word) = trimmed.split_at(digits);
    if digits == 0 {
        return Err(FieldError::new("pit", "expected a pit and a direction, as 12ccw or 3cw"));
    }
    let direction = [Direction::Ccw, Direction::Cw].into_iter().find(|direction| direction.word() == word);
    let Some(direction) = direction else {
        return Err(FieldError::new("direction", format!("expected ccw or cw, found {word:?}")));
    };
    let last = 2 * giuthi.row_len() - 1;
    let pit = usize::from(read_count("pit", pit, last as u16)?);
    let left = giuthi.own_left(giuthi.to_move);
    if !(left..left + giuthi.row_len()).contains(&pit) {
        let player = giuthi.to_move.index();
        let problem = format!("{pit} is not a pit of Player {player}, who is to move");
        return Err(FieldError::new("pit", problem));
    }
    Ok(giuthi.encode(pit, direction))
}
