# Everything runs in a virtual environment of its own; nothing but python3, make and the package registries is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# One more than two cores: some tests wait for a cluster, a browser or a command.
PROCESSES ?= 3
# Tests start hundreds of commands; without compiled modules each of them compiles the package again.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: help demo claims certificates verdicts check test tests screenshots test-all test-integrations docs stub lint format bench benchmark-table audit-study coverage-study torture torture-full clean
.DEFAULT_GOAL := help

help:  ## Show these targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

# uv installs in a fifth of the CPU time of pip, so pip installs it first where it is missing. Where it cannot reach
# the packages, pip does it all.
UV := $(or $(shell command -v uv),$(BIN)/uv)
PIP := $(BIN)/python -m pip install --quiet --no-compile
NEWER_PIP := $(PIP) --upgrade 'pip>=25.1'
install = $(UV) pip install --quiet --python $(BIN)/python $(1) || ( $(NEWER_PIP) && $(PIP) $(1) )

# Wheels that are built here are not compressed.
export DIST_EXTRA_CONFIG := $(CURDIR)/tools/wheels.cfg

$(VENV)/base: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Steelyard needs Python 3.11 or newer, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv --clear $(VENV)
	@test -x "$(UV)" || $(PIP) uv || echo "uv cannot be installed: pip takes its place"
	$(call install,--editable .)
	@touch $@

# Spark runs on the machine's Java where there is one. Modules are compiled when they are first imported: compiling
# all of them takes longer than unpacking them.
$(VENV)/tools: $(VENV)/base
	$(call install,--group tools $(if $(shell command -v java),,--group java))
	@touch $@

$(VENV)/cluster: $(VENV)/base
	$(call install,--group cluster)
	@touch $@

$(VENV)/test: $(VENV)/tools $(VENV)/cluster
	@touch $@

# The processes of the tests start together and import the same modules: each would compile all of them (17 seconds).
$(VENV)/compiled: $(VENV)/test
	@$(BIN)/python -m pytest --collect-only -qq > $@.log || (cat $@.log; exit 1)
	@mv $@.log $@

$(VENV)/bench: $(VENV)/test
	$(call install,--group bench)
	@touch $@

demo: $(VENV)/base  ## Compute metrics of a worked example, evaluate real predictions and write a report
	@mkdir -p demo
	$(BIN)/steelyard metrics '[[5,0,0],[0,10,0],[0,300,0]]' --labels c1,c2,c3 --relevance 'c3 < c1, c3 < c2'
	@echo
	$(BIN)/steelyard evaluate examples/data/glass.csv --truth truth --pred logistic_regression --html demo/report.html --json demo/report.json

claims: $(VENV)/test  ## Decide the papers' claims and write docs/claims.md
	$(BIN)/steelyard claims --markdown docs/claims.md

certificates: $(VENV)/test  ## Decide the claims again and check every certificate with the independent checker
	STEELYARD_CACHE=off $(BIN)/steelyard claims --check

verdicts: $(VENV)/test  ## Decide every property of the catalogue and write the verdicts that the package ships
	$(BIN)/python -m steelyard.proofs.precomputed

lint: $(VENV)/test  ## Check style, types, import contracts, import cycles and vocabulary
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tools.cycles
	$(BIN)/python -m tools.words

format: $(VENV)/test  ## Rewrite the code in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

check: lint  ## Before a commit: style, types, contracts and the unit tests of what changed (under a minute)
	@files=$$($(BIN)/python -m tools.changed_tests); \
	if [ -n "$$files" ]; then $(BIN)/python -m pytest --numprocesses 2 $$files; else echo "no unit tests of what changed"; fi

test:  ## Check everything and run the tests; the slowest are named
	@$(MAKE) --no-print-directory -j2 lint tests

# The command sets it for itself; other processes of the tests would start a thread that spins (50 ms each).
tests: export OPENBLAS_NUM_THREADS = 1
tests: $(VENV)/compiled  # beside the linters, which leave one of two cores idle
	$(BIN)/python -m pytest --numprocesses $(PROCESSES) --dist loadgroup --durations=20 --durations-min=1

# pip finds a build of torch that lies on this machine; uv would fetch the one for graphics cards.
$(VENV)/integrations: $(VENV)/test
	$(NEWER_PIP)
	$(PIP) --group integrations
	@touch $@

test-integrations: $(VENV)/integrations  ## The tests with large packages: torch, torchmetrics, Keras, CatBoost, MLflow, numba, data of studies
	$(BIN)/python -m pytest -m integrations tests/integrations tests/counts tests/reading tests/papers

screenshots: $(VENV)/test  ## Write a screenshot of every kind of page to screenshots/: desktop and phone, light and dark
	PICTURES=screenshots $(BIN)/python -m pytest -m "whole or not whole" tests/browser/test_every_page.py -k 'used_by_everybody and True'

test-all: lint $(VENV)/compiled  ## All tests with line coverage, and the slow ones: the wheel in a clean environment, the oldest versions
	$(BIN)/python -m pytest --numprocesses $(PROCESSES) --dist loadgroup -m "not integrations" --cov --cov-report=term

$(VENV)/docs: $(VENV)/test
	$(call install,--group docs)
	@touch $@

docs: $(VENV)/docs  ## Build the documentation site into docs/_build/html
	$(BIN)/python -m sphinx --fail-on-warning --keep-going -b html docs docs/_build/html

stub: $(VENV)/base  ## Write src/steelyard/__init__.pyi
	$(BIN)/python -m tools.write_stub

bench: $(VENV)/bench  ## Benchmark against other libraries (BENCH="many startup" for some topics)
	$(BIN)/python -m benchmarks $(BENCH)

benchmark-table: $(VENV)/$(if $(TRAIN),integrations,test)  ## Write docs/benchmark-table.md from recorded predictions; TRAIN=1 trains the learners again (resumable)
	$(if $(TRAIN),$(BIN)/python studies/imbalanced_benchmark.py --train)
	$(BIN)/python studies/imbalanced_benchmark.py --write

audit-study: $(VENV)/test  ## Audit 1,000 planted cases against brute force, and the recorded cases of a peer (about two minutes)
	PYTHONPATH=. $(BIN)/python studies/audit_of_planted_cases.py

coverage-study: $(VENV)/base  ## Simulate the coverage of the confidence intervals (under two hours on two cores, resumable; QUICK=1 for 50 sets a cell)
	$(BIN)/python studies/coverage_of_intervals.py $(if $(QUICK),--quick)

torture: $(VENV)/test  ## Stress tests, a sample: other paths, tests of other libraries, fault injection, load, mutants (ten minutes, twenty on a busy machine)
	$(BIN)/python -m torture

torture-full: $(VENV)/test  ## Stress tests in full, with the figures of docs/reliability.md (hours, resumable)
	$(BIN)/python -m torture --full

clean:  ## Remove what was built
	rm -rf $(VENV) .torture demo screenshots docs/_build docs/_generated docs/measures .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage dist
