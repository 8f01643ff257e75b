//! What can be played after a move, all replies together.

use crate::game::{Action, Game};

/// The replies to an action, which are the legal actions of the position after it. The default: there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replies {
    /// Seeds that the action itself captures.
    pub captured: u8,
    /// How many there are; 0 where the action has left nobody a move.
    pub count: u8,
    /// The most seeds that one of them captures.
    pub most: u8,
    /// Seeds that they capture, summed over all.
    pub sum: u16,
    /// One of them earns an extra move.
    pub earns_move: bool,
    /// They are up to the player who acted.
    pub is_own: bool,
}

impl Replies {
    /// Plays `action`, which must be legal, and all replies to it by the scalar rules.
    /// [`Foreteller`](crate::Foreteller) tells the same of many moves, faster.
    pub fn of<G: Game>(state: &G, action: Action) -> Self {
        let mut after = *state;
        let captured = after.play_unchecked(action).captured;
        let mut replies = Self { captured, is_own: after.to_move() == state.to_move(), ..Self::default() };
        for reply in after.legal_actions() {
            let played = { after }.play_unchecked(reply);
            replies.count += 1;
            replies.most = replies.most.max(played.captured);
            replies.sum += u16::from(played.captured);
            replies.earns_move |= played.extra_move;
        }
        replies
    }
}
