//! A run: self-play with the current net, replay buffer, learner, checkpoint, again and again; matches at the end.

mod closing;
mod folder;
mod metrics;
mod progress;
mod usage;
mod window;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use mancala_env::Game;
use mancala_search::net::{NetEvaluator, NetHeader};
use mancala_search::self_play::{GameRecord, SelfPlayStats, SelfPlayed, play_games};

use crate::checkpoint::{Checkpoint, Found, State};
use crate::config::Config;
use crate::files;
use crate::learner::{Learned, Learner};
use crate::replay::{Replay, Shard};
use crate::tensorboard::EventFile;
use usage::cpu_seconds;
use window::{count_positions, extend_window, first_needed, refill};

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
        let (games, stats) = run.self_play(iteration)?;
        let played = clock.lap();
        let metrics =
            Metrics { iteration, ..Metrics::default() }.with_games(&games).with_stats(&stats, run.threads());
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
        let header = NetHeader::of::<G>(&rules, config.net).with_margin(config.learner.margin_weight > 0.0);
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
        let mut replay =
            Replay::new(rules, config.replay.window, config.replay.mirror).prepared_for(config.net);
        refill(&mut replay, config, folder, &state)?;
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
    fn self_play(&self, iteration: u64) -> anyhow::Result<(Vec<GameRecord>, SelfPlayStats)> {
        let (weights, rules) = (self.learner.weights(), self.replay.rules());
        let (games, config) = (self.config.self_play.games, self.config.self_play.search_config());
        let first = (iteration - 1) * games;
        let threads = self.threads() as u64;
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
        let (mut records, mut stats) = (Vec::new(), SelfPlayStats::default());
        for SelfPlayed { records: own, stats: share } in
            shares.map_err(|error| anyhow!("self-play: {error}"))?
        {
            records.extend(own);
            stats.add(&share);
        }
        records.sort_unstable_by_key(|record| record.index);
        Ok((records, stats))
    }

    /// Keeps the games of an iteration, on disk and in the window.
    fn remember(&mut self, iteration: u64, games: Vec<GameRecord>) -> anyhow::Result<()> {
        self.folder.check_held()?;
        let positions = count_positions(&games);
        self.state.games += games.len() as u64;
        self.state.positions += positions;
        // Before the positions come, so that none leaves for which the window has grown.
        self.replay.set_window(self.config.replay.window_after(self.state.positions));
        extend_window(&mut self.replay, &games)?;
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
            window: self.replay.window() as u64,
            games_per_second: metrics.games as f64 / self_play_seconds,
            positions_per_second: positions as f64 / self_play_seconds,
            self_play_seconds,
            replay_seconds,
            learner_seconds,
            busy_share: clock.busy_share(self.config.threads),
            elapsed_seconds: self.metrics.elapsed + clock.begun.elapsed().as_secs_f64(),
            time: files::unix_time(),
            ..metrics
        };
        self.metrics.append(&metrics).context("metrics.jsonl")?;
        self.events.append(&metrics).context("TensorBoard events")?;
        let share = |seconds: f64| 100.0 * seconds / self_play_seconds;
        self.progress.line(&format!(
            "iteration {:>3}/{}  {} games, {:.0} plies each  draws {:.0}%  policy kl {:.3}  value loss {:.3}  \
             self-play {:.1} s (net {:.0}%, search {:.0}%, rules {:.0}%)  learning {:.1} s",
            metrics.iteration,
            self.config.iterations,
            metrics.games,
            metrics.game_length,
            100.0 * metrics.draw_rate,
            metrics.policy_kl,
            metrics.value_loss,
            self_play_seconds,
            share(metrics.inference_seconds),
            share(metrics.search_seconds),
            share(metrics.rules_seconds),
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
        // The window of the oldest checkpoint that is kept, for a run that goes on from there.
        let since: u64 = self.held.range(oldest + 1..).map(|(_, positions)| positions).sum();
        let window = self.config.replay.window_after(self.state.positions.saturating_sub(since));
        let needed = first_needed(&self.held, oldest, window as u64);
        self.held.retain(|&iteration, _| iteration >= needed);
        Ok(self.folder.shards().retain(|iteration| iteration >= needed)?)
    }

    fn save_if_behind(&mut self) -> anyhow::Result<()> {
        if self.saved == Some(self.state.iteration) { Ok(()) } else { self.save() }
    }

    /// Threads of self-play: no more than there are games.
    fn threads(&self) -> usize {
        (self.config.threads as u64).min(self.config.self_play.games) as usize
    }

    fn title(&self, iteration: u64, what: &str) -> String {
        format!("iteration {iteration}/{}: {what}", self.config.iterations)
    }
}

/// The time that a run takes.
struct Clock {
    begun: Instant,
    limit: Option<Duration>,
    iteration: Instant,
    lap: Instant,
    longest: Duration,
    /// CPU time of the process when the iteration began.
    cpu: Option<f64>,
}

impl Clock {
    fn new(minutes: Option<f64>) -> Self {
        let now = Instant::now();
        // A limit too long to count is none.
        let limit = minutes.and_then(|minutes| Duration::try_from_secs_f64(60.0 * minutes).ok());
        Self { begun: now, limit, iteration: now, lap: now, longest: Duration::ZERO, cpu: cpu_seconds() }
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
        self.cpu = cpu_seconds();
    }

    /// The share of `threads` cores that the process has kept busy since the iteration began; `None` where nobody tells.
    fn busy_share(&self, threads: usize) -> Option<f64> {
        Some((cpu_seconds()? - self.cpu?) / (self.iteration.elapsed().as_secs_f64() * threads as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
