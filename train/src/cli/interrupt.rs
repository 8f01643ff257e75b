//! Ctrl-C: the first asks to stop, the second stops.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;

/// The exit code of what was interrupted, as shells have it.
pub(super) const EXIT_CODE: u8 = 130;

static ASKED: AtomicBool = AtomicBool::new(false);

/// From here on the first Ctrl-C (or a request to terminate) only sets [`asked`], and says so; the next ends the process.
pub(super) fn watch(what_happens: &'static str) -> anyhow::Result<()> {
    let handler = move || {
        if ASKED.swap(true, Ordering::SeqCst) {
            // At once, in truth: an orderly exit would take libtorch apart under the threads that are learning, which then
            // panic, crash or wait for ever.
            signal_hook::low_level::exit(EXIT_CODE.into());
        }
        let _ = writeln!(std::io::stderr(), "{what_happens}; Ctrl-C again stops at once");
    };
    ctrlc::set_handler(handler).context("Ctrl-C")
}

/// Whether it was asked to stop.
pub(super) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
