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
            std::process::exit(EXIT_CODE.into());
        }
        let _ = writeln!(std::io::stderr(), "{what_happens}; Ctrl-C again stops at once");
    };
    ctrlc::set_handler(handler).context("Ctrl-C")
}

/// Whether it was asked to stop.
pub(super) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
