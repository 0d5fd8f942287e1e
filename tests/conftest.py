"""What all tests share: one profile for tests on generated input, lines of the usual width, and Ctrl-C that is heard."""

from __future__ import annotations

import os
import signal

import hypothesis

os.environ.pop("COLUMNS", None)  # lines are as wide as where nothing else is said, whatever terminal the tests run on

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a job in the background of a shell; what tests start would too
    signal.signal(signal.SIGINT, signal.default_int_handler)

hypothesis.settings.register_profile("sekisho", deadline=None, derandomize=True, max_examples=100, print_blob=True)
hypothesis.settings.load_profile("sekisho")
