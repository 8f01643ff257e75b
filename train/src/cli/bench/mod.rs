//! `mancala bench`.

mod games;
mod measure;
mod players;

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::anyhow;
use mancala_env::{BatchGame, for_game};
use serde::Serialize;

use super::parse_game;
use crate::error::Usage;
use crate::run::Progress;
use games::{Reference, check_steps};
use measure::{ROUNDS, WARM_UP_LIMIT, rates, warm_up};
use players::{Batch, Player, scalar};

/// What is measured unless something else is asked for.
const GAMES: [&str; 4] = ["giuthi-8x8", "giuthi-5x4", "giuthi-10x9", "kiothi-6x5"];
const BATCHES: [usize; 5] = [1, 64, 1024, 4096, 65_536];
/// A game takes about a kilobyte here: one batch of these a gigabyte.
const LARGEST_BATCH: usize = 1 << 20;
const MOST_THREADS: usize = 1024;
const MOST_SECONDS: f64 = 3600.0;

/// Time random play: one game after the other, in batches, in batches with observations.
///
/// A step is one move in one game; games that end begin anew. The scalar loop plays by `Position` on one thread, the batch engine
/// by `sample_actions` and `advance`, with observations by `sample_actions` and `step` into float32 arrays, the mask and all the
/// others. Before they are timed, all games of the batch are played by each of the three for the same number of steps; where they
/// stand then, with the history, has to be the same (exit code 1 if not).
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    mancala bench\n  \
    mancala bench --game giuthi-8x8 --batch 4096 --threads 1 --json\n  \
    mancala bench --game giuthi-5x4,kiothi --batch 1,1024 --threads 1,2 --seconds 0.5")]
pub(super) struct Bench {
    /// Games, as giuthi-8x8 or giuthi-8x8?capture=occupied [default: giuthi-8x8,giuthi-5x4,giuthi-10x9,kiothi-6x5].
    #[arg(long, value_name = "G", value_delimiter = ',')]
    game: Vec<String>,
    /// Games in a batch [default: 1,64,1024,4096,65536].
    #[arg(long, value_name = "B", value_delimiter = ',', allow_negative_numbers = true)]
    #[arg(value_parser = |text: &str| whole_number(text, LARGEST_BATCH))]
    batch: Vec<usize>,
    /// Threads of the engine, which share a batch by 64 games [default: 1,2, or 1 on a single processor].
    #[arg(long, value_name = "T", value_delimiter = ',', allow_negative_numbers = true)]
    #[arg(value_parser = |text: &str| whole_number(text, MOST_THREADS))]
    threads: Vec<usize>,
    /// Seconds each figure is measured for.
    #[arg(long, value_name = "S", default_value = "1", allow_negative_numbers = true, value_parser = seconds)]
    seconds: f64,
    /// Print a JSON object for each game, batch and number of threads: a list of them if there are several.
    #[arg(long)]
    json: bool,
}

fn whole_number(text: &str, most: usize) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| format!("expected a whole number from 1 to {most}"))
}

fn seconds(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|&number| number > 0.0 && number <= MOST_SECONDS);
    number.ok_or_else(|| format!("expected a number above 0 and not above {MOST_SECONDS}"))
}

/// The figures of one game, batch and number of threads.
#[derive(Debug, Serialize)]
struct Row {
    game: String,
    batch: usize,
    threads: usize,
    scalar_steps_per_s: f64,
    batch_steps_per_s: f64,
    batch_observe_steps_per_s: f64,
    checksums_agree: bool,
    #[serde(skip)]
    checksum: u64,
    /// Where games differ, in words.
    #[serde(skip)]
    differences: Vec<String>,
}

impl Bench {
    pub(super) fn run(mut self, out: &mut impl Write) -> anyhow::Result<ExitCode> {
        self.fill_in();
        let games = self.game.iter().map(|game| parse_game(game)).collect::<Result<Vec<_>, _>>()?;
        let width = games.iter().map(|game| game.id().len()).max().unwrap_or(0);
        let progress = Progress::stderr();
        if !self.json {
            write_heading(out, width)?;
        }
        let mut rows = Vec::new();
        let mut tell = |row: Row| {
            match self.json {
                true => progress.line(&row.text(width)),
                false => {
                    writeln!(out, "{}", row.text(width))?;
                    out.flush()?;
                }
            }
            rows.push(row);
            Ok(())
        };
        for spec in games {
            for &batch in &self.batch {
                for_game!(spec, |rules: G| self.measure::<G>(rules, batch, &progress, &mut tell))?;
            }
        }
        if self.json {
            writeln!(out, "{}", to_json(&rows)?)?;
        }
        verdict(&rows).map(|()| ExitCode::SUCCESS)
    }

    /// Puts the defaults where nothing was asked for.
    fn fill_in(&mut self) {
        if self.game.is_empty() {
            self.game = GAMES.map(String::from).to_vec();
        }
        if self.batch.is_empty() {
            self.batch = BATCHES.to_vec();
        }
        if self.threads.is_empty() {
            let processors = std::thread::available_parallelism().map_or(1, usize::from);
            self.threads = (1..=processors.min(2)).collect();
        }
    }

    /// Compares and times one game and batch; `tell` is called for each number of threads.
    fn measure<G: BatchGame>(
        &self,
        rules: G::Rules,
        batch: usize,
        progress: &Progress,
        tell: &mut dyn FnMut(Row) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        let title = format!("{}, batch {batch}", G::id(&rules));
        progress.begin(format!("{title}: playing what the batches are compared with"), 1);
        let reference = Reference::<G>::play(rules, batch, check_steps(batch));
        for &threads in &self.threads {
            progress.begin(format!("{title}, threads {threads}"), ROUNDS as u64 + 3);
            let row = self.row(&reference, batch, threads, &mut || progress.advance());
            progress.finish();
            tell(row?)?;
        }
        Ok(())
    }

    fn row<G: BatchGame>(
        &self,
        reference: &Reference<G>,
        batch: usize,
        threads: usize,
        advance: &mut dyn FnMut(),
    ) -> anyhow::Result<Row> {
        let rules = *reference.rules();
        let refuse = |error| Usage::new(format!("batch {batch}, threads {threads}: {error}"));
        let mut scalar = scalar::<G>(rules, batch);
        let mut silent = Batch::<G>::silent(rules, batch, threads).map_err(refuse)?;
        let mut observing = Batch::<G>::observing(rules, batch, threads).map_err(refuse)?;
        let mut differences = Vec::new();
        for batch in [&mut silent, &mut observing] {
            differences.extend(reference.compare(batch)?);
            advance();
        }
        let mut players: [&mut dyn Player; 3] = [&mut scalar, &mut silent, &mut observing];
        for player in &mut players {
            warm_up(*player, WARM_UP_LIMIT)?;
        }
        advance();
        let [scalar, silent, observing] = rates(&mut players, self.seconds, advance)?;
        Ok(Row {
            game: G::id(&rules),
            batch,
            threads,
            scalar_steps_per_s: scalar.round(),
            batch_steps_per_s: silent.round(),
            batch_observe_steps_per_s: observing.round(),
            checksums_agree: differences.is_empty(),
            checksum: reference.checksum(),
            differences,
        })
    }
}

fn write_heading(out: &mut impl Write, width: usize) -> io::Result<()> {
    writeln!(out, "million steps a second, the median of {ROUNDS} rounds; ratio: batch to scalar")?;
    writeln!(
        out,
        "{:width$}  {:>7} {:>7}  {:>7} {:>8} {:>6} {:>12}  checksum",
        "game", "batch", "threads", "scalar", "batch", "ratio", "observations"
    )?;
    out.flush()
}

impl Row {
    /// A line of the table.
    fn text(&self, width: usize) -> String {
        let [scalar, batch, observe] =
            [self.scalar_steps_per_s, self.batch_steps_per_s, self.batch_observe_steps_per_s]
                .map(|rate| rate / 1e6);
        format!(
            "{:width$}  {:>7} {:>7}  {scalar:>7.2} {batch:>8.2} {:>6} {observe:>12.2}  {:016x} {}",
            self.game,
            self.batch,
            self.threads,
            format!("{:.1}x", batch / scalar),
            self.checksum,
            if self.checksums_agree { "agree" } else { "DIFFER" }
        )
    }
}

/// One object for one row, else a list.
fn to_json(rows: &[Row]) -> serde_json::Result<String> {
    match rows {
        [row] => serde_json::to_string(row),
        rows => serde_json::to_string(rows),
    }
}

/// An error that says where games differ first, if they do.
fn verdict(rows: &[Row]) -> anyhow::Result<()> {
    let mut differences =
        rows.iter().flat_map(|row| row.differences.iter().map(move |text| (row.threads, text)));
    let Some((threads, first)) = differences.next() else { return Ok(()) };
    let others = match differences.count() {
        0 => String::new(),
        others => format!("; {others} more comparisons differ"),
    };
    Err(anyhow!("{first} (threads: {threads}){others}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::exit_code;

    fn row(batch: usize, differences: Vec<String>) -> Row {
        Row {
            game: "giuthi-8x8".into(),
            batch,
            threads: 1,
            scalar_steps_per_s: 9.0e6,
            batch_steps_per_s: 90.0e6,
            batch_observe_steps_per_s: 45.0e6,
            checksums_agree: differences.is_empty(),
            checksum: 0xfeed,
            differences,
        }
    }

    #[test]
    fn games_that_differ_fail_the_command_after_its_figures() {
        assert!(verdict(&[row(1, vec![]), row(64, vec![])]).is_ok());
        let alone = verdict(&[row(1, vec![]), row(64, vec!["game 17".into()])]).unwrap_err();
        assert_eq!((alone.to_string().as_str(), exit_code(&alone)), ("game 17 (threads: 1)", 1));
        let rows = [row(64, vec!["game 17".into(), "game 3".into()]), row(70, vec!["game 5".into()])];
        let error = verdict(&rows).unwrap_err();
        assert_eq!(error.to_string(), "game 17 (threads: 1); 2 more comparisons differ");
    }

    #[test]
    fn one_row_is_an_object_and_several_are_a_list() {
        let object: serde_json::Value = serde_json::from_str(&to_json(&[row(64, vec![])]).unwrap()).unwrap();
        let mut fields: Vec<_> = object.as_object().unwrap().keys().cloned().collect();
        fields.sort();
        let expected = [
            "batch",
            "batch_observe_steps_per_s",
            "batch_steps_per_s",
            "checksums_agree",
            "game",
            "scalar_steps_per_s",
            "threads",
        ];
        assert_eq!(fields, expected);
        assert_eq!(object["batch"], 64);
        assert_eq!(object["checksums_agree"], true);
        let list = to_json(&[row(64, vec![]), row(1, vec!["game 3".into()])]).unwrap();
        let list: serde_json::Value = serde_json::from_str(&list).unwrap();
        assert_eq!(list[1]["checksums_agree"], false);
    }

    #[test]
    fn a_row_of_the_table_has_the_ratio_and_the_verdict() {
        let cells = |differences| -> Vec<String> {
            row(4096, differences).text(10).split_whitespace().map(String::from).collect()
        };
        let figures = ["giuthi-8x8", "4096", "1", "9.00", "90.00", "10.0x", "45.00", "000000000000feed"];
        assert_eq!(cells(vec![]), [&figures[..], &["agree"]].concat());
        assert_eq!(cells(vec!["game 3".into()]), [&figures[..], &["DIFFER"]].concat());
    }
}
