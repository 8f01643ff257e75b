//! Kiothi as text: `row of Player 0/row of Player 1 prison0 prison1 player phase nki`, moves as `4:3`, `lift 4`, `place 17`.

use super::{
    FieldError, FieldResult, ParseError, check_end, check_total, read_count, read_end, read_player, read_row,
    split_rows, words, write_row,
};
use crate::game::{Action, End, Game, Player};
use crate::kiothi::{BOMA, FIRST_LIFT, FIRST_PLACE, Kind, Kiothi, KiothiRules, MAX_WARRIORS, Phase, ROW};

const FORM: &str = "row of Player 0/row of Player 1 prison0 prison1 player phase nki";

pub(crate) fn write(kiothi: &Kiothi) -> String {
    let (zero, one) = kiothi.boma.split_at(ROW);
    let [prison0, prison1] = kiothi.prisons;
    let player = kiothi.to_move.index();
    let phase = match kiothi.phase {
        Phase::Lift => "lift".into(),
        Phase::SecondLift { first, hand } => format!("lift>{first}:{hand}"),
        Phase::Place { hand, floor } => format!("place:{hand}@{floor}"),
        Phase::Sow => "sow".to_owned(),
    };
    let nki: String = (0..BOMA).map(|boma| if kiothi.is_nki(boma) { 'x' } else { '.' }).collect();
    format!("{}/{} {prison0} {prison1} p{player} {phase} {nki}", write_row(zero), write_row(one))
}

pub(crate) fn read(rules: &KiothiRules, text: &str) -> Result<(Kiothi, Option<End>), ParseError> {
    read_fields(rules, text).map_err(|error| error.within("position", text))
}

fn read_fields(rules: &KiothiRules, text: &str) -> FieldResult<(Kiothi, Option<End>)> {
    let words = words(text, 6..=7, FORM)?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut kiothi = Kiothi::initial(rules);
    let (zero, one) = split_rows(words[0])?;
    let most = u16::from(MAX_WARRIORS);
    read_row("row of Player 0", "boma", 0, zero, most, &mut kiothi.boma[..ROW])?;
    read_row("row of Player 1", "boma", ROW, one, most, &mut kiothi.boma[ROW..])?;
    kiothi.prisons = [
        read_count("prison of Player 0", words[1], most)?,
        read_count("prison of Player 1", words[2], most)?,
    ];
    kiothi.to_move = read_player(words[3])?;
    kiothi.phase = read_phase(words[4])?;
    let end = read_end(words.get(6))?;
    kiothi.nki = read_nki(&kiothi, words[5], end)?;
    let all = kiothi.boma.into_iter().chain(kiothi.prisons).chain([kiothi.in_hand()]);
    check_total(all, most, "warriors")?;
    check_opening(&kiothi, end)?;
    check_end(end, kiothi.seeds_in_play(), !kiothi.is_over())?;
    if end.is_none() {
        kiothi.settle();
    }
    Ok((kiothi, end))
}

fn read_phase(text: &str) -> FieldResult<Phase> {
    let form =
        || FieldError::new("phase", format!("expected lift, lift>K:H, place:H@J or sow, found {text:?}"));
    let hand = |digits| match read_count("phase, warriors in hand", digits, MAX_WARRIORS.into())? {
        0 => Err(FieldError::new("phase, warriors in hand", "there must be at least one")),
        hand => Ok(hand),
    };
    if let Some(rest) = text.strip_prefix("lift>") {
        let (first, in_hand) = rest.split_once(':').ok_or_else(form)?;
        let first = read_count("phase, first lift", first, ROW as u16 - 1)?;
        return Ok(Phase::SecondLift { first, hand: hand(in_hand)? });
    }
    if let Some(rest) = text.strip_prefix("place:") {
        let (in_hand, floor) = rest.split_once('@').ok_or_else(form)?;
        let floor = read_count("phase, placement floor", floor, BOMA as u16 - 1)?;
        return Ok(Phase::Place { hand: hand(in_hand)?, floor });
    }
    match text {
        "lift" => Ok(Phase::Lift),
        "sow" => Ok(Phase::Sow),
        _ => Err(form()),
    }
}

/// A mark needs a warrior, but in a no-moves end, where the marks stand as they stood and the boma have been swept.
fn read_nki(kiothi: &Kiothi, text: &str, end: Option<End>) -> FieldResult<u32> {
    let signs = text.chars().count();
    if signs != BOMA {
        return Err(FieldError::new("nki", format!("expected {BOMA} signs, found {signs}")));
    }
    let mut nki = 0;
    for (boma, sign) in text.chars().enumerate() {
        let field = || format!("nki, boma {boma}");
        match sign {
            '.' => {}
            'x' if kiothi.phase != Phase::Sow => {
                return Err(FieldError::new(field(), "a mark before the opening is over"));
            }
            'x' if kiothi.boma[boma] == 0 && end != Some(End::NoMoves) => {
                return Err(FieldError::new(field(), "a mark on an empty boma"));
            }
            'x' => nki |= 1 << boma,
            _ => return Err(FieldError::new(field(), format!("expected x or a dot, found {sign:?}"))),
        }
    }
    Ok(nki)
}

/// The opening must be one that can be finished: every lift still owed finds its boma.
fn check_opening(kiothi: &Kiothi, end: Option<End>) -> FieldResult<()> {
    if kiothi.phase == Phase::Sow {
        return Ok(());
    }
    if let Some(end) = end {
        return Err(FieldError::new("end", format!("{} in the opening", end.word())));
    }
    let occupied =
        |player, from: usize| kiothi.row(player)[from..].iter().filter(|&&warriors| warriors > 0).count();
    let mover = kiothi.to_move;
    match kiothi.phase {
        Phase::Lift if occupied(mover, 0) < 2 => {
            return Err(FieldError::new("phase", "lift, but the player has fewer than two occupied boma"));
        }
        Phase::SecondLift { first, .. } if kiothi.row(mover)[usize::from(first)] > 0 => {
            return Err(FieldError::new("phase, first lift", format!("own boma {first} is not empty")));
        }
        Phase::SecondLift { first, .. } if occupied(mover, usize::from(first) + 1) == 0 => {
            let problem = format!("no own boma after {first} is left to lift");
            return Err(FieldError::new("phase, first lift", problem));
        }
        _ => {}
    }
    if mover == Player::Zero && occupied(Player::One, 0) < 2 {
        return Err(FieldError::new("row of Player 1", "fewer than two occupied boma for the lifts to come"));
    }
    Ok(())
}

pub(crate) fn action_name(kiothi: &Kiothi, action: Action) -> String {
    match Kind::of(action) {
        Kind::Sow { k, count } => format!("{}:{count}", kiothi.absolute(k)),
        Kind::Lift { k } => format!("lift {}", kiothi.absolute(k)),
        Kind::Place { j } => format!("place {}", kiothi.absolute(j)),
    }
}

pub(crate) fn parse_action(kiothi: &Kiothi, text: &str) -> Result<Action, ParseError> {
    parse_fields(kiothi, text).map_err(|error| error.within("move", text))
}

fn parse_fields(kiothi: &Kiothi, text: &str) -> FieldResult<Action> {
    let boma = |digits: &str| read_count("boma", digits.trim(), BOMA as u16 - 1);
    let own = |digits: &str| {
        let (boma, player) = (boma(digits)?, kiothi.to_move.index());
        match usize::from(boma) / ROW == player {
            true => Ok(Action::from(boma) % ROW as Action),
            false => Err(FieldError::new(
                "boma",
                format!("{boma} is not a boma of Player {player}, who is to move"),
            )),
        }
    };
    let trimmed = text.trim();
    if let Some(rest) = trimmed.strip_prefix("lift ") {
        return Ok(FIRST_LIFT + own(rest)?);
    }
    if let Some(rest) = trimmed.strip_prefix("place ") {
        return Ok(FIRST_PLACE + Action::from(kiothi.relative_pit(boma(rest)?)));
    }
    let Some((from, count)) = trimmed.split_once(':') else {
        return Err(FieldError::new("move", "expected a sowing as 4:3, or lift 4, or place 17"));
    };
    match read_count("warriors", count, MAX_WARRIORS.into())? {
        0 => Err(FieldError::new("warriors", "at least one must be sown")),
        count => Ok(60 * own(from)? + Action::from(count) - 1),
    }
}
