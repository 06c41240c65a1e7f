# make demo    make a virtual environment, install, and run the built-in example
# make test    the same, and run all tests
# make check   format, lint, strict types, import contracts, documentation samples, and make test
# make torture kills, damage and strange files by the thousand (an hour); `make test` has a short form of each
# make bench   all benchmarks of this machine's processor, each with a ratio to a baseline; appends to benchmarks/rows.jsonl

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: demo test check torture bench format clean

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[demo,word2vec,cluster,dev]'
	touch $@

demo: $(VENV)/.installed
	$(BIN)/chronotope demo

test: $(VENV)/.installed
	$(BIN)/python -m pytest --numprocesses auto

check: $(VENV)/.installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(MAKE) test

torture: $(VENV)/.installed
	PYTHONPATH=tests $(BIN)/python -m torture.killing --moments 200 --steps 0
	PYTHONPATH=tests $(BIN)/python -m torture.fuzzing --models 100000 --corpora 100000 --runs 5000

bench: $(VENV)/.installed
	for name in counting prepare queries training graph roofline chart; do $(BIN)/python benchmarks/$$name.py || exit 1; done

format: $(VENV)/.installed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
