//! Boards as text, the players' pits facing each other.

use mancala_env::{Game, Giuthi, Kiothi, Phase, Player};

/// What drawing a board and telling of a move have to know of a game.
pub(crate) trait Board: Game {
    /// What a pit is called.
    const PIT: &'static str;
    /// What a seed is called.
    const SEED: &'static str;
    /// How the rows show the way of sowing: the upper one, the lower one.
    const ARROWS: [&'static str; 2];

    /// Seeds by pit number.
    fn seeds(&self) -> &[u8];
    /// The number of a player's leftmost pit.
    fn leftmost(&self, player: Player) -> usize;
    /// A sign at the seeds of a pit.
    fn mark(&self, pit: usize) -> &'static str;
    /// What there is to say beside the board.
    fn note(&self) -> Option<String>;
}

impl Board for Giuthi {
    const PIT: &'static str = "pit";
    const SEED: &'static str = "seed";
    const ARROWS: [&'static str; 2] = ["<- ccw", "-> ccw"];

    fn seeds(&self) -> &[u8] {
        self.pits()
    }

    fn leftmost(&self, player: Player) -> usize {
        match player {
            Player::Zero => self.row_len(),
            Player::One => 0,
        }
    }

    fn mark(&self, _: usize) -> &'static str {
        ""
    }

    fn note(&self) -> Option<String> {
        None
    }
}

impl Board for Kiothi {
    const PIT: &'static str = "boma";
    const SEED: &'static str = "warrior";
    const ARROWS: [&'static str; 2] = ["<- sowing", "-> sowing"];

    fn seeds(&self) -> &[u8] {
        self.boma()
    }

    fn leftmost(&self, player: Player) -> usize {
        player.index() * self.boma().len() / 2
    }

    fn mark(&self, boma: usize) -> &'static str {
        if self.is_nki(boma) { "x" } else { "" }
    }

    fn note(&self) -> Option<String> {
        let player = self.to_move().index();
        match self.phase() {
            Phase::Lift => Some(format!("The opening: Player {player} empties two of his boma (lift).")),
            Phase::SecondLift { hand, .. } => {
                Some(format!("The opening: {hand} warriors in hand, and a second boma to empty (lift)."))
            }
            Phase::Place { hand, .. } => Some(format!("The opening: {hand} in hand to be placed (place).")),
            Phase::Sow => {
                (0..self.boma().len()).any(|boma| self.is_nki(boma)).then(|| "x marks a nki.".into())
            }
        }
    }
}

/// A board from one player's seat, in lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    /// Whose row is below.
    pub(crate) seat: Player,
    /// What to call the players.
    pub(crate) names: [&'a str; 2],
}

impl View<'_> {
    /// The whole board: pit numbers, seeds, scores, who is who, `>` at the player to move unless nobody is.
    pub(crate) fn board<G: Board>(self, state: &G, to_move: Option<Player>) -> Vec<String> {
        let players = [self.seat.other(), self.seat];
        let rows = self.rows(state, None);
        let numbers = players.map(|player| {
            let numbers = self.pits(state, player).map(|pit| cell(&pit.to_string(), "", false));
            numbers.collect::<String>()
        });
        let [above, below] = numbers;
        let [arrow_above, arrow_below] = G::ARROWS;
        let row = |i: usize| {
            let player = players[i];
            let sign = if to_move == Some(player) { ">" } else { " " };
            let (number, name) = (player.index(), self.names[player.index()]);
            let score = state.scores()[number];
            format!("{sign} Player {number} |{}| captured {score:>3}  {name}", rows[i])
        };
        let mut lines = vec![
            format!("{INDENT}{above} {arrow_above}"),
            row(0),
            row(1),
            format!("{INDENT}{below} {arrow_below}"),
        ];
        lines.extend(state.note());
        lines
    }

    /// The two rows with brackets around the seeds of one pit.
    pub(crate) fn bare_rows<G: Board>(self, state: &G, highlighted: usize) -> Vec<String> {
        self.rows(state, Some(highlighted))
            .map(|row| format!("{:width$}|{row}|", "", width = INDENT.len() - 1))
            .into()
    }

    fn rows<G: Board>(self, state: &G, highlighted: Option<usize>) -> [String; 2] {
        [self.seat.other(), self.seat].map(|player| {
            self.pits(state, player)
                .map(|pit| cell(&state.seeds()[pit].to_string(), state.mark(pit), highlighted == Some(pit)))
                .collect()
        })
    }

    /// A player's pits from the left of this seat to the right: the other player sits upside down.
    fn pits<G: Board>(self, state: &G, player: Player) -> impl Iterator<Item = usize> {
        let (left, row) = (state.leftmost(player), state.seeds().len() / 2);
        let is_below = player == self.seat;
        (0..row).map(move |i| if is_below { left + i } else { left + row - 1 - i })
    }
}

/// What stands before the pit numbers: as much as before the seeds.
const INDENT: &str = "            ";

/// A number with its mark, perhaps in brackets; the digits of one column stand under each other.
fn cell(number: &str, mark: &str, is_highlighted: bool) -> String {
    let (open, close) = if is_highlighted { ("[", "]") } else { ("", "") };
    format!("{:>4}{:<2}", format!("{open}{number}"), format!("{mark}{close}"))
}
