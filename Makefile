# make demo    make a virtual environment, install, and run the built-in example
# make test    the same, fetch a browser if there is none, and run all tests
# make docs    the documentation as a site, in site/; `python -m http.server -d site` shows it with its search
# make release wheel and sdist in dist/, each installed in a fresh environment of every Python in PYTHONS and tried
# make check   format, lint, strict types, import contracts, documentation samples, and make test
# make types   check the types of the explorer's page (npm fetches TypeScript; the page itself needs no build)
# make torture kills, damage and strange files by the thousand (an hour); `make test` has a short form of each
# make reproduce TABLE=time|places|news|qualitative|ablation [DATA=DIR METHODS=a,b SEEDS=N OUTPUT=DIR]
#              the paper's tables on open text (docs/reproduce.md); the same command continues a stopped run
# make bench   the benchmarks of speed, each with a ratio to a baseline; rows go to benchmarks/rows.jsonl, too

PYTHON ?= python3
VENV ?= .venv
PYTHONS ?= $(PYTHON)
BIN = $(VENV)/bin
# The tests of a file run in one process: they share what they train.
TOGETHER = --numprocesses auto --dist loadfile --no-loadscope-reorder

.PHONY: demo test docs release check types torture bench reproduce format clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# The example needs much less than the tests; both go into the same environment.
$(VENV)/.demo: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[demo]'
	touch $@

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[demo,documents,word2vec,cluster,docs,dev]'
	touch $(VENV)/.demo $@

demo: $(VENV)/.demo
	$(BIN)/chronotope demo

test: $(VENV)/.installed
	$(BIN)/python tools/browser.py
	$(BIN)/python -m pytest $(TOGETHER) -rs

docs: $(VENV)/.installed
	$(BIN)/python tools/reference.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	$(BIN)/chronotope demo -o build/demo > /dev/null
	mv build/demo/explorer site/live

release: $(VENV)/.installed
	rm -rf dist
	$(BIN)/python -m hatchling build -d dist
	$(BIN)/python tools/try_release.py dist $(PYTHONS)

check: $(VENV)/.installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(MAKE) types
	$(MAKE) test

types: node_modules/.bin/tsc
	node_modules/.bin/tsc

node_modules/.bin/tsc: package.json
	npm install --no-package-lock --no-audit --no-fund --silent
	touch $@

torture: $(VENV)/.installed
	PYTHONPATH=tests $(BIN)/python -m torture.killing --moments 200 --steps 0
	PYTHONPATH=tests $(BIN)/python -m torture.fuzzing --models 100000 --corpora 100000 --runs 5000

bench: $(VENV)/.installed
	for name in prepare queries training graph; do $(BIN)/python benchmarks/$$name.py || exit 1; done

reproduce: $(VENV)/.installed
	$(BIN)/python -m benchmarks.reproduce $(TABLE) $(if $(DATA),--data '$(DATA)') $(if $(METHODS),--methods '$(METHODS)') \
	  $(if $(SEEDS),--seeds $(SEEDS)) $(if $(OUTPUT),--output '$(OUTPUT)')

format: $(VENV)/.installed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) node_modules build dist site .mypy_cache .pytest_cache .ruff_cache .hypothesis
