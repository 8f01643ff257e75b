//! `mancala analyze`.

use std::io::Write;
use std::process::ExitCode;

use mancala_env::{Game, Position, for_game};
use mancala_search::AgentSpec;

use super::opinion::Opinion;
use super::{parse_agent, parse_game, positions};
use crate::error::Usage;

/// Show what an agent thinks of a position: its value, the line it expects, every legal move.
///
/// All values are in the view of the player to move: of alphabeta and greedy the seeds by which he ends ahead, of other agents the
/// outcome he may expect (1 a win, 0 a draw, -1 a loss). The best move comes first; where an agent has a policy, the move it would
/// rather choose.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    mancala analyze --game giuthi-6x6 --agent alphabeta:depth=6\n  \
    mancala analyze --game giuthi-4x4 --position '1,5,0,2/0,1,2,0 0 0 p0' --agent mcts:sims=800 --json\n  \
    mancala analyze --game giuthi-8x8 --moves '12ccw 3cw' --agent alphabeta:time=5")]
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
        let analysis = agent.analyze(&position)?;
        Ok(Opinion::new(spec.to_string(), &position, &analysis))
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
