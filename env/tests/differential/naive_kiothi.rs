//! Kiothi once more, sentence by sentence of the rules page and as plainly as possible. Nothing of it is shared with the
//! crate.

use std::collections::HashSet;

use crate::NaivePlayed;

/// Some endless moves take hundreds of millions of laps to come round. After so many different lap states a move counts as
/// endless here: the longest finite one known has 163 laps.
const MOST_LAP_STATES: usize = 20_000;

/// Boma, marks and player to move.
type Stood = (Vec<i32>, Vec<bool>, usize);

#[derive(Clone)]
enum Phase {
    Lift,
    SecondLift { first: usize },
    Place { floor: usize },
    Sow,
}

#[derive(Clone)]
pub(crate) struct NaiveKiothi {
    boma: Vec<i32>,
    nki: Vec<bool>,
    prisons: [i32; 2],
    player: usize,
    phase: Phase,
    hand: i32,
    stood: Vec<Stood>,
    end: Option<&'static str>,
}

impl NaiveKiothi {
    pub(crate) fn read(text: &str) -> Self {
        let fields: Vec<&str> = text.split(' ').collect();
        let number = |text: &str| text.parse::<i32>().unwrap();
        let (phase, hand) = match fields[4].split(['>', ':', '@']).collect::<Vec<_>>()[..] {
            ["lift"] => (Phase::Lift, 0),
            ["lift", first, hand] => (Phase::SecondLift { first: number(first) as usize }, number(hand)),
            ["place", hand, floor] => (Phase::Place { floor: number(floor) as usize }, number(hand)),
            _ => (Phase::Sow, 0),
        };
        let mut game = Self {
            boma: fields[0].split(['/', ',']).map(number).collect(),
            nki: fields[5].chars().map(|sign| sign == 'x').collect(),
            prisons: [number(fields[1]), number(fields[2])],
            player: number(&fields[3][1..]) as usize,
            phase,
            hand,
            stood: vec![],
            end: None,
        };
        game.settle();
        game
    }

    pub(crate) fn write(&self) -> String {
        let row = |boma: &[i32]| boma.iter().map(i32::to_string).collect::<Vec<_>>().join(",");
        let (zero, one) = self.boma.split_at(10);
        let [prison0, prison1] = self.prisons;
        let phase = match self.phase {
            Phase::Lift => "lift".to_owned(),
            Phase::SecondLift { first } => format!("lift>{first}:{}", self.hand),
            Phase::Place { floor } => format!("place:{}@{floor}", self.hand),
            Phase::Sow => "sow".to_owned(),
        };
        let nki: String = self.nki.iter().map(|&mark| if mark { 'x' } else { '.' }).collect();
        let end = self.end.map_or(String::new(), |end| format!(" {end}"));
        format!("{}/{} {prison0} {prison1} p{} {phase} {nki}{end}", row(zero), row(one), self.player)
    }

    pub(crate) fn end(&self) -> Option<&'static str> {
        self.end
    }

    pub(crate) fn winner(&self) -> Option<usize> {
        match self.end {
            Some("no-moves") if self.prisons[0] > self.prisons[1] => Some(0),
            Some("no-moves") if self.prisons[1] > self.prisons[0] => Some(1),
            _ => None,
        }
    }

    /// The boma that the player to move calls `relative`.
    fn boma_of(&self, relative: usize) -> usize {
        (relative + 10 * self.player) % 20
    }

    fn own(&self, k: usize) -> i32 {
        self.boma[self.boma_of(k)]
    }

    fn is_own(&self, boma: usize) -> bool {
        boma / 10 == self.player
    }

    /// Does the first lap of `count` warriors from `from` end as it may?
    fn first_lap_is_legal(&self, from: usize, count: i32) -> bool {
        let mut boma = self.boma.clone();
        boma[from] -= count;
        let mut at = from;
        for _ in 1..count {
            at = (at + 1) % 20;
            boma[at] += 1;
        }
        at = (at + 1) % 20;
        !(self.is_own(at) && boma[at] > 0)
    }

    /// The numbers of the legal actions.
    pub(crate) fn actions(&self) -> Vec<u16> {
        if self.end.is_some() {
            return vec![];
        }
        let mut actions = vec![];
        for k in 0..10 {
            match self.phase {
                Phase::Lift if self.own(k) > 0 && (k + 1..10).any(|later| self.own(later) > 0) => {
                    actions.push(600 + k);
                }
                Phase::SecondLift { first } if self.own(k) > 0 && k > first => actions.push(600 + k),
                Phase::Sow => {
                    let counts =
                        (1..=self.own(k)).filter(|&count| self.first_lap_is_legal(self.boma_of(k), count));
                    actions.extend(counts.map(|count| 60 * k + count as usize - 1));
                }
                _ => {}
            }
        }
        if let Phase::Place { floor } = self.phase {
            actions.extend((floor..20).map(|j| 610 + j));
        }
        actions.into_iter().map(|action| action as u16).collect()
    }

    pub(crate) fn play(&mut self, action: u16) -> NaivePlayed {
        let action = usize::from(action);
        let mut played = NaivePlayed::default();
        if self.stood.is_empty() && matches!(self.phase, Phase::Sow) {
            self.stood.push((self.boma.clone(), self.nki.clone(), self.player));
        }
        if action >= 610 {
            let boma = self.boma_of(action - 610);
            self.boma[boma] += 1;
            self.hand -= 1;
            self.phase = Phase::Place { floor: action - 610 };
            played.landing = boma as i32;
            played.entered = !self.is_own(boma);
            if self.hand == 0 && self.player == 0 {
                self.player = 1;
                self.phase = Phase::Lift;
            } else if self.hand == 0 {
                self.player = 0;
                self.phase = Phase::Sow;
                self.nki = self.boma.iter().map(|&warriors| warriors > 0).collect();
                self.settle();
            }
        } else if action >= 600 {
            let boma = self.boma_of(action - 600);
            self.hand += self.boma[boma];
            self.boma[boma] = 0;
            self.phase = match self.phase {
                Phase::Lift => Phase::SecondLift { first: action - 600 },
                _ => Phase::Place { floor: 0 },
            };
            played.landing = boma as i32;
        } else {
            self.sow(self.boma_of(action / 60), (action % 60) as i32 + 1, &mut played);
        }
        played
    }

    fn sow(&mut self, from: usize, count: i32, played: &mut NaivePlayed) {
        let mover = self.player;
        let (boma_before, nki_before) = (self.boma.clone(), self.nki.clone());
        let mut states = HashSet::new();
        let (mut at, mut hand) = (from, count);
        played.landing = from as i32;
        let mut laps = 0;
        loop {
            self.boma[at] -= hand;
            self.nki[at] = false;
            for _ in 0..hand {
                at = (at + 1) % 20;
                self.boma[at] += 1;
                played.entered |= !self.is_own(at);
            }
            laps += 1;
            if self.boma[at] == 1 {
                break;
            }
            hand = self.boma[at];
            if !states.insert((self.boma.clone(), at)) || states.len() == MOST_LAP_STATES {
                (self.boma, self.nki) = (boma_before, nki_before);
                self.end = Some("endless");
                played.endless = true;
                return;
            }
        }
        (played.laps, played.landing) = (laps, at as i32);
        let opposite = 19 - at;
        if self.is_own(at) && self.boma[opposite] > 0 && !self.nki[opposite] {
            let mut captured = vec![at, opposite];
            if at == 10 * mover {
                let three = [opposite - 1, opposite - 2, opposite - 3];
                if three.iter().all(|&boma| self.boma[boma] > 0 && !self.nki[boma]) {
                    captured.extend(three);
                    played.bonus = true;
                }
            }
            for boma in captured {
                played.captured += self.boma[boma];
                self.boma[boma] = 0;
            }
            self.prisons[mover] += played.captured;
        }
        self.player = 1 - mover;
        self.settle();
        let stood = (self.boma.clone(), self.nki.clone(), self.player);
        if self.end.is_none() && self.stood.contains(&stood) {
            self.end = Some("repetition");
        }
        self.stood.push(stood);
    }

    /// Ends the game if the player to move has nothing to sow.
    fn settle(&mut self) {
        if matches!(self.phase, Phase::Sow) && (0..10).all(|k| self.own(k) == 0) {
            self.prisons[1 - self.player] += self.boma.iter().sum::<i32>();
            self.boma.fill(0);
            self.end = Some("no-moves");
        }
    }
}
