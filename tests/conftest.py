"""What all tests share: one profile for tests on generated input."""

from __future__ import annotations

import hypothesis

hypothesis.settings.register_profile("sekisho", deadline=None, derandomize=True, max_examples=100, print_blob=True)
hypothesis.settings.load_profile("sekisho")
