//! `mancala analyze`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use mancala_env::{Game, Position, for_game};
use mancala_search::tablebase::{Tablebase, TablebaseError};
use mancala_search::{AgentError, AgentSpec};

use super::opinion::Opinion;
use super::{parse_agent, parse_game, positions};
use crate::error::Usage;

/// Show what an agent thinks of a position: its value, the line it expects, every legal move.
///
/// All values are in the view of the player to move: of alphabeta and greedy the seeds by which he ends ahead, of other agents the
/// outcome he may expect (1 a win, 0 a draw, -1 a loss). The best move comes first; where an agent has a policy, the move it would
/// rather choose.
///
/// Where a tablebase knows the position (that of the agent, or --tablebase) each move has its class too, whatever the agent thinks:
/// wins, draws or loses, if both play perfectly from there, with the position and its history counted. Its win slack is
/// the lead after it less the least lead that wins there (0 and more is enough), its loss slack the lead less the greatest
/// that loses (0 and less is too little).
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    mancala analyze --game giuthi-6x6 --agent alphabeta:depth=6\n  \
    mancala analyze --game giuthi-4x4 --position '1,5,0,2/0,1,2,0 0 0 p0' --agent mcts:sims=800 --json\n  \
    mancala analyze --game giuthi-8x8 --moves '12ccw 3cw' --agent alphabeta:time=5\n  \
    mancala analyze --game giuthi-3x3 --agent alphabeta:depth=4 --tablebase 3x3.tb")]
pub(super) struct Analyze {
    /// The game, as giuthi-8x8 or giuthi-8x8?capture=occupied.
    #[arg(long, value_name = "G")]
    game: String,
    /// The position, in the game's notation [default: the start of the game].
    #[arg(long, value_name = "P")]
    position: Option<String>,
    /// Moves to play from there first, as '12ccw 3cw'; what they lead through can come back, and be a draw.
    #[arg(long, value_name = "MOVES", default_value = "", hide_default_value = true)]
    moves: String,
    /// The agent, as alphabeta:depth=6 or net:runs/first,sims=64.
    #[arg(long, value_name = "AGENT")]
    agent: String,
    /// Judge the moves by this tablebase as well [default: that of the agent, where it has one that knows the position].
    #[arg(long, value_name = "F")]
    tablebase: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Analyze {
    pub(super) fn run(&self, out: &mut impl Write) -> anyhow::Result<ExitCode> {
        let spec = parse_game(&self.game)?;
        let agent = parse_agent("--agent", &self.agent)?;
        let opinion = for_game!(spec, |rules: G| self.analyze::<G>(&rules, &agent))?;
        match self.json {
            true => writeln!(out, "{}", serde_json::to_string(&opinion)?)?,
            false => opinion.write_with_question(out)?,
        }
        Ok(ExitCode::SUCCESS)
    }

    fn analyze<G: Game>(&self, rules: &G::Rules, spec: &AgentSpec) -> anyhow::Result<Opinion> {
        let position = self.position::<G>(rules)?;
        let mut agent =
            spec.build::<G>(rules).map_err(|error| Usage::new(format!("--agent {}: {error}", self.agent)))?;
        let tablebase = self.tablebase::<G>(&position, spec)?;
        let analysis = agent.analyze(&position).map_err(|error| match error {
            // As a position outside the agent's tablebase.
            AgentError::Unfit(_) => Usage::new(format!("--agent {}: {error}", self.agent)).into(),
            error => anyhow::Error::from(error),
        })?;
        let opinion = Opinion::new(spec.to_string(), &position, &analysis);
        match tablebase {
            Some(tablebase) => Ok(opinion.with_tablebase(&position, &tablebase)?),
            None => Ok(opinion),
        }
    }

    /// What the moves are judged by: the tablebase that was named, which must know the position, or else that of the agent.
    fn tablebase<G: Game>(
        &self,
        position: &Position<G>,
        spec: &AgentSpec,
    ) -> Result<Option<Tablebase>, Usage> {
        let Some(path) = &self.tablebase else {
            return spec.tablebase().map(Tablebase::open).transpose().map_err(Usage::new);
        };
        let asked = || {
            let tablebase = Tablebase::open(path)?;
            tablebase.check_game::<G>(position.rules())?;
            position.state().as_giuthi().map(|state| tablebase.probe(state)).transpose()?;
            Ok(tablebase)
        };
        asked().map(Some).map_err(|error: TablebaseError| Usage::new(format!("--tablebase: {error}")))
    }

    /// The position after the moves; the game must go on in it.
    fn position<G: Game>(&self, rules: &G::Rules) -> Result<Position<G>, Usage> {
        let mut position = positions::start(rules, self.position.as_deref())?;
        if let Some(end) = position.end() {
            let text = self.position.as_deref().unwrap_or_default();
            return Err(Usage::new(format!("--position {text:?}: the game is over ({})", end.word())));
        }
        for (i, text) in positions::split_moves(&self.moves).iter().enumerate() {
            let number = i + 1;
            let action = positions::read_move(&position, text)
                .map_err(|problem| Usage::new(format!("--moves, move {number} ({text}): {problem}")))?;
            position.play_unchecked(action);
        }
        match position.end() {
            None => Ok(position),
            Some(end) => Err(Usage::new(format!(
                "--moves {:?}: after them the game is over ({})",
                self.moves,
                end.word()
            ))),
        }
    }
}
