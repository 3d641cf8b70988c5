.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.installed
NODE := $(VENV)/node
NODE_STAMP := $(NODE)/.installed
DOCS_STAMP := $(VENV)/.docs
CANDIDATES := $(PYTHON) python3.11 python3.12 python3.13 python3
USABLE := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
PYTEST_FLAGS ?= -n 2
FUZZ_SECONDS ?= 240

# The layers without effects: every line and branch must be covered.
PURE := budget errors shapes records json_text log settings bounds text formats match patterns plan check/issue
empty :=
PURE_FILES := $(subst $(empty) $(empty),$(empty),$(foreach m,$(PURE),*/suture/$(m).py,*/suture/$(m)/*,))

# Measuring these tests would double their time and add hardly any coverage: others reach the same code.
UNMEASURED := tests/cases/test_ways.py tests/contract tests/faults tests/fuzz tests/interop \
	$(filter-out tests/property/test_patterns.py,$(wildcard tests/property/test_*.py)) \
	tests/unit/test_cost_bench.py tests/unit/test_editbench.py tests/unit/test_search_bench.py \
	$(addprefix tests/unit/tools/test_,apply_reply_spec.py reply_functions_spec.py file_edit_performance.py)

# Where `make quick` collects the tests that start no process.
QUICK := tests/unit tests/property $(wildcard tests/cases)

# With PYTHONDONTWRITEBYTECODE, a thousand processes, and pytest every time, would compile everything again.
unexport PYTHONHOME PYTHONPATH PYTHONDONTWRITEBYTECODE

# An environment that does not run, belongs to another folder, or has other dependencies, is created again. What is
# installed depends on pyproject.toml only up to the settings of ruff and the tools after it.
NEEDED := $(CURDIR) $(shell { sed '/^\[tool\.ruff\]/,$$d' pyproject.toml; cat constraints.txt; } | cksum)
ifneq ($(shell { $(PY) -c '$(USABLE)' && cat $(STAMP); } 2>/dev/null),$(NEEDED))
STALE := stale
endif

.PHONY: help setup quick check style types test soak bench demo docs reference format build clean stale

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "%-9s %s\n", $$1, $$2 }' Makefile

setup: $(STAMP) ## create .venv with the exact versions of constraints.txt

$(STAMP): $(STALE)
	@for python in $(CANDIDATES); do \
		if $$python -c '$(USABLE)' >/dev/null 2>&1; then \
			echo "creating $(VENV) with $$python"; \
			exec $$python -m venv --clear $(VENV); \
		fi; \
	done; \
	echo "no working Python 3.11 or newer with venv among: $(CANDIDATES)" >&2; exit 1
	$(PY) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt pip
	$(PY) -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt \
		--build-constraint constraints.txt --editable '.[lint,mcp,models,syntax]' --group dev
	@$(PY) -W ignore -m compileall -q -j 2 src $(VENV)/lib
	@printf '%s\n' '$(NEEDED)' > $@

stale:

# Node.js clients for testing the MCP server, and fast-glob. If they cannot be installed, those tests are skipped.
$(NODE_STAMP): tests/interop/node/package.json $(STAMP)
	@rm -rf $(NODE) && mkdir $(NODE) && cp $< $(NODE)
	@if ! node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null || ! npm --version >/dev/null 2>&1; then \
		echo "no Node.js 20 or newer with npm: tests/interop/test_mcp_node.py and test_globs_like_node.py will be skipped"; \
	elif npm install --prefix $(NODE) --no-package-lock --no-audit --no-fund --ignore-scripts --omit=dev \
		--fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-timeout=60000 >$(NODE)/npm.log 2>&1; then \
		touch $@; \
	else \
		echo "npm install failed, see $(NODE)/npm.log: tests/interop/test_mcp_node.py and test_globs_like_node.py will be skipped"; \
	fi

quick: setup ## style, types, layers, and the tests that start no process; under two minutes
	@$(MAKE) --no-print-directory -j 2 types style
	SUTURE_EXAMPLES=0.1 $(PY) -m pytest --quick --quiet $(PYTEST_FLAGS) $(QUICK)

check: setup ## format, lint, types and layers
	@$(MAKE) --no-print-directory -j 2 types style

style: setup
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(VENV)/bin/lint-imports --no-logo

types: setup
	$(PY) -m mypy

test: setup ## all checks, tests with coverage, and the documentation: what CI runs
	@$(MAKE) --no-print-directory -j 2 types style docs $(NODE_STAMP)
	$(PY) -m pytest $(PYTEST_FLAGS) $(UNMEASURED)
	$(PY) -m pytest --cov --cov-report=term $(PYTEST_FLAGS) $(UNMEASURED:%=--ignore=%)
	$(PY) -m coverage report --include='$(PURE_FILES)' --fail-under=100

soak: setup ## the exhaustive fault and concurrency tests, and fuzzing for FUZZ_SECONDS (default: 240)
	FUZZ_SECONDS=$(FUZZ_SECONDS) $(PY) -m pytest -m soak $(PYTEST_FLAGS)

bench: setup ## measure suture and other programs side by side; prints ratios
	$(PY) -m bench

demo: setup ## all tools and undo, on a sample project; a minute to read
	$(PY) examples/demo.py

$(DOCS_STAMP): $(STAMP)
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt --group docs
	@touch $@

docs: $(DOCS_STAMP) ## build the documentation as HTML in docs/_build/html; warnings are errors
	$(PY) -m sphinx --fail-on-warning --keep-going --fresh-env --quiet --builder html docs docs/_build/html

reference: setup ## generate reference pages and the picture from the code
	$(PY) -m docs.making
	$(PY) -m docs.picture

format: setup ## format, and fix what ruff can fix
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

build: setup ## build the source distribution and the wheel in dist/
	$(PY) -m hatchling build

clean: ## remove everything that make created
	rm -rf $(VENV) .fuzz dist docs/_build .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage .coverage.*
	find src tests bench examples docs -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
