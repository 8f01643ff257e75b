//! Ctrl-C, and whatever else a signal's handler in Python raises, for what runs without the GIL.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use mancala_search::Stop;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// Python is asked this often: it wants the GIL, which others may hold.
const ASK_EVERY_MS: u64 = 50;

/// Asks Python about signals, and keeps what a handler raises. Python runs handlers in its main thread alone: elsewhere nothing comes.
#[derive(Clone)]
pub(crate) struct Signals(Arc<Heard>);

struct Heard {
    begun: Instant,
    ask_at_ms: AtomicU64,
    is_raised: AtomicBool,
    raised: Mutex<Option<PyErr>>,
}

impl Signals {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Heard {
            begun: Instant::now(),
            ask_at_ms: AtomicU64::new(ASK_EVERY_MS),
            is_raised: AtomicBool::new(false),
            raised: Mutex::new(None),
        }))
    }

    /// What tells a search to stop once something has been raised.
    pub(crate) fn stop(&self) -> Stop {
        let heard = self.0.clone();
        Stop::when(move || heard.has_raised())
    }

    /// What has been raised.
    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The same for who has been stopped.
    pub(crate) fn interrupt(&self) -> PyErr {
        self.take().unwrap_or_else(|| PyKeyboardInterrupt::new_err(()))
    }
}

impl Heard {
    fn has_raised(&self) -> bool {
        if self.is_raised.load(Ordering::Relaxed) {
            return true;
        }
        let now = self.begun.elapsed().as_millis() as u64;
        if now < self.ask_at_ms.load(Ordering::Relaxed) {
            return false;
        }
        self.ask_at_ms.store(now + ASK_EVERY_MS, Ordering::Relaxed);
        let Err(error) = Python::attach(|py| py.check_signals()) else { return false };
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.is_raised.store(true, Ordering::Relaxed);
        true
    }
}
