"""Fixtures of several test files."""

import signal
import subprocess
import sys

import pytest
from hypothesis import settings

# The same examples every time, however slow the machine is.
settings.register_profile("mancala", derandomize=True, deadline=None)
settings.load_profile("mancala")

# A shell lets its background jobs ignore Ctrl-C, and tests that wait for it would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def run_python():
    """Runs code in a process of its own and returns what it printed."""

    def run(code):
        result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        return result.stdout

    return run
