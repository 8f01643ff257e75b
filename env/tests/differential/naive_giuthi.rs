//! Giuthi once more, sentence by sentence of the rules page and as plainly as possible: signed integers, a set of all lap
//! states, a list of all positions. Nothing of it is shared with the crate.

use std::collections::HashSet;

use crate::NaivePlayed;

#[derive(Clone)]
pub(crate) struct NaiveGiuthi {
    /// Pits a row.
    n: i32,
    /// Rule option `capture=occupied`.
    occupied: bool,
    pits: Vec<i32>,
    scores: [i32; 2],
    player: i32,
    /// Every position of this game with its player to move.
    stood: Vec<(Vec<i32>, i32)>,
    end: Option<&'static str>,
}

impl NaiveGiuthi {
    pub(crate) fn read(text: &str, occupied: bool) -> Self {
        let fields: Vec<&str> = text.split(' ').collect();
        let number = |text: &str| text.parse::<i32>().unwrap();
        let pits: Vec<i32> = fields[0].split(['/', ',']).map(number).collect();
        let mut game = Self {
            n: pits.len() as i32 / 2,
            occupied,
            pits,
            scores: [number(fields[1]), number(fields[2])],
            player: number(&fields[3][1..]),
            stood: vec![],
            end: None,
        };
        game.settle(game.player);
        game.stood.push((game.pits.clone(), game.player));
        game
    }

    pub(crate) fn write(&self) -> String {
        let row = |pits: &[i32]| pits.iter().map(i32::to_string).collect::<Vec<_>>().join(",");
        let (one, zero) = self.pits.split_at(self.n as usize);
        let [score0, score1] = self.scores;
        let end = self.end.map_or(String::new(), |end| format!(" {end}"));
        format!("{}/{} {score0} {score1} p{}{end}", row(one), row(zero), self.player)
    }

    pub(crate) fn end(&self) -> Option<&'static str> {
        self.end
    }

    pub(crate) fn winner(&self) -> Option<usize> {
        match self.end {
            Some("no-moves") if self.scores[0] > self.scores[1] => Some(0),
            Some("no-moves") if self.scores[1] > self.scores[0] => Some(1),
            _ => None,
        }
    }

    fn at(&self, pit: i32) -> i32 {
        self.pits[pit as usize]
    }

    fn owner(&self, pit: i32) -> i32 {
        if pit < self.n { 1 } else { 0 }
    }

    fn can_move(&self, player: i32) -> bool {
        (0..2 * self.n).any(|pit| self.owner(pit) == player && self.at(pit) >= 2)
    }

    /// The numbers of the legal actions.
    pub(crate) fn actions(&self) -> Vec<u16> {
        if self.end.is_some() {
            return vec![];
        }
        let own_left = if self.player == 0 { self.n } else { 0 };
        let own = (0..self.n).filter(|k| self.at(own_left + k) >= 2);
        own.flat_map(|k| [2 * k as u16, 2 * k as u16 + 1]).collect()
    }

    pub(crate) fn play(&mut self, action: u16) -> NaivePlayed {
        let mover = self.player;
        let origin = i32::from(action / 2) + if mover == 0 { self.n } else { 0 };
        let mut step = if action.is_multiple_of(2) { 1 } else { -1 };
        let before = self.pits.clone();
        let mut played = NaivePlayed { landing: origin, ..NaivePlayed::default() };
        let mut laps = 0;
        let mut states = HashSet::new();
        let mut pit = origin;
        loop {
            let mut hand = self.at(pit);
            self.pits[pit as usize] = 0;
            while hand > 0 {
                pit = (pit + step).rem_euclid(2 * self.n);
                self.pits[pit as usize] += 1;
                hand -= 1;
                if self.owner(pit) != mover {
                    played.entered = true;
                }
            }
            laps += 1;
            if self.at(pit) == 1 {
                break;
            }
            step = -step;
            if !states.insert((self.pits.clone(), pit, step)) {
                self.pits = before;
                self.end = Some("endless");
                played.endless = true;
                return played;
            }
        }
        played.laps = laps;
        played.landing = pit;
        if self.owner(pit) == mover && !played.entered {
            played.extra = true;
        }
        if self.owner(pit) == mover && played.entered {
            played.captured = self.capture(pit, step);
            self.scores[mover as usize] += played.captured;
        }
        played.passed = self.settle(if played.extra { mover } else { 1 - mover });
        if self.end.is_none() {
            let position = (self.pits.clone(), self.player);
            if self.stood.contains(&position) {
                self.end = Some("repetition");
                played.passed = false;
            }
            self.stood.push(position);
        }
        played
    }

    fn capture(&mut self, landing: i32, step: i32) -> i32 {
        let opposite = |pit: i32| 2 * self.n - 1 - pit;
        if self.occupied && self.at(opposite(landing)) == 0 {
            return 0;
        }
        let mut emptied = vec![landing, opposite(landing)];
        let mut pit = landing + step;
        while (0..2 * self.n).contains(&pit) && self.owner(pit) == self.player && self.at(pit) == 0 {
            if self.occupied && self.at(opposite(pit)) == 0 {
                break;
            }
            emptied.push(opposite(pit));
            pit += step;
        }
        let taken = emptied.iter().map(|pit| self.at(*pit)).sum();
        for pit in emptied {
            self.pits[pit as usize] = 0;
        }
        taken
    }

    /// Gives the turn to `next`; true if somebody is passed over.
    fn settle(&mut self, next: i32) -> bool {
        self.player = next;
        if self.can_move(next) {
            return false;
        }
        if self.can_move(1 - next) {
            self.player = 1 - next;
            return true;
        }
        for pit in 0..2 * self.n {
            self.scores[self.owner(pit) as usize] += self.at(pit);
        }
        self.pits.fill(0);
        self.end = Some("no-moves");
        false
    }
}
