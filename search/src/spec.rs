//! Agents as text: `alphabeta:depth=8`, `mcts:sims=800`, `net:runs/one,sims=64`.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use mancala_env::Game;

use crate::agent::{Agent, AgentError};
use crate::alphabeta::{AlphaBeta, AlphaBetaLimit, AlphaBetaOptions, MAX_DEPTH};
use crate::evaluator::RolloutEvaluator;
use crate::mcts::{MAX_SIMULATIONS, MctsAgent, SearchLimit, Settings};
use crate::net::{self, NetOptions};
use crate::simple::{GreedyAgent, RandomAgent};
use crate::tablebase::{Tablebase, TablebaseAgent, TablebaseEvaluator, WithTablebase};

/// What there is.
const FORMS: &str = "there are random, greedy, alphabeta:depth=8|nodes=100000|time=0.1, mcts:sims=800|time=0.1, \
                     net:WHAT,sims=64|time=0.1 and tablebase:FILE";

/// Nobody waits longer for a move, seconds.
const MAX_TIME: f64 = 86_400.0;
/// More nodes take days.
const MAX_NODES: u64 = 1_000_000_000_000;

/// An agent as named on the command line and in Python.
///
/// ```
/// use mancala_env::{Giuthi, GiuthiRules, Position};
/// use mancala_search::AgentSpec;
///
/// let rules = GiuthiRules::new(5, 4).unwrap();
/// let spec: AgentSpec = "alphabeta:depth=4".parse()?;
/// let mut agent = spec.build::<Giuthi>(&rules)?;
/// let start = Position::<Giuthi>::initial(rules);
/// assert!(start.is_legal(agent.act(&start)?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum AgentSpec {
    /// `random`.
    Random,
    /// `greedy`.
    Greedy,
    /// `alphabeta:` with `depth=`, `nodes=` or `time=`, also `table=off` and `ordering=off`.
    AlphaBeta(AlphaBetaOptions),
    /// `mcts:` with `sims=` or `time=`: tree search over random rollouts.
    Mcts(SearchLimit),
    /// `net:` with a net and `sims=` (0: the policy head alone) or `time=`, also `contempt=`.
    Net {
        /// The net: one that ships, a run's folder, a checkpoint's, or a `.safetensors` file.
        what: String,
        /// How it plays.
        options: NetOptions,
    },
    /// `tablebase:FILE`: perfect play in the positions of the file, an error elsewhere.
    Tablebase {
        /// The file.
        file: String,
    },
    /// One that searches, with `tb=FILE`: it plays perfectly in the positions of the file and looks them up where its search
    /// gets there.
    With {
        /// The agent elsewhere.
        agent: Box<AgentSpec>,
        /// The file.
        tablebase: String,
    },
}

/// A text that names no agent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("agent {spec:?}: {problem}")]
pub struct AgentSpecError {
    /// The text as given.
    pub spec: String,
    /// Which part of it is wrong, and what may stand there.
    pub problem: String,
}

impl FromStr for AgentSpec {
    type Err = AgentSpecError;

    fn from_str(text: &str) -> Result<Self, AgentSpecError> {
        parse(text).map_err(|problem| AgentSpecError { spec: text.into(), problem })
    }
}

impl fmt::Display for AgentSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => f.write_str("random"),
            Self::Greedy => f.write_str("greedy"),
            Self::AlphaBeta(options) => {
                match options.limit {
                    AlphaBetaLimit::Depth(depth) => write!(f, "alphabeta:depth={depth}")?,
                    AlphaBetaLimit::Nodes(nodes) => write!(f, "alphabeta:nodes={nodes}")?,
                    AlphaBetaLimit::Time(time) => write!(f, "alphabeta:time={time}")?,
                }
                let off = [(options.table, ",table=off"), (options.ordering, ",ordering=off")];
                off.iter().filter(|(is_on, _)| !is_on).try_for_each(|(_, text)| f.write_str(text))
            }
            Self::Mcts(limit) => write!(f, "mcts:{limit}"),
            Self::Net { what, options } => {
                write!(f, "net:{what},{}", options.limit)?;
                match options.contempt {
                    NetOptions::CONTEMPT => Ok(()),
                    contempt => write!(f, ",contempt={contempt}"),
                }
            }
            Self::Tablebase { file } => write!(f, "tablebase:{file}"),
            Self::With { agent, tablebase } => write!(f, "{agent},tb={tablebase}"),
        }
    }
}

impl fmt::Display for SearchLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Simulations(simulations) => write!(f, "sims={simulations}"),
            Self::Time(time) => write!(f, "time={time}"),
        }
    }
}

impl AgentSpec {
    /// Whether its answers depend on how fast the machine is and what else it does.
    pub fn is_timed(&self) -> bool {
        match self {
            Self::Random | Self::Greedy | Self::Tablebase { .. } => false,
            Self::With { agent, .. } => agent.is_timed(),
            Self::AlphaBeta(options) => matches!(options.limit, AlphaBetaLimit::Time(_)),
            Self::Mcts(limit) | Self::Net { options: NetOptions { limit, .. }, .. } => {
                matches!(limit, SearchLimit::Time(_))
            }
        }
    }

    /// The file of its tablebase, where it has one.
    pub fn tablebase(&self) -> Option<&str> {
        match self {
            Self::Tablebase { file } | Self::With { tablebase: file, .. } => Some(file),
            _ => None,
        }
    }

    /// Whether it judges many positions together in less time than one by one.
    pub fn is_batched(&self) -> bool {
        match self {
            Self::With { agent, .. } => agent.is_batched(),
            _ => matches!(self, Self::Net { .. }),
        }
    }

    /// Makes the agent for a game.
    ///
    /// # Errors
    /// If the agent needs what is not there or not for this game, as a net of another board.
    pub fn build<G: Game>(&self, rules: &G::Rules) -> Result<Box<dyn Agent<G>>, AgentError> {
        match self {
            Self::Tablebase { file } => {
                Ok(Box::new(TablebaseAgent::new::<G>(Arc::new(Tablebase::open(file)?), rules)?))
            }
            Self::With { agent, tablebase } => {
                let tablebase = Arc::new(Tablebase::open(tablebase)?);
                let perfect = TablebaseAgent::new::<G>(tablebase.clone(), rules)?;
                Ok(Box::new(WithTablebase::new(perfect, agent.build_with(rules, Some(tablebase))?)))
            }
            _ => self.build_with(rules, None),
        }
    }

    /// Makes an agent that may look positions up.
    fn build_with<G: Game>(
        &self,
        rules: &G::Rules,
        tablebase: Option<Arc<Tablebase>>,
    ) -> Result<Box<dyn Agent<G>>, AgentError> {
        Ok(match self {
            Self::Random => Box::new(RandomAgent::new()),
            Self::Greedy => Box::new(GreedyAgent::new()),
            Self::AlphaBeta(options) => Box::new(AlphaBeta::new(*options)?.with_tablebase(tablebase)),
            Self::Mcts(limit) => {
                let evaluator = TablebaseEvaluator::new(RolloutEvaluator::new(), tablebase);
                Box::new(match *limit {
                    SearchLimit::Simulations(simulations) => {
                        MctsAgent::new(rules, evaluator, Settings::puct(simulations))
                    }
                    SearchLimit::Time(seconds) => MctsAgent::timed(rules, evaluator, seconds),
                })
            }
            Self::Net { what, options } => net::agent(what, rules, *options, tablebase)?,
            Self::Tablebase { .. } | Self::With { .. } => self.build(rules)?,
        })
    }
}

fn parse(text: &str) -> Result<AgentSpec, String> {
    let Some((text, tablebase)) = split_tablebase(text)? else { return parse_alone(text) };
    match parse_alone(&text)? {
        agent @ (AgentSpec::AlphaBeta(_) | AgentSpec::Mcts(_) | AgentSpec::Net { .. }) => {
            Ok(AgentSpec::With { agent: Box::new(agent), tablebase })
        }
        agent => Err(format!("tb: {agent} does not search, so it looks nothing up")),
    }
}

/// The text without its option `tb=FILE`, and FILE; `None` if it has no such option.
fn split_tablebase(text: &str) -> Result<Option<(String, String)>, String> {
    let Some((name, rest)) = text.split_once(':') else { return Ok(None) };
    let mut options: Vec<&str> = rest.split(',').collect();
    // The name of a net may hold anything, so there options are the last parts that look like some.
    let last_of_name = options.iter().rposition(|option| name == "net" && !option.contains('='));
    let first = last_of_name.map_or(0, |last| last + 1);
    let Some(at) = (first..options.len()).find(|&at| options[at].starts_with("tb=")) else { return Ok(None) };
    let file = options.remove(at)["tb=".len()..].to_string();
    if file.is_empty() {
        return Err("tb: expected tb=FILE".into());
    }
    if options[at..].iter().any(|option| option.starts_with("tb=")) {
        return Err("tb is given twice".into());
    }
    let rest = if options.is_empty() { name.into() } else { format!("{name}:{}", options.join(",")) };
    Ok(Some((rest, file)))
}

fn parse_alone(text: &str) -> Result<AgentSpec, String> {
    let (name, rest) = match text.split_once(':') {
        Some((name, rest)) => (name, Some(rest)),
        None => (text, None),
    };
    let plain = |spec| match rest {
        None => Ok(spec),
        Some(rest) => Err(format!("{name} takes no options, found {rest:?}")),
    };
    match name {
        "random" => plain(AgentSpec::Random),
        "greedy" => plain(AgentSpec::Greedy),
        "alphabeta" => parse_alphabeta(rest.unwrap_or_default()),
        "mcts" => Ok(AgentSpec::Mcts(parse_limit(name, rest.unwrap_or_default(), 1)?)),
        "net" => parse_net(rest.unwrap_or_default()),
        "tablebase" => match rest {
            None | Some("") => Err("expected tablebase:FILE".into()),
            Some(file) => Ok(AgentSpec::Tablebase { file: file.into() }),
        },
        _ => Err(format!("no agent {name:?}; {FORMS}")),
    }
}

fn parse_alphabeta(options: &str) -> Result<AgentSpec, String> {
    const ALLOWED: &str = "expected exactly one of depth=8, nodes=100000 and time=0.1, and besides table=off, ordering=off or tb=FILE";
    let mut limits = Vec::new();
    let (mut table, mut ordering) = (None, None);
    for option in options.split(',').filter(|_| !options.is_empty()) {
        let (key, value) = option.split_once('=').ok_or_else(|| format!("{ALLOWED}, found {option:?}"))?;
        match key {
            "depth" => limits.push(AlphaBetaLimit::Depth(number(key, value, 1, MAX_DEPTH.into())? as u32)),
            "nodes" => limits.push(AlphaBetaLimit::Nodes(number(key, value, 1, MAX_NODES)?)),
            "time" => limits.push(AlphaBetaLimit::Time(time(value)?)),
            "table" => switch(&mut table, key, value)?,
            "ordering" => switch(&mut ordering, key, value)?,
            _ => return Err(format!("alphabeta has no option {key:?}; {ALLOWED}")),
        }
    }
    let [limit] = limits[..] else { return Err(format!("{ALLOWED}, found {} limits", limits.len())) };
    let (table, ordering) = (table.unwrap_or(true), ordering.unwrap_or(true));
    Ok(AgentSpec::AlphaBeta(AlphaBetaOptions { table, ordering, ..AlphaBetaOptions::new(limit) }))
}

fn parse_net(text: &str) -> Result<AgentSpec, String> {
    const FORM: &str = "expected net:WHAT,sims=64 or net:WHAT,time=0.1";
    let (mut what, mut contempt) = (text, None);
    let mut limit = None;
    // The name of a folder may hold commas, so options are what follows the last ones.
    while let Some((before, option)) = what.rsplit_once(',') {
        match option.split_once('=') {
            Some(("contempt", value)) if contempt.is_none() => contempt = Some(share("contempt", value)?),
            _ if limit.is_none() => limit = Some(parse_limit("net", option, 0)?),
            _ => break,
        }
        what = before;
    }
    let limit = limit.ok_or(FORM)?;
    if what.is_empty() {
        return Err(format!("{FORM}, and WHAT is empty"));
    }
    let options = NetOptions { limit, contempt: contempt.unwrap_or(NetOptions::CONTEMPT) };
    Ok(AgentSpec::Net { what: what.into(), options })
}

fn share(key: &str, value: &str) -> Result<f32, String> {
    let share = value.parse::<f32>().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| format!("{key} is a number from 0 to 1, not {value:?}"))
}

/// The one limit of a tree search.
fn parse_limit(name: &str, text: &str, min_simulations: u64) -> Result<SearchLimit, String> {
    match text.split_once('=') {
        Some(("sims", value)) => {
            let simulations = number("sims", value, min_simulations, MAX_SIMULATIONS.into())?;
            Ok(SearchLimit::Simulations(simulations as u32))
        }
        Some(("time", value)) => Ok(SearchLimit::Time(time(value)?)),
        _ => Err(format!("{name} takes one of sims=64 and time=0.1, found {text:?}")),
    }
}

fn number(key: &str, value: &str, min: u64, max: u64) -> Result<u64, String> {
    let is_plain = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let number = value.parse::<u64>().ok().filter(|number| is_plain && (min..=max).contains(number));
    number.ok_or_else(|| format!("{key} is a whole number from {min} to {max}, not {value:?}"))
}

fn time(value: &str) -> Result<f64, String> {
    let time = value.parse::<f64>().ok().filter(|&time| time > 0.0 && time <= MAX_TIME);
    time.ok_or_else(|| format!("time is in seconds, above 0 and at most {MAX_TIME}, not {value:?}"))
}

fn switch(seen: &mut Option<bool>, key: &str, value: &str) -> Result<(), String> {
    let is_on = match value {
        "on" => true,
        "off" => false,
        _ => return Err(format!("{key} is on or off, not {value:?}")),
    };
    match seen.replace(is_on) {
        None => Ok(()),
        Some(_) => Err(format!("{key} is given twice")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        text.parse::<AgentSpec>().unwrap_err().to_string()
    }

    #[test]
    fn specs_come_back_as_they_were() {
        for text in [
            "random",
            "greedy",
            "alphabeta:depth=8",
            "alphabeta:nodes=100000",
            "alphabeta:time=0.1",
            "alphabeta:depth=3,table=off",
            "alphabeta:depth=3,table=off,ordering=off",
            "mcts:sims=800",
            "mcts:time=0.1",
            "net:runs/one,sims=64",
            "net:a,b=c:d.safetensors,sims=0",
            "net:first,time=2.5",
            "net:a,b,sims=64,contempt=0.5",
            "net:a,sims=1,sims=64",
            "tablebase:5x2.tb",
            "tablebase:a,b=c:d",
            "alphabeta:time=0.1,table=off,tb=tables/5x2.tb",
            "mcts:sims=800,tb=5x2.tb",
            "net:a,b=c:d.safetensors,sims=0,tb=5x2.tb",
            "net:a,tb=b/c,x,sims=1",
        ] {
            let spec: AgentSpec = text.parse().unwrap();
            assert_eq!(spec.to_string(), text);
            assert_eq!(spec.to_string().parse(), Ok(spec));
        }
        let on: AgentSpec = "alphabeta:table=on,depth=2".parse().unwrap();
        assert_eq!(on.to_string(), "alphabeta:depth=2");
        let anywhere: AgentSpec = "net:run,tb=5x2.tb,sims=8".parse().unwrap();
        assert_eq!(anywhere.to_string(), "net:run,sims=8,tb=5x2.tb");
    }

    #[test]
    fn errors_name_the_part_and_what_may_stand_there() {
        for (text, expected) in [
            ("", "no agent \"\"; there are random, greedy"),
            ("Random", "no agent \"Random\""),
            ("random:seed=1", "random takes no options, found \"seed=1\""),
            ("alphabeta", "exactly one of depth=8"),
            ("alphabeta:", "found 0 limits"),
            ("alphabeta:depth=2,nodes=5", "found 2 limits"),
            ("alphabeta:depth=2,depth=3", "found 2 limits"),
            ("alphabeta:depth", "found \"depth\""),
            ("alphabeta:depth=2,", "found \"\""),
            ("alphabeta:depth=0", "depth is a whole number from 1 to 100, not \"0\""),
            ("alphabeta:depth=101", "from 1 to 100"),
            ("alphabeta:depth=+3", "not \"+3\""),
            ("alphabeta:nodes=0", "nodes is a whole number"),
            ("alphabeta:nodes=99999999999999999999", "nodes is a whole number"),
            ("alphabeta:time=0", "time is in seconds"),
            ("alphabeta:time=nan", "not \"nan\""),
            ("alphabeta:time=inf", "not \"inf\""),
            ("alphabeta:time=-1", "not \"-1\""),
            ("alphabeta:depth=2,table=no", "table is on or off, not \"no\""),
            ("alphabeta:depth=2,table=off,table=off", "table is given twice"),
            ("alphabeta:width=2", "alphabeta has no option \"width\""),
            ("alphabeta:tb=file", "found 0 limits"),
            ("alphabeta:depth=2,tb=", "expected tb=FILE"),
            ("alphabeta:tb=a,depth=2,tb=b", "tb is given twice"),
            ("alphabeta:depth=2,tb=a,b.tb", "found \"b.tb\""),
            ("greedy:tb=a", "tb: greedy does not search"),
            ("mcts:tb=a", "mcts takes one of sims=64 and time=0.1, found \"\""),
            ("tablebase", "expected tablebase:FILE"),
            ("tablebase:", "expected tablebase:FILE"),
            ("mcts", "mcts takes one of sims=64 and time=0.1"),
            ("mcts:sims=0", "sims is a whole number from 1"),
            ("mcts:sims=8,time=1", "not \"8,time=1\""),
            ("net", "expected net:WHAT"),
            ("net:run", "expected net:WHAT"),
            ("net:,sims=8", "WHAT is empty"),
            ("net:run,depth=8", "net takes one of sims=64 and time=0.1, found \"depth=8\""),
        ] {
            let problem = problem(text);
            assert!(problem.contains(expected), "{problem}");
            assert!(problem.starts_with(&format!("agent {text:?}: ")));
        }
    }
}
