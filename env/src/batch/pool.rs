//! The threads of an engine.

use std::hint::spin_loop;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread::yield_now;
use std::time::{Duration, Instant};

use rayon_core::{ThreadPool, ThreadPoolBuilder};

use crate::vec_env::VecEnvError;

/// A thread that sleeps takes some 50 microseconds to wake up, a third of a step of 16,384 games on two threads, and a step has
/// three pieces of work. So threads stay awake for so long where work came as soon after the piece before.
const AWAKE: Duration = Duration::from_micros(200);
/// Turns of a loop between two looks at the clock.
const TURNS: u32 = 64;

/// Threads beside the caller's, which sleep or wait for the next piece of work.
pub(super) struct Pool {
    /// `None` only while it is dropped.
    threads: Option<ThreadPool>,
    /// The process that they live in: one forked from it has none of them.
    process: u32,
    /// Pieces of work begun; whoever waits for one waits for another number.
    begun: Arc<AtomicU64>,
    /// When the last piece was done.
    done: Instant,
}

impl Pool {
    /// A pool of `count` threads.
    pub(super) fn new(count: usize) -> Result<Self, VecEnvError> {
        let builder = ThreadPoolBuilder::new().num_threads(count).thread_name(|i| format!("mancala-env-{i}"));
        let threads = builder.build().map_err(|error| VecEnvError::Config {
            option: "threads",
            problem: format!("cannot start them: {error}"),
        })?;
        Ok(Self {
            threads: Some(threads),
            process: std::process::id(),
            begun: Arc::default(),
            done: Instant::now(),
        })
    }

    fn run<'a, J: FnOnce() + Send + 'a>(&mut self, mut jobs: impl Iterator<Item = J>) {
        let (begun, stay) = (&self.begun, self.done.elapsed() < AWAKE);
        let under_way = AtomicUsize::new(0);
        let threads = self.threads.as_ref().expect("the pool is alive");
        threads.in_place_scope(|scope| {
            let first = jobs.next();
            for job in jobs {
                under_way.fetch_add(1, Ordering::Relaxed);
                let (under_way, begun) = (&under_way, Arc::clone(begun));
                scope.spawn(move |_| {
                    job();
                    if stay {
                        let last = begun.load(Ordering::Relaxed);
                        rayon_core::spawn(move || wait_while(|| begun.load(Ordering::Relaxed) == last));
                    }
                    under_way.fetch_sub(1, Ordering::Release);
                });
            }
            begun.fetch_add(1, Ordering::Relaxed);
            first.into_iter().for_each(|job| job());
            // The end of the scope would put this thread to sleep, and so it would while the last job is being put away.
            wait_while(|| under_way.load(Ordering::Acquire) > 0);
            (0..TURNS).for_each(|_| spin_loop());
        });
        self.done = Instant::now();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            // To end threads that are not there takes locks that they may have held for ever.
            std::mem::forget(self.threads.take());
        }
    }
}

/// Waits while `waiting`, but no longer than [`AWAKE`].
fn wait_while(waiting: impl Fn() -> bool) {
    let since = Instant::now();
    loop {
        for _ in 0..TURNS {
            if !waiting() {
                return;
            }
            spin_loop();
        }
        if since.elapsed() >= AWAKE {
            return;
        }
        // Where there are more threads than processors somebody else has to go on.
        yield_now();
    }
}

/// Does the first job here and the others in the pool, all at the same time; all here where the pool's threads are not.
pub(super) fn in_parallel<'a, J: FnOnce() + Send + 'a>(
    pool: Option<&mut Pool>,
    jobs: impl Iterator<Item = J>,
) {
    match pool.filter(|pool| pool.process == std::process::id()) {
        Some(pool) => pool.run(jobs),
        None => jobs.for_each(|job| job()),
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::thread::sleep;

    use super::*;

    /// Every job adds one to its own cell.
    fn count(pool: &mut Pool, cells: &mut [u64]) {
        in_parallel(Some(pool), cells.iter_mut().map(|cell| || *cell += 1));
    }

    #[test]
    fn every_piece_of_work_is_done_however_soon_or_late_it_comes() {
        for threads in [1, 2, 7] {
            let mut pool = Pool::new(threads).unwrap();
            let mut cells = vec![0; threads + 1];
            for piece in 1..=1500 {
                count(&mut pool, &mut cells);
                assert!(cells.iter().all(|&cell| cell == piece), "{cells:?}");
                if piece % 50 == 0 {
                    sleep(Duration::from_micros(piece % 500));
                }
            }
        }
    }

    #[test]
    fn a_panic_reaches_the_caller_and_the_others_go_on() {
        let mut pool = Pool::new(2).unwrap();
        for culprit in [0, 1, 2] {
            let mut done = [false; 3];
            let jobs = done.iter_mut().enumerate().map(|(i, done)| {
                move || {
                    assert_ne!(i, culprit, "on purpose");
                    *done = true;
                }
            });
            catch_unwind(AssertUnwindSafe(|| in_parallel(Some(&mut pool), jobs))).unwrap_err();
            assert_eq!(done, [0, 1, 2].map(|i| i != culprit));
            let mut cells = [0; 3];
            count(&mut pool, &mut cells);
            assert_eq!(cells, [1; 3]);
        }
    }
}
