"""Exceptions of mancala_rl that are more than the built-in ones.

Malformed game ids, options and positions and damaged nets raise plain ``ValueError``, values of a wrong type ``TypeError``,
files that are not there ``FileNotFoundError``, an environment used by two threads at once ``RuntimeError``. The errors of
``train`` stand in :mod:`mancala_rl.training`.
"""


class IllegalActionError(ValueError):
    """An action that is not legal in this position, or any action in a finished game. Nothing has changed."""


class ActionOutOfRangeError(IllegalActionError, IndexError):
    """A number that is no action of this game in any position. Nothing has changed."""
