# Everything runs in .venv, which the first target that needs it makes.
# A stamp says which packages .venv holds; a changed pyproject.toml makes the stamps anew.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:

BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
WORKERS ?= 2

# Bytecode kept from one run to the next makes every later start quicker.
unexport PYTHONDONTWRITEBYTECODE
# A heldout from elsewhere must not stand in front of this one.
unexport PYTHONPATH
unexport PYTHONHOME

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: .venv/.stamp-base ## Set up, then show what heldout does on the example data
	@PATH="$(CURDIR)/$(BIN):$$PATH" bash tools/demo.sh

.PHONY: test
test: .venv/.stamp-test .venv/.stamp-browser .venv/.stamp-spark ## Set up, then run all tests
	$(BIN)/python -m pytest -n $(WORKERS) $(ARGS)

.PHONY: check
check: .venv/.stamp-test .venv/.stamp-lint ## Set up, then check style, types and import layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

.PHONY: bench
bench: .venv/.stamp-bench ## Set up, then time heldout beside its peers
	$(BIN)/python -m bench $(ARGS)

.PHONY: docs
docs: .venv/.stamp-base ## Write the reference of the measures from the registry
	$(BIN)/python tools/build_docs.py

.PHONY: site
site: .venv/.stamp-site ## Set up, then make a site of docs/ in build/site; warnings are errors
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -b html docs build/site
	@echo "open build/site/index.html"

.PHONY: clean
clean: ## Remove what the other targets made, .venv too
	rm -rf .venv .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache build dist
	find src tests tools bench -type d -name __pycache__ -prune -exec rm -rf {} +

.venv/bin/python:
	@bash tools/make_venv.sh .venv

.venv/.stamp-base: pyproject.toml | .venv/bin/python
	$(INSTALL) --editable .
	@touch $@

# pages are tested in a real browser, from Debian's packages where it is missing and can be had
.venv/.stamp-browser: | .venv/bin/python
	@bash tools/find_browser.sh
	@touch $@

# Spark is tested where it and Java can be had; it is half a gigabyte, so that it comes apart
.venv/.stamp-spark: pyproject.toml | .venv/bin/python
	@bash tools/find_java.sh
	@$(INSTALL) --editable ".[spark,ibis]" "ibis-framework[duckdb]" || \
		echo "heldout: PySpark cannot be installed: tests of Spark will be skipped"
	@touch $@

.venv/.stamp-%: pyproject.toml | .venv/bin/python
	$(INSTALL) --editable ".[$*]"
	@touch $@ .venv/.stamp-base
