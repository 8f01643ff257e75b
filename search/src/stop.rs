//! How an agent that thinks is told to stop.

use std::fmt;
use std::sync::Arc;

/// Whether whoever has asked an agent still waits for the answer. Searches look again and again, from whatever thread they run in.
#[derive(Clone, Default)]
pub struct Stop(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl Stop {
    /// Never asks.
    pub const fn never() -> Self {
        Self(None)
    }

    /// Asks to stop as soon as `is_asked` is true, which it then must stay. It is called often, and should be quick.
    pub fn when(is_asked: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(is_asked)))
    }

    /// Whether to stop.
    pub fn is_asked(&self) -> bool {
        self.0.as_ref().is_some_and(|is_asked| is_asked())
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(if self.0.is_some() { "Stop::when(..)" } else { "Stop::never()" })
    }
}
