//! `mancala play`.

mod session;

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use mancala_env::{Game, Player, for_game};
use mancala_search::AgentSpec;
use mancala_search::tablebase::Tablebase;

use super::{check_start, parse_agent, parse_game, positions};
use crate::error::Usage;
use crate::show::Board;
use session::{Seat, Session};

/// Play a game against an agent in the terminal.
///
/// Moves are typed in the game's notation: 12ccw or 3cw in Giuthi; 4:3, lift 4 or place 17 in Kiothi; several on a line if all
/// are yours. `help` lists what else may be typed, among it `moves`, `undo`, `laps` and `hint`. Where the input ends the game is left.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    mancala play --game giuthi-6x6 --against alphabeta:depth=4\n  \
    mancala play --game kiothi --against net:runs/first,sims=64 --as 1\n  \
    mancala play --game giuthi-4x4 --against greedy --position '1,5,0,2/0,1,2,0 0 0 p0'")]
pub(in crate::cli) struct Play {
    /// The game, as giuthi-8x8 or giuthi-8x8?capture=occupied.
    #[arg(long, value_name = "G")]
    game: String,
    /// The agent to play against, as alphabeta:depth=4 or net:runs/first,sims=64.
    #[arg(long, value_name = "AGENT")]
    against: String,
    /// The player you are, 0 or 1; Player 0 begins.
    #[arg(
        long = "as",
        value_name = "PLAYER",
        default_value_t = 0,
        value_parser = clap::value_parser!(u8).range(0..=1)
    )]
    player: u8,
    /// The seed of the agent: the same moves have the same answers.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// The position to start from, in the game's notation [default: the start of the game].
    #[arg(long, value_name = "P")]
    position: Option<String>,
}

impl Play {
    pub(in crate::cli) fn run(&self, out: &mut impl Write) -> anyhow::Result<ExitCode> {
        let spec = parse_game(&self.game)?;
        let agent = parse_agent("--against", &self.against)?;
        for_game!(spec, |rules: G| self.play::<G>(&rules, &agent, out))?;
        Ok(ExitCode::SUCCESS)
    }

    fn play<G: Game + Board>(
        &self,
        rules: &G::Rules,
        spec: &AgentSpec,
        out: &mut impl Write,
    ) -> anyhow::Result<()> {
        let start = positions::start::<G>(rules, self.position.as_deref())?;
        if let (Some(end), Some(text)) = (start.end(), &self.position) {
            return Err(Usage::new(format!("--position {text:?}: the game is over ({})", end.word())).into());
        }
        let mut agent = spec
            .build::<G>(rules)
            .map_err(|error| Usage::new(format!("--against {}: {error}", self.against)))?;
        check_start(spec, &start)?;
        agent.new_game(self.seed);
        let tablebase = spec.tablebase().map(Tablebase::open).transpose().map_err(Usage::new)?;
        let human = Player::from_index(self.player.into());
        let seat = Seat { human, agent, agent_name: spec.to_string(), tablebase };
        // Typed lines stand in the terminal already; a transcript of piped ones is to show them as well.
        let input = io::stdin();
        let shows_input = !input.is_terminal();
        Session::new(start, seat).run(&mut input.lock(), shows_input, out)
    }
}
