//! What the actions of a position are worth, its history counted.
//!
//! Thresholds hold for a fresh history. A history can only take a win away: the line that wins may come back to a position that
//! has stood, which is a draw. A line that follows the ranks never comes back to where it has been, since along it the seeds in
//! play fall, or the slack grows, or the rank falls; so only positions from before it began can stand in its way.

use std::cmp::Reverse;

use mancala_env::{Action, End, Game, Giuthi, Player, Position};

use super::error::TablebaseError;
use super::margins::Margins;
use super::region::wins_despite;
use super::{Tablebase, lead};

/// What becomes of a game that both play perfectly, in the view of the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// The opponent wins.
    Loss,
    /// Nobody wins.
    Draw,
    /// The player to move wins.
    Win,
}

impl Class {
    /// `wins`, `draws` or `loses`: what an action does.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Win => "wins",
            Self::Draw => "draws",
            Self::Loss => "loses",
        }
    }

    /// The outcome: 1, 0 or -1.
    pub const fn outcome(self) -> f64 {
        2.0 * self.points() - 1.0
    }

    /// Points of a game: 1, 0.5 or 0.
    pub const fn points(self) -> f64 {
        match self {
            Self::Win => 1.0,
            Self::Draw => 0.5,
            Self::Loss => 0.0,
        }
    }
}

/// What an action is worth to the player who plays it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The action.
    pub action: Action,
    /// What it leads to, the history of the position counted.
    pub class: Class,
    /// The lead after it less the least that wins there, of a fresh history: 0 and more wins. `None` where no lead does, or
    /// where the action ends the game in a draw.
    pub win_slack: Option<i16>,
    /// The lead after it less the greatest that loses there: 0 and less loses. `None` where none does, or as above.
    pub loss_slack: Option<i16>,
    /// Seeds in play after it.
    seeds: u8,
    /// Ranks there, of the wins of the player who plays it and of the opponent.
    ranks: [u16; 2],
}

/// How far a player is on the way to a win: greater is nearer, and along the line that wins it only grows.
pub(super) type Progress = (Reverse<u8>, i16, Reverse<u16>);

impl Judgement {
    /// Among winning actions the greatest leads on to the win.
    pub(super) fn progress(&self) -> Progress {
        (Reverse(self.seeds), self.win_slack.unwrap_or(i16::MAX), Reverse(self.ranks[0]))
    }

    /// Among losing actions the greatest is the hardest for the opponent.
    pub(super) fn resistance(&self) -> (i16, u8, u16) {
        (self.loss_slack.unwrap_or(i16::MAX), self.seeds, self.ranks[1])
    }
}

/// Where a player stands in a state; `None` unless he wins there, of a fresh history.
pub(super) fn progress(tablebase: &Tablebase, state: &Giuthi, player: Player) -> Option<Progress> {
    let thresholds = tablebase.probe(state).ok()?;
    let lead = lead(state, state.to_move());
    let (slack, rank) = match state.to_move() == player {
        true => (lead - thresholds.win?, thresholds.win_rank),
        false => (thresholds.loss? - lead, thresholds.loss_rank),
    };
    (slack >= 0).then_some((Reverse(state.seeds_in_play()), slack, Reverse(rank)))
}

impl Tablebase {
    /// What becomes of a state of a fresh history, in the view of `player`; the state may be over.
    pub(super) fn class_for(&self, state: &Giuthi, player: Player) -> Class {
        let margins = match state.is_over() {
            true => Margins::exactly(0),
            false => self.margins(state),
        };
        let (lead, margins) = match state.to_move() == player {
            true => (lead(state, player), margins),
            false => (lead(state, player), margins.turned()),
        };
        class_of(lead, margins)
    }

    /// The final margin that one of the players can force for the player to move, of a fresh history: positive where he wins,
    /// negative where the opponent does, else 0. `None` for a state that it does not know.
    #[inline]
    pub(crate) fn forced_margin(&self, state: &Giuthi) -> Option<i16> {
        if !self.covers(state) {
            return None;
        }
        let (margins, lead) = (self.margins(state), lead(state, state.to_move()));
        Some(match class_of(lead, margins) {
            Class::Win => lead + i16::from(margins.won),
            Class::Draw => 0,
            Class::Loss => lead + i16::from(margins.lost),
        })
    }

    /// Judges every legal action, ascending, the history of the position counted: an action that wins with a fresh history and
    /// cannot with this one draws.
    ///
    /// # Errors
    /// As [`probe`](Self::probe).
    pub fn judge(&self, position: &Position<Giuthi>) -> Result<Vec<Judgement>, TablebaseError> {
        self.number(position.state())?;
        if position.is_over() {
            return Err(TablebaseError::Over { position: position.write() });
        }
        Ok(position.legal_actions().into_iter().map(|action| self.judge_action(position, action)).collect())
    }

    fn judge_action(&self, position: &Position<Giuthi>, action: Action) -> Judgement {
        let player = position.to_move();
        let mut child = position.clone();
        let played = child.play_unchecked(action);
        let state = child.state();
        let seeds = state.seeds_in_play();
        let drawn =
            Judgement { action, class: Class::Draw, win_slack: None, loss_slack: None, seeds, ranks: [0; 2] };
        let (margins, ranks) = match child.end() {
            Some(End::Repetition | End::Endless) => return drawn,
            Some(End::NoMoves) => (Margins::exactly(0), [0; 2]),
            None => {
                let number = super::moves::board_number(&self.index, state, seeds.into());
                let (margins, ranks) =
                    (self.margins_at(seeds.into(), number), self.ranks_at(seeds.into(), number));
                match state.to_move() == player {
                    true => (margins, ranks),
                    false => (margins.turned(), [ranks[1], ranks[0]]),
                }
            }
        };
        let lead = lead(state, player);
        let fresh = class_of(lead, margins);
        let winner = match fresh {
            Class::Win => Some(player),
            Class::Draw => None,
            Class::Loss => Some(player.other()),
        };
        let can_be_stopped = child.end().is_none() && played.captured == 0;
        let class = match winner {
            Some(winner) if can_be_stopped && !self.still_wins(position, &child, winner) => Class::Draw,
            _ => fresh,
        };
        let slack = |threshold: Option<i16>| threshold.map(|threshold| lead - threshold);
        Judgement {
            class,
            win_slack: slack(margins.win()),
            loss_slack: slack(margins.loss()),
            ranks,
            ..drawn
        }
    }

    /// Whether `winner`, who wins in `child` of a fresh history, does so although `position`, its parent, and what came before
    /// have stood.
    fn still_wins(&self, position: &Position<Giuthi>, child: &Position<Giuthi>, winner: Player) -> bool {
        let history = position.history();
        if history.len() == 1 {
            // The line from the child on never passes a position in which he does not win, nor one that is not nearer.
            let before = progress(self, position.state(), winner);
            if before < progress(self, child.state(), winner) {
                return true;
            }
        }
        wins_despite(self, child.state(), winner, history)
    }
}

/// The class of a lead between these thresholds.
pub(super) fn class_between(win: Option<i16>, loss: Option<i16>, lead: i16) -> Class {
    match (win, loss) {
        (Some(win), _) if lead >= win => Class::Win,
        (_, Some(loss)) if lead <= loss => Class::Loss,
        _ => Class::Draw,
    }
}

/// The class of a lead with these margins to come, all in the view of one player.
fn class_of(lead: i16, margins: Margins) -> Class {
    class_between(margins.win(), margins.loss(), lead)
}
