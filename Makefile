# Two commands for people: `make check` and `make test`. Both build .venv first.
.DELETE_ON_ERROR:
.PHONY: check test mutate against-mutmut interop wheel lock clean

PYTHON ?= python3
BIN := .venv/bin

check: .venv/installed
	@$(BIN)/goldens check

test: .venv/installed
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/pytest -q -n auto

mutate: .venv/installed
	@$(BIN)/goldens mutate

# mutmut keeps verdicts of tests that have changed since: it starts from nothing.
against-mutmut: .venv/installed
	@rm -rf mutants
	@$(BIN)/mutmut run
	@$(BIN)/goldens mutate --against-mutmut

# A second implementation, in TypeScript, under Node and Bun. Nothing else here needs npm.
INTEROP := tests/interop/node_modules

interop: .venv/installed $(INTEROP)/installed
	@$(BIN)/pytest -q tests/interop

$(INTEROP)/installed: tests/interop/package-lock.json tests/interop/package.json
	@{ npm --version && node -e '"".isWellFormed()'; } >/dev/null 2>&1 || \
		{ echo "make interop needs Node >= 20 with npm" >&2; exit 1; }
	@npm ci --silent --prefix tests/interop
	@node $(INTEROP)/bun/install.js
	@touch $@

# What other people install: a source archive, the wheel that is made from it, and a trial of both.
wheel: .venv/installed
	@rm -rf dist
	@HATCH_QUIET=1 $(BIN)/python -m hatchling build --target sdist --directory dist
	@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation \
		--wheel-dir dist dist/*.tar.gz
	@$(BIN)/pytest -q tests/wheel

# The lock holds hashes, which pip refuses to mix with an editable install:
# the locked packages first, then this project without dependencies.
.venv/installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "needs Python >= 3.11: make PYTHON=python3.12 ...")'
	@$(PYTHON) -m venv --clear .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

lock:
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --all-extras --generate-hashes \
		--no-header --no-annotate --no-emit-index-url --output-file requirements.lock pyproject.toml

clean:
	rm -rf .venv mutants dist $(INTEROP)
