//! What a tablebase knows of a board.

/// How far the player to move and the opponent can push the margin to come: seeds that the player to move still gains on the
/// opponent until the game ends for lack of moves. A draw by repetition or endless sowing is no such end, so neither player
/// can push anything there.
///
/// With a lead L the player to move wins from `L + won >= 1` on, and the opponent from `L + lost <= -1` on: these are the
/// thresholds `win = 1 - won` and `loss = -1 - lost`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Margins {
    /// The greatest margin that the player to move can force, or [`UNWON`](Self::UNWON).
    pub(super) won: i8,
    /// The least margin that the opponent can hold him to, or [`UNLOST`](Self::UNLOST); never below `won`.
    pub(super) lost: i8,
}

impl Margins {
    /// The player to move can force no end.
    pub(super) const UNWON: i8 = -127;
    /// The opponent can force no end.
    pub(super) const UNLOST: i8 = 127;
    /// Nobody can force anything.
    pub(super) const NONE: Self = Self { won: Self::UNWON, lost: Self::UNLOST };
    /// Worse for the player to move than anything a move can bring: where a maximum begins.
    pub(super) const WORST: Self = Self { won: Self::UNWON, lost: Self::UNWON };

    /// Both players can force the same margin.
    pub(super) const fn exactly(margin: i8) -> Self {
        Self { won: margin, lost: margin }
    }

    /// The same for the other player.
    #[inline]
    pub(super) const fn turned(self) -> Self {
        Self { won: -self.lost, lost: -self.won }
    }

    /// With so many seeds more.
    pub(super) const fn plus(self, seeds: i8) -> Self {
        Self {
            won: if self.won == Self::UNWON { self.won } else { self.won + seeds },
            lost: if self.lost == Self::UNLOST { self.lost } else { self.lost + seeds },
        }
    }

    /// The better of two moves, by either measure.
    #[inline]
    pub(super) fn max(self, other: Self) -> Self {
        Self { won: self.won.max(other.won), lost: self.lost.max(other.lost) }
    }

    /// Both players can force it: nothing is left to find out.
    #[inline]
    pub(super) const fn is_settled(self) -> bool {
        self.won == self.lost
    }

    /// The least lead from which the player to move can force a win; `None` if there is none.
    pub(super) fn win(self) -> Option<i16> {
        (self.won != Self::UNWON).then(|| 1 - i16::from(self.won))
    }

    /// The greatest lead from which the opponent can; `None` if there is none.
    pub(super) fn loss(self) -> Option<i16> {
        (self.lost != Self::UNLOST).then(|| -1 - i16::from(self.lost))
    }

    pub(super) const fn to_bytes(self) -> [u8; 2] {
        [self.won as u8, self.lost as u8]
    }

    #[inline]
    pub(super) const fn from_bytes([won, lost]: [u8; 2]) -> Self {
        Self { won: won as i8, lost: lost as i8 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_margins_seen_from_the_lead() {
        assert_eq!((Margins::exactly(8).win(), Margins::exactly(8).loss()), (Some(-7), Some(-9)));
        assert_eq!((Margins::NONE.win(), Margins::NONE.loss()), (None, None));
        assert_eq!(Margins::NONE.plus(3).turned(), Margins::NONE);
        let margins = Margins { won: Margins::UNWON, lost: 4 };
        assert_eq!(margins.turned(), Margins { won: -4, lost: Margins::UNLOST });
        assert_eq!(margins.plus(-6), Margins { won: Margins::UNWON, lost: -2 });
        assert_eq!(Margins::from_bytes(margins.to_bytes()), margins);
    }
}
