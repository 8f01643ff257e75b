//! `build_tablebase`: a table from Python, with an ear for Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use mancala_env::{Capture, GiuthiRules};
use mancala_search::tablebase::{BuildObserver, BuildProgress, BuildSettings, build};
use pyo3::exceptions::{PyFileExistsError, PyValueError};
use pyo3::prelude::*;

use super::{Tablebase, failed};
use crate::arguments::path;
use crate::errors::{self, Integer};
use crate::options::{one_of, read_count};

/// Python looks for signals in its main thread alone, and not while that is in here.
const BETWEEN_SIGNALS: Duration = Duration::from_millis(50);
/// More would only wait for each other.
const MAX_THREADS: u32 = 1024;

/// Stops a build when told to.
#[derive(Default)]
struct Stop(AtomicBool);

impl BuildObserver for Stop {
    fn on_progress(&self, _: BuildProgress) -> bool {
        !self.0.load(Ordering::Relaxed)
    }
}

/// Builds the tablebase of all Giuthi boards with `pits` pits a row and at most `seeds` seeds into `file`, and opens it.
///
/// `capture` is the option of the game that they are of.
/// The table has about C(seeds + 2 * pits, 2 * pits) / 2 boards of 4 or 6 bytes. `memory`, in bytes, is what a layer, all boards of as
/// many seeds, may take while it is built: 6 bytes a board at least, and with more it is faster. None: 4 GiB. The file is the same
/// whatever `threads` and `memory`.
///
/// Ctrl-C stops it, and the same call goes on from the layers that were finished, which are in `file` with ".part" after its name. A
/// file that is there already and of the same boards is only opened.
///
/// FileExistsError if `file` is of other boards; ValueError if the table is too large for the format or the memory, another process
/// builds it, or an unfinished one of other boards is there; OSError if the disk fails.
#[pyfunction]
#[pyo3(
    signature = (file, pits, seeds, capture=None, threads=None, memory=None),
    text_signature = "(file, pits, seeds, capture='any', threads=1, memory=None)"
)]
pub(crate) fn build_tablebase(
    py: Python<'_>,
    file: &Bound<'_, PyAny>,
    pits: &Bound<'_, PyAny>,
    seeds: &Bound<'_, PyAny>,
    capture: Option<&Bound<'_, PyAny>>,
    threads: Option<&Bound<'_, PyAny>>,
    memory: Option<&Bound<'_, PyAny>>,
) -> PyResult<Tablebase> {
    let file = path("file", file)?;
    let rules = read_rules(pits, capture)?;
    let seeds = read_count("seeds", seeds)?;
    let settings = read_settings(threads, memory)?;
    if file.exists() {
        let known = py.detach(|| Tablebase::open(file.clone()))?;
        let table = &known.table;
        return match (table.rules(), table.max_seeds()) == (&rules, seeds) {
            true => Ok(known),
            false => Err(PyFileExistsError::new_err(format!(
                "{} is a tablebase of {}: it is left alone",
                file.display(),
                table.subject()
            ))),
        };
    }
    let (stop, mut raised) = (Stop::default(), None);
    let built = py.detach(|| {
        thread::scope(|scope| {
            let (done, is_done) = channel::<()>();
            let builder = scope.spawn(|| {
                let built = build(&file, &rules, seeds, &settings, &stop);
                drop(done);
                built
            });
            while let Err(RecvTimeoutError::Timeout) = is_done.recv_timeout(BETWEEN_SIGNALS) {
                if let Err(error) = Python::attach(|py| py.check_signals()) {
                    raised = Some(error);
                    stop.0.store(true, Ordering::Relaxed);
                    break;
                }
            }
            builder.join()
        })
    });
    if let Some(error) = raised {
        return Err(error);
    }
    built.unwrap_or_else(|panic| std::panic::resume_unwind(panic)).map_err(|error| failed(&error))?;
    py.detach(|| Tablebase::open(file))
}

fn read_rules(pits: &Bound<'_, PyAny>, capture: Option<&Bound<'_, PyAny>>) -> PyResult<GiuthiRules> {
    let pits = read_count("pits", pits)?;
    let capture = match capture.map_or(Ok(0), |word| one_of("capture", word, ["any", "occupied"]))? {
        0 => Capture::Any,
        _ => Capture::Occupied,
    };
    // The seeds at the start are of no account.
    let rules = u8::try_from(pits).ok().and_then(|pits| GiuthiRules::new(pits, 2));
    let rules = rules.ok_or_else(|| PyValueError::new_err(format!("pits is from 2 to 10, not {pits}")))?;
    Ok(rules.with_capture(capture))
}

fn read_settings(
    threads: Option<&Bound<'_, PyAny>>,
    memory: Option<&Bound<'_, PyAny>>,
) -> PyResult<BuildSettings> {
    let mut settings = BuildSettings::default();
    if let Some(threads) = threads {
        settings.threads = match read_count("threads", threads)? {
            threads @ 1..=MAX_THREADS => threads as usize,
            threads => {
                return Err(PyValueError::new_err(format!(
                    "threads is from 1 to {MAX_THREADS}, not {threads}"
                )));
            }
        };
    }
    if let Some(memory) = memory {
        settings.memory = match errors::integer(memory, "memory is an int, in bytes")? {
            Integer::Small(bytes) => u64::try_from(bytes)
                .map_err(|_| PyValueError::new_err(format!("memory is at least 0 bytes, not {bytes}")))?,
            // More than there is.
            Integer::Huge { unsigned, shown } => unsigned
                .ok_or_else(|| PyValueError::new_err(format!("memory is below 2**64 bytes, not {shown}")))?,
        };
    }
    Ok(settings)
}
