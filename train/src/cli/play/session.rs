//! A game between a human and an agent: what is typed, and what is answered.

use std::io::{self, BufRead, Write};

use mancala_env::{Player, Position};
use mancala_search::Agent;
use mancala_search::tablebase::Tablebase;

use crate::cli::opinion::Opinion;
use crate::cli::positions::{read_move, split_moves};
use crate::show::{Board, Ply, View, tell_end};

const HELP: &str = "\
a move            as the list of `moves` names it; several on a line if all are yours
moves, ?          the legal moves
undo              take back your last move and what was answered
laps [N]          the last move (or the Nth last) lap by lap
hint              what the agent thinks of this position
position          the position as text
board             the board
flip              the board from the other seat, from now on
help              this
quit              leave the game; so does the end of the input";

/// Lists of moves are broken at this width.
const WIDTH: usize = 100;

/// Who plays.
pub(super) struct Seat<G: Board> {
    pub(super) human: Player,
    pub(super) agent: Box<dyn Agent<G>>,
    pub(super) agent_name: String,
    /// That of the agent, for hints.
    pub(super) tablebase: Option<Tablebase>,
}

/// A game as it stands, and how it came about.
pub(super) struct Session<G: Board> {
    position: Position<G>,
    plies: Vec<Ply<G>>,
    seat: Seat<G>,
    /// Whose row is drawn below.
    below: Player,
}

/// Whether the session goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    GoOn,
    Quit,
}

impl<G: Board> Session<G> {
    pub(super) fn new(start: Position<G>, seat: Seat<G>) -> Self {
        Self { position: start, plies: Vec::new(), seat, below: Player::Zero }
    }

    /// Plays until `quit` or the end of the input; `shows_input` writes each line that was read after the prompt.
    pub(super) fn run(
        mut self,
        input: &mut impl BufRead,
        shows_input: bool,
        out: &mut impl Write,
    ) -> anyhow::Result<()> {
        let (human, game) = (self.seat.human, G::id(self.position.rules()));
        writeln!(
            out,
            "{game}: you are Player {}, {} is Player {}. `help` lists what may be typed.",
            human.index(),
            self.seat.agent_name,
            human.other().index()
        )?;
        if self.position.to_move() != human {
            self.write_board(out)?;
        }
        self.let_agent_move(out)?;
        self.write_board(out)?;
        loop {
            match self.position.is_over() {
                true => write!(out, "over> ")?,
                false => write!(out, "Player {}> ", human.index())?,
            }
            out.flush()?;
            let Some(line) = read_line(input)? else {
                writeln!(out)?;
                return Ok(());
            };
            if shows_input {
                writeln!(out, "{line}")?;
            }
            if self.obey(&line, out)? == Next::Quit {
                return Ok(());
            }
        }
    }

    fn obey(&mut self, line: &str, out: &mut impl Write) -> anyhow::Result<Next> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [] => {}
            ["quit" | "exit" | "q"] => return Ok(Next::Quit),
            ["help" | "h"] => writeln!(out, "{HELP}")?,
            ["moves" | "?"] => self.write_moves(out)?,
            ["board"] => self.write_board(out)?,
            ["flip"] => {
                self.below = self.below.other();
                self.write_board(out)?;
            }
            ["position"] => writeln!(out, "{}", self.position.write())?,
            ["hint"] => self.write_hint(out)?,
            ["undo"] => self.undo(out)?,
            ["laps"] => self.write_laps("1", out)?,
            ["laps", number] => self.write_laps(number, out)?,
            _ => self.play_line(line, out)?,
        }
        Ok(Next::GoOn)
    }

    /// Plays the moves of a line as long as the human is to move, and lets the agent answer.
    fn play_line(&mut self, line: &str, out: &mut impl Write) -> anyhow::Result<()> {
        let before = self.plies.len();
        for text in split_moves(line) {
            if self.plies.len() > before && !self.is_humans_turn() {
                writeln!(out, "{text} is not played: it is not your turn any more.")?;
                break;
            }
            match read_move(&self.position, &text) {
                Ok(action) => {
                    let ply = Ply::play(&mut self.position, action);
                    write_lines(out, ply.tell())?;
                    self.plies.push(ply);
                }
                Err(problem) => {
                    // What is no move at all may have been meant as a command.
                    let advice = match self.position.state().parse_action(&text) {
                        Ok(_) => "",
                        Err(_) => "; `moves` lists the legal moves, `help` the commands",
                    };
                    writeln!(out, "{problem}{advice}")?;
                    break;
                }
            }
        }
        if self.plies.len() > before {
            self.let_agent_move(out)?;
            self.write_board(out)?;
        }
        Ok(())
    }

    fn is_humans_turn(&self) -> bool {
        !self.position.is_over() && self.position.to_move() == self.seat.human
    }

    /// The agent's moves until the human is to move; and how the game ended, if it has.
    fn let_agent_move(&mut self, out: &mut impl Write) -> anyhow::Result<()> {
        // Kiothi's opening is a dozen small moves: they are told in one line.
        let mut opening: Vec<String> = Vec::new();
        while !self.position.is_over() && !self.is_humans_turn() {
            let action = self.seat.agent.act(&self.position)?;
            let ply = Ply::play(&mut self.position, action);
            match ply.is_opening() {
                true => opening.push(ply.name()),
                false => write_lines(out, ply.tell())?,
            }
            self.plies.push(ply);
            if !opening.is_empty() && (self.position.is_over() || self.is_humans_turn()) {
                let player = self.seat.human.other().index();
                writeln!(out, "Player {player} plays {}.", opening.join(", "))?;
            }
        }
        if let Some(end) = self.position.end() {
            write_lines(out, tell_end(&self.position, end))?;
        }
        Ok(())
    }

    /// Goes back to before the human's last move.
    fn undo(&mut self, out: &mut impl Write) -> anyhow::Result<()> {
        let Some(last) = self.plies.iter().rposition(|ply| ply.mover() == self.seat.human) else {
            writeln!(out, "You have not moved yet: there is nothing to take back.")?;
            return Ok(());
        };
        let taken: Vec<Ply<G>> = self.plies.drain(last..).collect();
        self.position = taken[0].before.clone();
        let names: Vec<String> =
            taken.iter().map(|ply| format!("{} (Player {})", ply.name(), ply.mover().index())).collect();
        writeln!(out, "Taken back: {}.", names.join(", "))?;
        self.write_board(out)
    }

    fn view(&self) -> View<'_> {
        let names = [Player::Zero, Player::One]
            .map(|player| if player == self.seat.human { "you" } else { self.seat.agent_name.as_str() });
        View { seat: self.below, names }
    }

    fn write_board(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let to_move = (!self.position.is_over()).then(|| self.position.to_move());
        writeln!(out)?;
        write_lines(out, self.view().board(self.position.state(), to_move))?;
        writeln!(out)?;
        Ok(())
    }

    fn write_moves(&self, out: &mut impl Write) -> io::Result<()> {
        let names =
            self.position.legal_actions().into_iter().map(|action| self.position.state().action_name(action));
        let mut lines = vec![String::new()];
        for name in names {
            if lines.last().is_some_and(|line| line.len() + name.len() >= WIDTH) {
                lines.push(String::new());
            }
            if let Some(line) = lines.last_mut() {
                *line += if line.is_empty() { "" } else { "  " };
                *line += &name;
            }
        }
        match self.position.is_over() {
            true => writeln!(out, "There are none: the game is over."),
            false => write_lines(out, lines),
        }
    }

    fn write_laps(&self, number: &str, out: &mut impl Write) -> io::Result<()> {
        let back = number.parse::<usize>().ok().filter(|&number| number > 0);
        let ply = back.and_then(|back| self.plies.len().checked_sub(back)).map(|index| &self.plies[index]);
        match ply {
            Some(ply) => write_lines(out, ply.tell_laps(self.view())),
            None if self.plies.is_empty() => writeln!(out, "No move has been played yet."),
            None => {
                writeln!(
                    out,
                    "laps takes a number from 1, the last move, to {}, not {number:?}",
                    self.plies.len()
                )
            }
        }
    }

    fn write_hint(&mut self, out: &mut impl Write) -> anyhow::Result<()> {
        if self.position.is_over() {
            writeln!(out, "The game is over.")?;
            return Ok(());
        }
        let analysis = self.seat.agent.analyze(&self.position)?;
        let mut opinion = Opinion::new(self.seat.agent_name.clone(), &self.position, &analysis);
        if let Some(tablebase) = &self.seat.tablebase {
            opinion = opinion.with_tablebase(&self.position, tablebase)?;
        }
        opinion.write(out)?;
        Ok(())
    }
}

fn write_lines(out: &mut impl Write, lines: Vec<String>) -> io::Result<()> {
    lines.iter().try_for_each(|line| writeln!(out, "{}", line.trim_end()))
}

/// The next line without its end; `None` at the end of the input. Whatever is no UTF-8 is no move either.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    match input.read_until(b'\n', &mut bytes)? {
        0 => Ok(None),
        _ => Ok(Some(String::from_utf8_lossy(&bytes).trim().to_owned())),
    }
}
