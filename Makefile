# Two commands from nothing:  make tournament   (sets up, lets CPU players meet)   make test   (sets up, tests)
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --constraint constraints.txt

.PHONY: tournament test test-slow lint bench docs clean

tournament: $(VENV)/.runtime
	$(BIN)/sekisho tournament quoridor --agents random shortest_path heuristic --games 100

test: $(VENV)/.development
	$(BIN)/python -m pytest --numprocesses auto

test-slow: $(VENV)/.development
	$(BIN)/python -m pytest --numprocesses auto -m slow

lint: $(VENV)/.development
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

bench: $(VENV)/.development
	$(BIN)/sekisho bench

docs: $(VENV)/.development
	$(BIN)/python -m sphinx --fail-on-warning --keep-going -q -b html docs build/docs
	@echo "open build/docs/index.html"

clean:
	rm -rf $(VENV) build *.egg-info

# the environment is made once; it is brought up to date when what it is made from changes
$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing sekisho (a few minutes the first time) ..."
	$(INSTALL) --editable .
	@touch $@

$(VENV)/.development: $(VENV)/.runtime
	$(INSTALL) --editable ".[dev]"
	@touch $@
