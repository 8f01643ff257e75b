//! Principal variation search over bare states; see [`values`](super::values) for what its values mean.

use std::time::Instant;

use mancala_env::{Action, Game, MAX_LEGAL_ACTIONS};

use super::children::Child;
use super::evaluation::{self, Foresight};
use super::ordering::Refutations;
use super::table::{Bound, Folded, Frames, Table, mix64};
use super::values::{Found, Rests, lead, leaf};
use crate::stop::Stop;
use crate::tablebase::Tablebase;

/// The deepest search there is.
pub(super) const MAX_DEPTH: u32 = 100;

/// The clock is read once in so many positions expanded.
const CLOCK_INTERVAL: u32 = 64;
/// Whether to stop is asked once in so many, some milliseconds.
const STOP_INTERVAL: u32 = 4096;

/// Marks the members of a set of positions in its signature.
const SALT_MEMBER: u64 = 0x5be0_cd19_137e_2179;
/// Marks those that stand in for mirrored positions which are not known.
const SALT_UNMIRRORED: u64 = 0x510e_527f_ade6_82d1;

/// The search has used up its nodes or its time.
#[derive(Debug)]
pub(super) struct Stopped;

/// Where a position stands on its line.
#[derive(Clone, Copy)]
pub(super) struct Place {
    ply: usize,
    /// Where on the line the positions since the last capture begin.
    pub(super) start: usize,
    /// Signatures of those before this one, as they stand and mirrored.
    earlier: [u64; 2],
}

/// What a search may use.
#[derive(Clone)]
pub(super) struct Budget {
    /// Positions it may reach; no more are reached once [`Search::is_limited`] is set.
    pub(super) nodes: u64,
    /// When to stop.
    pub(super) deadline: Option<Instant>,
    /// Whether it is to stop, whatever is left.
    pub(super) stop: Stop,
}

/// A search from one position.
pub(super) struct Search<'a, G: Game> {
    /// `None`: no table.
    pub(super) table: Option<&'a mut Table>,
    /// `None`: actions are tried in ascending order.
    pub(super) refutations: Option<&'a mut Refutations>,
    /// Cut where the lead and the seeds in play leave no doubt.
    pub(super) early_stop: bool,
    /// Lines are wanted, and where they are kept the table's word is not enough.
    pub(super) keeps_lines: bool,
    /// Looks up the positions that it knows.
    pub(super) tablebase: Option<&'a Tablebase>,
    /// Look less deep where little is to be expected; see [`selective`](super::selective).
    pub(super) is_selective: bool,
    /// Within a search that is to foretell another.
    pub(super) foretells: bool,
    pub(super) foresight: Foresight,
    pub(super) budget: Budget,
    /// Whether the budget counts yet.
    pub(super) is_limited: bool,
    /// Positions reached so far.
    pub(super) nodes: u64,
    expanded: u32,
    total_seeds: i32,
    /// Fingerprints of the positions since the root's last capture and on the line below the root.
    pub(super) line: Vec<u128>,
    /// The best line from each ply on.
    best: Vec<Vec<Action>>,
    /// The children of every position on the line, one position's after another's.
    pub(super) children: Vec<Child<G>>,
    root: G,
    root_place: Place,
}

impl<'a, G: Game> Search<'a, G> {
    /// A search from `state`, whose history is `history` (itself last; empty in Kiothi's opening).
    pub(super) fn new(
        state: G,
        history: &[u128],
        table: Option<&'a mut Table>,
        refutations: Option<&'a mut Refutations>,
        budget: Budget,
    ) -> Self {
        let total_seeds =
            i32::from(state.seeds_in_play()) + state.scores().map(i32::from).iter().sum::<i32>();
        let mut line = history.to_vec();
        let fingerprint = state.fingerprint();
        if state.counts_for_repetition() && line.last() != Some(&fingerprint) {
            line.push(fingerprint);
        }
        let earlier = &line[..line.len().saturating_sub(1)];
        // Fingerprints tell nothing of the mirrored positions: those from before the search stand for themselves in the
        // mirrored frame too, marked so that they match nothing but themselves.
        let earlier = [SALT_MEMBER, SALT_UNMIRRORED].map(|salt| {
            earlier.iter().fold(0, |signature, &fingerprint| signature ^ mix64(fingerprint, salt))
        });
        Self {
            table,
            refutations,
            early_stop: true,
            keeps_lines: true,
            tablebase: None,
            is_selective: false,
            foretells: false,
            foresight: Foresight::of(&state, total_seeds),
            budget,
            is_limited: false,
            nodes: 0,
            expanded: 0,
            total_seeds,
            line,
            best: vec![Vec::new(); MAX_DEPTH as usize + 2],
            children: Vec::with_capacity(MAX_LEGAL_ACTIONS * 16),
            root: state,
            root_place: Place { ply: 0, start: 0, earlier },
        }
    }

    /// The children of the root, as ordered by captures and extra moves.
    pub(super) fn root_children(&mut self) -> Vec<Child<G>> {
        let (root, place) = (self.root, self.root_place);
        self.generate(&root, &root.legal_actions(), place, None);
        self.children.drain(..).collect()
    }

    /// The value of a child of the root for the player to move at the root, searched to `depth` plies from the root.
    pub(super) fn root_child(
        &mut self,
        child: &Child<G>,
        depth: u32,
        alpha: i32,
        beta: i32,
    ) -> Result<Found, Stopped> {
        let (root, place) = (self.root, self.root_place);
        let frames = self.frames(&root, place);
        self.child_value(&root, child, place, frames.signatures, depth, alpha, beta)
    }

    /// The value of the root searched `depth` (1 and more) plies deep.
    pub(super) fn root_value(&mut self, depth: u32, alpha: i32, beta: i32) -> Result<Found, Stopped> {
        let (root, place) = (self.root, self.root_place);
        self.search(&root, place, depth, alpha, beta)
    }

    /// The line below the child of the root searched last, for as far as its value was searched exactly.
    pub(super) fn line_below_root(&self) -> &[Action] {
        &self.best[1]
    }

    /// The value of a position searched `depth` (1 and more) plies deep.
    pub(super) fn search(
        &mut self,
        state: &G,
        place: Place,
        depth: u32,
        alpha: i32,
        beta: i32,
    ) -> Result<Found, Stopped> {
        self.best[place.ply].clear();
        let lead = lead(state);
        if let Some(found) = self.decided(state, lead, alpha, beta) {
            return Ok(found);
        }
        // Only a capture leaves a fresh history behind it, and only of such does the tablebase speak.
        if place.start + 1 == self.line.len()
            && let Some(found) = self.look_up(state)
        {
            return Ok(found);
        }
        if evaluation::is_settled_for(state, depth) {
            return Ok(Found { value: lead, rests: Rests { on_scores: false, on_horizon: true } });
        }
        if depth == 1 {
            return self.search_frontier(state, place, alpha, beta);
        }

        let is_full = beta - alpha > 1;
        let frames = self.frames(state, place);
        let folded = Folded::of(frames);
        let mut table_action = None;
        if let Some(entry) = self.table.as_ref().and_then(|table| table.probe(folded.key)) {
            table_action = Some(folded.turn(state, entry.action));
            if !(is_full && self.keeps_lines)
                && let Some(found) = folded.answer(entry, depth, lead, alpha, beta, self.is_selective)
            {
                return Ok(found);
            }
        }

        if self.is_selective
            && !is_full
            && let Some(found) = self.foretold(state, place, lead, depth, alpha)?
        {
            return Ok(found);
        }

        let actions = state.legal_actions();
        self.check_budget(actions.len())?;
        let first = self.children.len();
        self.generate(state, &actions, place, table_action);
        let last = self.children.len();
        let mut best = Found::NOTHING;
        let mut best_action = self.children[first].action;
        for index in first..last {
            let child = self.children[index];
            let floor = alpha.max(best.value);
            let mut found;
            if index == first {
                found = self.child_value(state, &child, place, frames.signatures, depth, floor, beta)?;
            } else {
                let reduced = depth - self.reduction(state, &child, depth, index - first);
                found =
                    self.child_value(state, &child, place, frames.signatures, reduced, floor, floor + 1)?;
                if found.value > floor && reduced < depth {
                    found =
                        self.child_value(state, &child, place, frames.signatures, depth, floor, floor + 1)?;
                }
                if found.value > floor && found.value < beta && is_full {
                    found = self.child_value(state, &child, place, frames.signatures, depth, floor, beta)?;
                }
            }
            let rests = best.rests | found.rests;
            if found.value > best.value {
                best.value = found.value;
                best_action = child.action;
                if is_full && found.value > alpha {
                    self.keep_line(place.ply, child.action);
                }
            }
            best.rests = rests;
            if best.value >= beta {
                // The refutation alone proves the bound.
                best.rests = found.rests;
                if let Some(refutations) = &mut self.refutations {
                    refutations.reward(state.to_move(), child.action, depth);
                }
                break;
            }
        }
        self.children.truncate(first);

        if let Some(table) = &mut self.table {
            let bound = match best.value {
                value if value >= beta => Bound::Lower,
                value if value <= alpha => Bound::Upper,
                _ => Bound::Exact,
            };
            table.store(folded.entry(best, folded.turn(state, best_action), depth, lead, bound));
        }
        Ok(best)
    }

    /// The last ply: the children are leaves, so they are played one by one and not kept.
    fn search_frontier(&mut self, state: &G, place: Place, alpha: i32, beta: i32) -> Result<Found, Stopped> {
        let actions = state.legal_actions();
        self.check_budget(actions.len())?;
        let is_full = beta - alpha > 1;
        let mut best = Found::NOTHING;
        for action in actions {
            let child = self.play(state, action, place);
            let found = child.ended.unwrap_or_else(|| self.leaf(state, &child.state));
            if found.value > best.value {
                best.value = found.value;
                if is_full {
                    self.best[place.ply].clear();
                    self.best[place.ply].push(action);
                }
                if found.value >= beta {
                    return Ok(found);
                }
            }
            best.rests = best.rests | found.rests;
        }
        Ok(best)
    }

    /// The value of a child for the player to move in `state`.
    #[allow(clippy::too_many_arguments)]
    #[inline]
    fn child_value(
        &mut self,
        state: &G,
        child: &Child<G>,
        place: Place,
        signatures: [u64; 2],
        depth: u32,
        alpha: i32,
        beta: i32,
    ) -> Result<Found, Stopped> {
        let is_turned = child.state.to_move() != state.to_move();
        if let Some(found) = child.ended {
            self.best[place.ply + 1].clear();
            return Ok(found);
        }
        if depth == 1 {
            self.best[place.ply + 1].clear();
            return Ok(self.leaf(state, &child.state));
        }
        let line_len = self.line.len();
        let below = if child.is_capture {
            Place { ply: place.ply + 1, start: line_len, earlier: [0; 2] }
        } else {
            Place { ply: place.ply + 1, start: place.start, earlier: signatures }
        };
        if child.state.counts_for_repetition() {
            self.line.push(child.fingerprint);
        }
        let found = if is_turned {
            self.search(&child.state, below, depth - 1, -beta, -alpha).map(Found::turned)
        } else {
            self.search(&child.state, below, depth - 1, alpha, beta)
        };
        self.line.truncate(line_len);
        found
    }

    /// The margin that a player can force, by the tablebase and of a fresh history; 0 where neither forces a win.
    #[inline]
    fn look_up(&self, state: &G) -> Option<Found> {
        let forced = self.tablebase?.forced_margin(state.as_giuthi()?)?;
        let rests = Rests { on_scores: true, on_horizon: false };
        Some(Found { value: i32::from(forced) * evaluation::PARTS, rests })
    }

    /// The value of `child`, where the search stops, for the player to move in `state`.
    #[inline]
    fn leaf(&self, state: &G, child: &G) -> Found {
        match self.look_up(child) {
            // Here the history may say otherwise: a deeper search finds out.
            Some(Found { value, .. }) => {
                let found = Found { value, rests: Rests { on_scores: true, on_horizon: true } };
                if child.to_move() == state.to_move() { found } else { found.turned() }
            }
            None => leaf(state, child),
        }
    }

    /// Whether `children` more positions may be reached.
    #[inline]
    fn check_budget(&mut self, children: usize) -> Result<(), Stopped> {
        if !self.is_limited {
            return Ok(());
        }
        self.expanded = self.expanded.wrapping_add(1);
        let is_late = || self.budget.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if self.nodes + children as u64 > self.budget.nodes
            || (self.expanded.is_multiple_of(CLOCK_INTERVAL) && is_late())
            || (self.expanded.is_multiple_of(STOP_INTERVAL) && self.budget.stop.is_asked())
        {
            return Err(Stopped);
        }
        Ok(())
    }

    /// Whoever wins from here on, the final margin is the lead now and at most the seeds in play more or less, or 0 in a draw.
    /// If that settles the question asked, a bound is the answer.
    #[inline]
    fn decided(&self, state: &G, lead: i32, alpha: i32, beta: i32) -> Option<Found> {
        if !self.early_stop {
            return None;
        }
        let scores: i32 = state.scores().map(i32::from).iter().sum();
        let in_play = (self.total_seeds - scores) * evaluation::PARTS;
        let (least, most) = ((lead - in_play).min(0), (lead + in_play).max(0));
        let value = if least >= beta {
            least
        } else if most <= alpha {
            most
        } else {
            return None;
        };
        Some(Found { value, rests: Rests { on_scores: true, on_horizon: false } })
    }

    /// How the table sees a position and the set of positions since the last capture, itself included.
    #[inline]
    fn frames(&self, state: &G, place: Place) -> Frames {
        if self.table.is_none() {
            return Frames::default();
        }
        if !state.counts_for_repetition() {
            return Frames { fingerprints: [state.fingerprint(); 2], signatures: [0; 2] };
        }
        let fingerprint = self.line[self.line.len() - 1];
        let mirrored = if G::HAS_MIRROR { state.mirrored().fingerprint() } else { fingerprint };
        let fingerprints = [fingerprint, mirrored];
        let [plain, mirrored] = place.earlier;
        Frames {
            fingerprints,
            signatures: [
                plain ^ mix64(fingerprints[0], SALT_MEMBER),
                mirrored ^ mix64(fingerprints[1], SALT_MEMBER),
            ],
        }
    }

    fn keep_line(&mut self, ply: usize, action: Action) {
        let (upper, lower) = self.best.split_at_mut(ply + 1);
        upper[ply].clear();
        upper[ply].push(action);
        upper[ply].extend_from_slice(&lower[0]);
    }
}
