//! What an agent thinks of a position, for people and as JSON.

use std::cmp::Ordering;
use std::io::{self, Write};

use mancala_env::{Action, Game, Position};
use mancala_search::tablebase::{Class, Tablebase, TablebaseError};
use mancala_search::{Analysis, ValueUnit};
use serde::Serialize;

/// An analysis with the names of its moves, best first; all values are in the view of the player to move.
#[derive(Debug, Serialize)]
pub(super) struct Opinion {
    game: String,
    position: String,
    agent: String,
    to_move: usize,
    unit: &'static str,
    value: f64,
    /// What a tablebase says becomes of the game, if one knows the position.
    class: Option<&'static str>,
    line: Vec<LineMove>,
    actions: Vec<JudgedAction>,
    nodes: u64,
    depth: Option<u32>,
    /// The tablebase that the classes and slacks come from.
    #[serde(skip)]
    tablebase: Option<String>,
}

/// A move of the line that the agent expects.
#[derive(Debug, Serialize)]
struct LineMove {
    player: usize,
    action: Action,
    name: String,
}

#[derive(Debug, Serialize)]
struct JudgedAction {
    action: Action,
    name: String,
    value: Option<f64>,
    policy: Option<f64>,
    class: Option<&'static str>,
    win_slack: Option<i16>,
    loss_slack: Option<i16>,
}

impl Opinion {
    pub(super) fn new<G: Game>(agent: String, position: &Position<G>, analysis: &Analysis) -> Self {
        let name = |action| position.state().action_name(action);
        let judged = analysis.actions.iter().map(|judged| JudgedAction {
            action: judged.action,
            name: name(judged.action),
            value: judged.value.map(unsigned_zero),
            policy: judged.policy,
            class: None,
            win_slack: None,
            loss_slack: None,
        });
        let mut actions: Vec<JudgedAction> = judged.collect();
        actions.sort_by(|one, other| better_first(one, other, None));
        Self {
            game: G::id(position.rules()),
            position: position.write(),
            agent,
            to_move: position.to_move().index(),
            unit: match analysis.unit {
                ValueUnit::Margin => "margin",
                ValueUnit::Outcome => "outcome",
            },
            value: unsigned_zero(analysis.value),
            class: None,
            line: name_line(position, &analysis.line),
            actions,
            nodes: analysis.nodes,
            depth: analysis.depth,
            tablebase: None,
        }
    }

    /// Sets what a tablebase of the game says of every action beside what the agent thinks, the history of the position counted;
    /// nothing if it does not know the position.
    pub(super) fn with_tablebase<G: Game>(
        mut self,
        position: &Position<G>,
        tablebase: &Tablebase,
    ) -> Result<Self, TablebaseError> {
        let known = G::as_giuthi_position(position).filter(|position| tablebase.covers(position.state()));
        let Some(known) = known else { return Ok(self) };
        let judgements = tablebase.judge(known)?;
        for row in &mut self.actions {
            let judgement = judgements.iter().find(|judgement| judgement.action == row.action);
            row.class = judgement.map(|judgement| judgement.class.word());
            row.win_slack = judgement.and_then(|judgement| judgement.win_slack);
            row.loss_slack = judgement.and_then(|judgement| judgement.loss_slack);
        }
        self.class = judgements.iter().map(|judgement| judgement.class).max().map(Class::word);
        self.tablebase = Some(tablebase.path().into());
        // Of actions that the agent values alike the one that it would play, then those with more to spare.
        let first = self
            .line
            .first()
            .map(|step| step.action)
            .filter(|_| self.actions.iter().any(|row| row.value.is_some()));
        self.actions.sort_by(|one, other| better_first(one, other, first));
        Ok(self)
    }

    /// What was asked, and the opinion.
    pub(super) fn write_with_question(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "game      {}", self.game)?;
        writeln!(out, "position  {}", self.position)?;
        writeln!(out, "to move   Player {}", self.to_move)?;
        writeln!(out, "agent     {}", self.agent)?;
        self.write(out)
    }

    /// The opinion alone.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let unit = match self.unit {
            "margin" => "seeds by which he ends ahead",
            _ => "outcome he may expect: 1 a win, 0 a draw, -1 a loss",
        };
        writeln!(out, "value     {} for Player {} ({unit})", self.number(self.value), self.to_move)?;
        if let Some((class, tablebase)) = self.class.zip(self.tablebase.as_ref()) {
            writeln!(out, "class     Player {} {class} (perfect play, {tablebase})", self.to_move)?;
        }
        writeln!(out, "line      {}", self.line_text())?;
        let depth = self.depth.map(|depth| format!("depth {depth}, ")).unwrap_or_default();
        writeln!(out, "searched  {depth}{} nodes\n", self.nodes)?;
        for row in self.table() {
            writeln!(out, "{}", row.trim_end())?;
        }
        Ok(())
    }

    /// The moves of the line, with a player's number wherever another one moves.
    fn line_text(&self) -> String {
        let mut text = String::new();
        let mut mover = None;
        for LineMove { player, name, .. } in &self.line {
            match mover.replace(player) {
                Some(last) if last == player => text += " ",
                Some(_) => text += &format!("; Player {player}: "),
                None => text += &format!("Player {player}: "),
            }
            text += name;
        }
        text
    }

    /// The lines of the table of moves. A column that has nothing to say is left out.
    fn table(&self) -> Vec<String> {
        let or_dash = |cell: Option<String>| cell.unwrap_or_else(|| "-".into());
        let mut columns = vec![
            ("move", self.actions.iter().map(|row| row.name.clone()).collect::<Vec<_>>()),
            (
                "value",
                self.actions.iter().map(|row| or_dash(row.value.map(|value| self.number(value)))).collect(),
            ),
        ];
        if self.actions.iter().any(|row| row.policy.is_some()) {
            let share = |policy: f64| format!("{:.1}%", 100.0 * policy);
            columns.push(("share", self.actions.iter().map(|row| or_dash(row.policy.map(share))).collect()));
        }
        if self.class.is_some() {
            let slack = |slack: Option<i16>| or_dash(slack.map(|slack| format!("{slack:+}")));
            columns
                .push(("class", self.actions.iter().map(|row| or_dash(row.class.map(Into::into))).collect()));
            columns.push(("win slack", self.actions.iter().map(|row| slack(row.win_slack)).collect()));
            columns.push(("loss slack", self.actions.iter().map(|row| slack(row.loss_slack)).collect()));
        }
        let mut lines = vec![String::new(); self.actions.len() + 1];
        for (number, (header, cells)) in columns.iter().enumerate() {
            let width = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0).max(header.len());
            let cells = std::iter::once(*header).chain(cells.iter().map(String::as_str));
            for (line, cell) in lines.iter_mut().zip(cells) {
                *line += &match number {
                    0 => format!("{cell:width$}"),
                    _ => format!("  {cell:>width$}"),
                };
            }
        }
        lines
    }

    fn number(&self, value: f64) -> String {
        match self.unit {
            "margin" => format!("{value:+.2}"),
            _ => format!("{value:+.3}"),
        }
    }
}

/// By the agent's choice where it has a policy, else by value, what it has not judged last; of equals `first` comes first and the
/// others by what they have to spare.
fn better_first(one: &JudgedAction, other: &JudgedAction, first: Option<Action>) -> Ordering {
    let descending = |one: Option<f64>, other: Option<f64>| {
        let [one, other] = [one, other].map(|value| value.unwrap_or(f64::NEG_INFINITY));
        other.total_cmp(&one)
    };
    descending(one.policy, other.policy)
        .then(descending(one.value, other.value))
        .then((Some(one.action) != first).cmp(&(Some(other.action) != first)))
        .then(other.win_slack.cmp(&one.win_slack))
        .then(other.loss_slack.cmp(&one.loss_slack))
        .then(one.action.cmp(&other.action))
}

/// A zero without a sign.
fn unsigned_zero(value: f64) -> f64 {
    value + 0.0
}

/// The names of a line, as far as it can be played.
fn name_line<G: Game>(position: &Position<G>, line: &[Action]) -> Vec<LineMove> {
    let mut position = position.clone();
    let mut named = Vec::new();
    for &action in line {
        let (player, name) = (position.to_move().index(), position.state().action_name(action));
        if position.play(action).is_err() {
            break;
        }
        named.push(LineMove { player, action, name });
    }
    named
}
