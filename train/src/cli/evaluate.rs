//! `mancala evaluate`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use mancala_env::{GameSpec, Giuthi, GiuthiRules};
use mancala_search::AgentSpec;
use mancala_search::mcts::SearchLimit;
use mancala_search::net::{self, NetOptions};
use mancala_search::tablebase::{Calibration, Evaluation, Tablebase, TestSet, evaluate};
use serde::Serialize;

use super::{parse_agent, parse_game};
use crate::error::Usage;

/// Measure an agent against perfect play.
///
/// Positions are drawn from the tablebase, with leads that play can give, and only those count in which at least one legal action
/// loses value. Shown are the share of them in which the agent's action keeps the value, the points it loses (a win 1, a draw 1/2),
/// both beside those of a random player, and how far the outcomes that it expects, in positions of any kind, agree with perfect
/// play. A net plays without contempt for draws here; 0 simulations are its policy head alone.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    mancala evaluate --net runs/first --tablebase 5x2.tb\n  \
    mancala evaluate --net runs/first --tablebase 5x2.tb --sims 0,64 --positions 20000 --json\n  \
    mancala evaluate --agent alphabeta:depth=6 --game giuthi-5x4 --tablebase 5x2.tb")]
pub(super) struct Evaluate {
    /// The net: a run's folder, a checkpoint's, or a .safetensors file.
    #[arg(long, value_name = "WHAT", required_unless_present = "agent")]
    net: Option<String>,
    /// Any other agent, as alphabeta:depth=6; may be given more than once.
    #[arg(long, value_name = "AGENT", conflicts_with = "net", requires = "game")]
    agent: Vec<String>,
    /// The tablebase that knows the right answers.
    #[arg(long, value_name = "F")]
    tablebase: PathBuf,
    /// Simulations of the net's search, a line of the table each.
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "0,16,64")]
    sims: Vec<u32>,
    /// The game, as giuthi-5x4 [default: the one that the net is for].
    #[arg(long, value_name = "G")]
    game: Option<String>,
    /// Positions to draw.
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    positions: usize,
    /// The seed of the positions.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Print one JSON list, an object for each line of the table.
    #[arg(long)]
    json: bool,
}

/// A line of the table.
#[derive(Debug, Serialize)]
struct Line {
    agent: String,
    /// `None` for agents that were named as a whole.
    simulations: Option<u32>,
    #[serde(flatten)]
    evaluation: Evaluation,
}

impl Evaluate {
    pub(super) fn run(&self, out: &mut impl Write) -> anyhow::Result<ExitCode> {
        if self.positions == 0 {
            return Err(Usage::new("--positions 0: at least 1 is needed").into());
        }
        let rules = self.rules()?;
        let tablebase = Tablebase::open(&self.tablebase).map_err(Usage::new)?;
        let mut agents = Vec::new();
        for (spec, simulations) in self.agents()? {
            let agent =
                spec.build::<Giuthi>(&rules).map_err(|error| Usage::new(format!("{spec}: {error}")))?;
            agents.push((spec, simulations, agent));
        }
        let set = TestSet::draw(&tablebase, &rules, self.positions, self.seed).map_err(Usage::new)?;
        let mut lines = Vec::new();
        for (spec, simulations, mut agent) in agents {
            let evaluation = evaluate(&mut *agent, &set)?;
            lines.push(Line { agent: spec.to_string(), simulations, evaluation });
        }
        match self.json {
            true => writeln!(out, "{}", serde_json::to_string(&lines)?)?,
            false => self.write(out, &tablebase, &lines)?,
        }
        Ok(ExitCode::SUCCESS)
    }

    fn rules(&self) -> anyhow::Result<GiuthiRules> {
        let game = match (&self.game, &self.net) {
            (Some(game), _) => game.clone(),
            (None, Some(net)) => {
                net::read(net).map_err(|error| Usage::new(format!("--net {error}")))?.header.game
            }
            (None, None) => return Err(Usage::new("--game: which is needed with --agent").into()),
        };
        match parse_game(&game)? {
            GameSpec::Giuthi(rules) => Ok(rules),
            GameSpec::Kiothi(_) => Err(Usage::new(format!("{game}: tablebases are of giuthi")).into()),
        }
    }

    fn agents(&self) -> Result<Vec<(AgentSpec, Option<u32>)>, Usage> {
        match &self.net {
            Some(what) => Ok(self
                .sims
                .iter()
                .map(|&simulations| {
                    let options = NetOptions { limit: SearchLimit::Simulations(simulations), contempt: 0.0 };
                    (AgentSpec::Net { what: what.clone(), options }, Some(simulations))
                })
                .collect()),
            None => self.agent.iter().map(|text| Ok((parse_agent("--agent", text)?, None))).collect(),
        }
    }

    fn write(&self, out: &mut impl Write, tablebase: &Tablebase, lines: &[Line]) -> anyhow::Result<()> {
        let Some(Line { evaluation: first, .. }) = lines.first() else { return Ok(()) };
        writeln!(out, "{} positions of {}, seed {}", first.positions, tablebase.subject(), self.seed)?;
        writeln!(
            out,
            "A random player keeps the value in {:.1}% of them and loses {:.3} points.\n",
            100.0 * first.preserving_random,
            first.regret_random
        )?;
        let width = lines.iter().map(|line| line.agent.len()).max().unwrap_or(0).max("agent".len());
        writeln!(
            out,
            "{:width$}  {:>16}  {:>8}  {:>11}  {:>9}",
            "agent", "keeps the value", "regret", "calibration", "MSE"
        )?;
        for Line { agent, evaluation, .. } in lines {
            let Evaluation { preserving, preserving_se, regret, calibration, .. } = evaluation;
            let kept = format!("{:.2}% ± {:.2}", 100.0 * preserving, 100.0 * preserving_se);
            write!(out, "{agent:width$}  {kept:>16}  {regret:>8.4}")?;
            match calibration {
                Some(Calibration { calibration_error, mean_squared_error, .. }) => {
                    writeln!(out, "  {calibration_error:>11.3}  {mean_squared_error:>9.3}")?;
                }
                None => writeln!(out, "  {:>11}  {:>9}", "-", "-")?,
            }
        }
        for Line { agent, evaluation, .. } in lines {
            let Some(Calibration { bins, .. }) = &evaluation.calibration else { continue };
            writeln!(out, "\n{agent}: outcome expected and so (1 a win, 0 a draw, -1 a loss)")?;
            for bin in bins {
                writeln!(out, "  {:+.3}  {:+.3}  {:>7} positions", bin.expected, bin.outcome, bin.positions)?;
            }
        }
        Ok(())
    }
}
