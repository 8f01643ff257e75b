"""Opponents and a plain reference of an episode, played with `State` alone."""

import numpy as np

import mancala_rl as mrl
from reference import Shadow, raw_observation, units


class First:
    """Plays its lowest legal action; keeps what it was asked and told."""

    def __init__(self):
        self.batches = []
        self.seeds = []

    def new_game(self, seed):
        self.seeds.append(seed)

    def act_many(self, states):
        self.batches.append(len(states))
        answers = [state.legal_actions()[0] for state in states]
        for state, action in zip(states, answers):
            state.play(action)  # they are its own
        return np.array(answers, np.int16)


class Single:
    """Has `act` alone, and plays its highest legal action."""

    def act(self, state):
        return np.int16(state.legal_actions()[-1])


class Saying:
    """Answers what it was given, whatever that is."""

    def __init__(self, answer):
        self.answer = answer

    def act_many(self, states):
        return self.answer(states) if callable(self.answer) else self.answer


class Raising:
    """Answers like `First` until it is told to raise."""

    def __init__(self):
        self.error = None

    def act_many(self, states):
        if self.error is not None:
            raise self.error
        return [state.legal_actions()[0] for state in states]


def last_legal(state):
    return state.legal_actions()[-1]


class Plain:
    """One episode against an opponent that is a function of the state."""

    def __init__(self, game, answer, player, max_plies=None, text=None, **options):
        self.answer, self.player, self.max_plies = answer, player, max_plies
        self.shadow = Shadow(game, text or mrl.State(game, **options).position(), **options)
        self.played = []
        self.reply()

    @property
    def state(self):
        return self.shadow.state

    @property
    def truncated(self):
        return not self.state.is_over and self.shadow.plies == self.max_plies

    @property
    def over(self):
        return self.state.is_over or self.truncated

    def reply(self):
        while not self.over and self.state.to_move != self.player:
            action = self.answer(self.state)
            self.played.append(action)
            self.shadow.play(action)

    def step(self, action):
        self.played = []
        self.shadow.play(action)
        self.reply()

    @property
    def reward(self):
        return self.state.returns()[self.player]

    def observation(self, dtype="float32"):
        return view(self.shadow, self.player, dtype)


def view(shadow, player, dtype="float32"):
    """A position in the view of a player, whoever is to move."""
    words = shadow.state.position().split()
    mover = int(words[3][1])
    words[3] = f"p{player}"
    raw = raw_observation(" ".join(words), shadow.quiet, shadow.extra)
    assert mover == shadow.state.to_move
    return raw if dtype == "uint8" else raw.astype(np.float32) / units(shadow.game)
