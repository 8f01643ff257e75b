//! What a net reads beyond the observation: rows of its table of counts, and what actions do.

use mancala_env::{ACTION_FEATURES, ActionInfo, Game};

use super::NetConfig;

/// Features of the replies to an action.
pub const REPLY_FEATURES: usize = 6;

/// Features of an action that a net of these sizes reads.
pub fn action_features(net: NetConfig) -> usize {
    ACTION_FEATURES + if net.reply_features { REPLY_FEATURES } else { 0 }
}

/// Writes the features of an action of `state`: those of [`ActionInfo::features`], and, where `out` has room for them, six of
/// the replies, which are the legal actions of the position after it:
///
/// - if the same player moves again: the most that a reply captures, / seeds a pit at the start; whether one earns an extra move;
/// - if the other player moves: the most that a reply captures, and the mean, / seeds a pit at the start; whether one earns an
///   extra move;
/// - the number of replies / pits.
///
/// What does not apply is 0, and so are all six if the action ends the game, and in Kiothi's opening, where nothing is sown.
/// `units` are [`Game::seed_unit`] and [`Game::num_pits`].
pub fn describe<G: Game>(state: &G, info: &ActionInfo, units: (f32, usize), out: &mut [f32]) {
    let (seed_unit, pits) = units;
    let (own, replies) = out.split_at_mut(ACTION_FEATURES);
    own.copy_from_slice(&info.features(seed_unit, pits));
    if replies.is_empty() {
        return;
    }
    replies.fill(0.0);
    let is_sown = info.laps > 0;
    if info.ends_game || !is_sown {
        return;
    }
    let mut after = *state;
    after.play_unchecked(info.action);
    let (mut count, mut most, mut sum, mut earns_move) = (0u16, 0, 0u16, false);
    for reply in after.legal_actions() {
        let played = { after }.play_unchecked(reply);
        count += 1;
        most = most.max(played.captured);
        sum += u16::from(played.captured);
        earns_move |= played.extra_move;
    }
    let (most, mean) = (f32::from(most) / seed_unit, f32::from(sum) / f32::from(count.max(1)) / seed_unit);
    let earns_move = f32::from(u8::from(earns_move));
    match after.to_move() == state.to_move() {
        true => replies[..2].copy_from_slice(&[most, earns_move]),
        false => replies[2..5].copy_from_slice(&[most, mean, earns_move]),
    }
    replies[5] = f32::from(count) / pits as f32;
}

/// The row of a table of counts with so many levels for a pit that holds `count`.
pub fn count_row(pit: usize, count: u8, levels: usize) -> usize {
    pit * levels + usize::from(count).min(levels - 1)
}
