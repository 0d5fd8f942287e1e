"""What all tests share: one profile for tests on generated input, and lines of the usual width."""

from __future__ import annotations

import os

import hypothesis

os.environ.pop("COLUMNS", None)  # lines are as wide as where nothing else is said, whatever terminal the tests run on

hypothesis.settings.register_profile("sekisho", deadline=None, derandomize=True, max_examples=100, print_blob=True)
hypothesis.settings.load_profile("sekisho")
