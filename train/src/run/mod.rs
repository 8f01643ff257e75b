//! A run: self-play with the current net, replay buffer, learner, checkpoint, again and again; matches at the end.

mod closing;
mod folder;
mod metrics;
mod progress;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use mancala_env::Game;
use mancala_search::net::{NetEvaluator, NetHeader};
use mancala_search::self_play::{GameRecord, play_games};

use crate::checkpoint::{Checkpoint, Checkpoints, Found, State};
use crate::config::Config;
use crate::files;
use crate::learner::{Learned, Learner};
use crate::replay::{Replay, Shard, ShardError};
use crate::tensorboard::EventFile;

pub use closing::ClosingMatch;
pub use folder::Folder;
pub use metrics::{Metrics, MetricsFile};
pub use progress::Progress;

/// Why a run has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All iterations are done: so many, which may be more than were asked for now.
    Complete(u64),
    /// The time limit would have been passed.
    TimeUp,
    /// It was asked to.
    Interrupted,
}

/// Trains until all iterations are done, time is up or `interrupted` says so; then plays the closing matches. Each iteration is
/// a pure function of the config and the iterations before it, so that a run that was stopped goes on as if it had not been.
///
/// # Errors
/// If the folder cannot be used, the run there is of another config or damaged, or something fails on the way.
pub fn train<G: Game>(
    rules: G::Rules,
    config: &Config,
    out: &Path,
    resume: bool,
    progress: &Progress,
    interrupted: &dyn Fn() -> bool,
) -> anyhow::Result<(Ending, Vec<ClosingMatch>)> {
    let folder = Folder::open(out, config, resume)?;
    let mut run = Run::<G>::open(rules, config, &folder, progress)?;
    let mut clock = Clock::new(config.minutes);
    let ending = loop {
        if run.state.iteration >= config.iterations {
            break Ending::Complete(run.state.iteration);
        }
        if interrupted() {
            break Ending::Interrupted;
        }
        if !clock.allows_another() {
            break Ending::TimeUp;
        }
        let iteration = run.state.iteration + 1;
        let games = run.self_play(iteration)?;
        let played = clock.lap();
        let metrics = Metrics { iteration, ..Metrics::default() }.with_games(&games);
        run.remember(iteration, games)?;
        let remembered = clock.lap();
        let learned = run.learn(iteration)?;
        let metrics = metrics.with_learned(&learned);
        run.record(metrics, [played, remembered, clock.lap()], &clock)?;
        if iteration.is_multiple_of(config.checkpoint.every) {
            run.save()?;
        }
        clock.end_iteration();
    };
    run.save_if_behind()?;
    progress.finish();
    if ending == Ending::Interrupted {
        return Ok((ending, Vec::new()));
    }
    Ok(
        match closing::play::<G>(
            &rules,
            config,
            &folder,
            &mut run.events,
            run.state.iteration,
            progress,
            interrupted,
        )? {
            Some(matches) => (ending, matches),
            None => (Ending::Interrupted, Vec::new()),
        },
    )
}

/// A run as it stands between two iterations.
struct Run<'a, G: Game> {
    config: &'a Config,
    folder: &'a Folder,
    progress: &'a Progress,
    replay: Replay<G>,
    /// Positions of the iterations whose shards are on disk.
    held: BTreeMap<u64, u64>,
    learner: Learner,
    state: State,
    /// The iteration of the newest checkpoint.
    saved: Option<u64>,
    metrics: MetricsFile,
    events: EventFile,
}

impl<'a, G: Game> Run<'a, G> {
    /// Goes on from the newest checkpoint, or begins.
    fn open(
        rules: G::Rules,
        config: &'a Config,
        folder: &'a Folder,
        progress: &'a Progress,
    ) -> anyhow::Result<Self> {
        let header = NetHeader::of::<G>(&rules, config.net);
        let fresh = State::new(config.seed, &config.learning_part());
        let checkpoints = folder.checkpoints();
        let mut is_linked = true;
        let (state, learner, saved) = match checkpoints.latest()? {
            None => {
                folder.check_fresh()?;
                (fresh, Learner::new(header, config.learner.clone(), config.seed), None)
            }
            Some(Found { checkpoint, path, instead }) => {
                if let Some(why) = instead {
                    is_linked = false;
                    progress.line(&format!("{why}: taking the newest whole checkpoint, {}", path.display()));
                }
                checkpoint.check_fits(&path, &header, &fresh)?;
                let Checkpoint { state, net, optimizer } = checkpoint;
                let learner = Learner::restore(&net, &optimizer, config.learner.clone(), state.steps)
                    .with_context(|| format!("checkpoint {}", path.display()))?;
                progress.line(&format!("going on after iteration {}", state.iteration));
                let saved = Some(state.iteration);
                (state, learner, saved)
            }
        };
        let mut replay = Replay::new(rules, config.replay.window, config.replay.mirror);
        refill(&mut replay, config, folder, state.iteration)?;
        // Nothing is removed before all that is needed has been read. What was done after the checkpoint will be done anew.
        folder.tidy()?;
        checkpoints.remove_after(state.iteration)?;
        folder.shards().retain(|iteration| iteration <= state.iteration)?;
        let metrics = MetricsFile::open(&folder.metrics(), state.iteration).context("metrics.jsonl")?;
        let events = EventFile::open(folder.path(), &folder.metrics(), &folder.arena())
            .context("TensorBoard events")?;
        let held = folder.shards().positions()?;
        let mut run = Self { config, folder, progress, replay, held, learner, state, saved, metrics, events };
        match run.saved {
            None => run.save()?,
            Some(iteration) if !is_linked => checkpoints.point_latest_to(iteration)?,
            Some(_) => {}
        }
        Ok(run)
    }

    /// Plays the games of an iteration with the current net, each thread an equal share of them.
    fn self_play(&self, iteration: u64) -> anyhow::Result<Vec<GameRecord>> {
        let (weights, rules) = (self.learner.weights(), self.replay.rules());
        let (games, config) = (self.config.self_play.games, self.config.self_play.search_config());
        let first = (iteration - 1) * games;
        let threads = (self.config.threads as u64).min(games);
        self.progress.begin(self.title(iteration, "self-play"), games);
        let play = |thread: u64| {
            let share = first + games * thread / threads..first + games * (thread + 1) / threads;
            let mut evaluator = NetEvaluator::<G>::new(rules, &weights).map_err(|error| error.to_string())?;
            let mut on_game = |_: &GameRecord| self.progress.advance();
            play_games::<G>(rules, &mut evaluator, &config, self.config.seed, share, &mut on_game)
        };
        let shares: Result<Vec<_>, String> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|thread| scope.spawn(move || play(thread))).collect();
            threads.into_iter().map(|thread| thread.join().expect("self-play does not panic")).collect()
        });
        let mut records = shares.map_err(|error| anyhow!("self-play: {error}"))?.concat();
        records.sort_unstable_by_key(|record| record.index);
        Ok(records)
    }

    /// Keeps the games of an iteration, on disk and in the window.
    fn remember(&mut self, iteration: u64, games: Vec<GameRecord>) -> anyhow::Result<()> {
        self.folder.check_held()?;
        let positions = extend_window(&mut self.replay, &games)?;
        self.state.games += games.len() as u64;
        self.state.positions += positions;
        self.held.insert(iteration, positions);
        let shard = Shard::new::<G>(self.replay.rules(), self.config.seed, iteration, positions, games);
        Ok(self.folder.shards().write(&shard)?)
    }

    /// Learns from the window, more the more new positions there are.
    fn learn(&mut self, iteration: u64) -> anyhow::Result<Learned> {
        let Config { replay, learner, seed, threads, .. } = self.config;
        if self.replay.is_empty() {
            return Err(anyhow!(
                "self-play has found no position to learn from: every game ended in its opening"
            ));
        }
        let steps =
            (self.held[&iteration] as f64 * replay.reuse / learner.batch as f64).round().max(1.0) as u64;
        self.progress.begin(self.title(iteration, "learning"), steps);
        let learned = self
            .learner
            .learn(&self.replay, *seed, iteration, steps, *threads, || self.progress.advance())?;
        self.state.iteration = iteration;
        self.state.steps = self.learner.steps();
        Ok(learned)
    }

    /// Writes the iteration's line of metrics, and one for people.
    fn record(&mut self, metrics: Metrics, seconds: [f64; 3], clock: &Clock) -> anyhow::Result<()> {
        let [self_play_seconds, replay_seconds, learner_seconds] = seconds;
        let positions = self.held[&metrics.iteration];
        let metrics = Metrics {
            positions,
            total_games: self.state.games,
            total_positions: self.state.positions,
            total_steps: self.state.steps,
            buffer: self.replay.len() as u64,
            positions_per_second: positions as f64 / self_play_seconds,
            self_play_seconds,
            replay_seconds,
            learner_seconds,
            elapsed_seconds: self.metrics.elapsed + clock.begun.elapsed().as_secs_f64(),
            time: files::unix_time(),
            ..metrics
        };
        self.metrics.append(&metrics).context("metrics.jsonl")?;
        self.events.append(&metrics).context("TensorBoard events")?;
        self.progress.line(&format!(
            "iteration {:>3}/{}  {} games, {:.0} plies each  draws {:.0}%  policy kl {:.3}  value loss {:.3}  \
             self-play {:.1} s  learning {:.1} s",
            metrics.iteration,
            self.config.iterations,
            metrics.games,
            metrics.game_length,
            100.0 * metrics.draw_rate,
            metrics.policy_kl,
            metrics.value_loss,
            self_play_seconds,
            learner_seconds,
        ));
        Ok(())
    }

    /// Writes a checkpoint, and removes what no checkpoint kept needs any more.
    fn save(&mut self) -> anyhow::Result<()> {
        self.folder.check_held()?;
        let (checkpoints, keep) = (self.folder.checkpoints(), self.config.checkpoint.keep);
        let (net, optimizer) = (self.learner.weights(), self.learner.optimizer_bytes());
        checkpoints.write(&Checkpoint { state: self.state.clone(), net, optimizer })?;
        self.saved = Some(self.state.iteration);
        let oldest = checkpoints.prune(keep)?;
        let needed = first_needed(&self.held, oldest, self.config.replay.window as u64);
        self.held.retain(|&iteration, _| iteration >= needed);
        Ok(self.folder.shards().retain(|iteration| iteration >= needed)?)
    }

    fn save_if_behind(&mut self) -> anyhow::Result<()> {
        if self.saved == Some(self.state.iteration) { Ok(()) } else { self.save() }
    }

    fn title(&self, iteration: u64, what: &str) -> String {
        format!("iteration {iteration}/{}: {what}", self.config.iterations)
    }
}

/// Fills the window after iteration `last` from the newest shards.
fn refill<G: Game>(
    replay: &mut Replay<G>,
    config: &Config,
    folder: &Folder,
    last: u64,
) -> anyhow::Result<()> {
    let (shards, rules) = (folder.shards(), *replay.rules());
    let (mut newest_first, mut positions) = (Vec::new(), 0);
    for iteration in (1..=last).rev() {
        if positions >= config.replay.window as u64 {
            break;
        }
        let shard = shards
            .read::<G>(&rules, config.seed, iteration)
            .map_err(|error| with_way_out(error, &folder.checkpoints(), iteration))?;
        positions += shard.header.positions;
        newest_first.push(shard);
    }
    newest_first.iter().rev().try_for_each(|shard| extend_window(replay, &shard.games).map(drop))
}

/// The error of the shard of an iteration, with the newest checkpoint before it, which can be gone on from without it.
fn with_way_out(error: ShardError, checkpoints: &Checkpoints, iteration: u64) -> ShardError {
    match error {
        ShardError::Damaged { path, problem } => {
            let problem = format!("{problem}{}", checkpoints.advice_before(iteration));
            ShardError::Damaged { path, problem }
        }
        error => error,
    }
}

/// Adds the positions of games to the window and returns their number.
fn extend_window<G: Game>(replay: &mut Replay<G>, games: &[GameRecord]) -> anyhow::Result<u64> {
    let mut positions = 0;
    for game in games {
        let samples = game.samples::<G>(replay.rules()).map_err(|error| anyhow!("self-play: {error}"))?;
        positions += samples.len() as u64;
        replay.extend(samples);
    }
    Ok(positions)
}

/// The first iteration whose games are in the window after iteration `last`; 0 where that is not known.
fn first_needed(held: &BTreeMap<u64, u64>, last: u64, window: u64) -> u64 {
    let mut positions = 0;
    for (&iteration, &count) in held.range(..=last).rev() {
        positions += count;
        if positions >= window {
            return iteration;
        }
    }
    0
}

/// The time that a run takes.
struct Clock {
    begun: Instant,
    limit: Option<Duration>,
    iteration: Instant,
    lap: Instant,
    longest: Duration,
}

impl Clock {
    fn new(minutes: Option<f64>) -> Self {
        let now = Instant::now();
        // A limit too long to count is none.
        let limit = minutes.and_then(|minutes| Duration::try_from_secs_f64(60.0 * minutes).ok());
        Self { begun: now, limit, iteration: now, lap: now, longest: Duration::ZERO }
    }

    /// Whether one more iteration, as long as the longest so far, ends within the limit.
    fn allows_another(&self) -> bool {
        self.limit.is_none_or(|limit| self.begun.elapsed() + self.longest <= limit)
    }

    /// Seconds since the last lap.
    fn lap(&mut self) -> f64 {
        let last = std::mem::replace(&mut self.lap, Instant::now());
        (self.lap - last).as_secs_f64()
    }

    fn end_iteration(&mut self) {
        let last = std::mem::replace(&mut self.iteration, Instant::now());
        self.longest = self.longest.max(self.iteration - last);
        self.lap = self.iteration;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_of_the_window_are_needed() {
        let held = BTreeMap::from([(3, 10), (4, 20), (5, 30)]);
        assert_eq!(first_needed(&held, 5, 30), 5);
        assert_eq!(first_needed(&held, 5, 31), 4);
        assert_eq!(first_needed(&held, 4, 30), 3);
        assert_eq!(first_needed(&held, 4, 31), 0);
    }

    #[test]
    fn no_iteration_is_begun_that_would_pass_the_limit() {
        let mut clock = Clock::new(Some(1.0));
        assert!(clock.allows_another());
        clock.longest = Duration::from_secs(61);
        assert!(!clock.allows_another());
        clock.limit = None;
        assert!(clock.allows_another());
    }
}
