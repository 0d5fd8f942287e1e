"""How Sphinx makes the documentation site: ``make docs``."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import gymnasium

import sekisho
import sekisho.envs

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent / "examples"))

project = "sekisho"
author = "the sekisho developers"
version = release = sekisho.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
html_theme = "furo"
html_title = "sekisho"
exclude_patterns = ["_build"]
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "description"
napoleon_use_ivar = True
nitpicky = False


def write_environment_pages() -> None:
    """Write a page for each environment: its docstring, which is written as one."""
    folder = DOCS / "environment_pages"
    folder.mkdir(exist_ok=True)
    for environment_id in sekisho.envs.environment_ids():
        page = inspect.cleandoc(type(gymnasium.make(environment_id).unwrapped).__doc__ or "")
        title, _, rest = page.partition("\n")
        name = environment_id.partition("/")[2]
        text = f"# {environment_id}\n\n{title}\n{rest}\n"
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


write_environment_pages()
