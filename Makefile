# Every target does the set-up it needs, and may be run again. All of it is inside the clone, but for the Chromium of `make browser`.
# `make` alone lists them.

PYTHON ?= python3
SEED ?=
RUN ?= runs/giuthi-5x4$(if $(SEED),-seed$(SEED))
SOAK ?= 50
PEERS ?=

TARGET := $(or $(CARGO_TARGET_DIR),target)
MANCALA := "$(TARGET)/release/mancala"
BIN := .venv/bin
MATURIN := env -u CONDA_PREFIX VIRTUAL_ENV="$(CURDIR)/.venv" $(BIN)/maturin
PYTHON_FILES := --config python/pyproject.toml --exclude '*.md' python tests/python scripts docs/site
# pyo3 and .venv take python3 of the PATH unless another was asked for.
ifneq ($(origin PYTHON),file)
export PYTHON
export PYO3_PYTHON := $(PYTHON)
endif
# CI builds exactly what Cargo.lock says; whoever adds a dependency wants the file updated instead.
LOCKED := $(if $(CI),--locked)

.DEFAULT_GOAL := help
.PHONY: help train test python wheel browser torch release lint bench soak docs site nets tools libtorch venv
# Steps share two cores and cargo's lock: side by side they would only be slower.
.NOTPARALLEL:

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo "Variables: SEED, RUN (train), PYTHON (what .venv is made with), SOAK (how many times as long), CARGO_TARGET_DIR,"
	@echo "PEERS (bench: Pythons that have pgx or OpenSpiel)"

train: release ## learn giuthi-5x4 from nothing, at most ten minutes, and play the closing matches
	$(MANCALA) train --config train/configs/giuthi-5x4.toml --out $(RUN) $(if $(SEED),--set seed=$(SEED)) --resume

test: libtorch python ## every test, Rust and Python
	cargo test $(LOCKED) --workspace
	MANCALA_BIN="$$(realpath "$(TARGET)/debug/mancala")" $(BIN)/pytest -c python/pyproject.toml -rs tests/python

python: tools venv ## mancala_rl in .venv, release build, with what its tests need
	PIP_QUIET=1 $(MATURIN) develop --release $(LOCKED) --manifest-path python/Cargo.toml

wheel: tools venv ## wheel and sdist of mancala_rl in target/wheels, checked, and each installed into a clean environment
	@rm -rf "$(TARGET)/wheels"
	$(MATURIN) build --release $(LOCKED) --manifest-path python/Cargo.toml --out "$(TARGET)/wheels"
	$(MATURIN) sdist --manifest-path python/Cargo.toml --out "$(TARGET)/wheels"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r python/requirements-packaging.txt
	$(BIN)/twine check --strict "$(TARGET)"/wheels/*
	$(BIN)/check-wheel-contents "$(TARGET)"/wheels/*.whl
	$(BIN)/abi3audit --strict --summary "$(TARGET)"/wheels/*.whl
	MANCALA_DIST="$$(realpath "$(TARGET)/wheels")" $(BIN)/pytest -c python/pyproject.toml tests/python/test_packaging.py

browser: venv ## Playwright in .venv and, where there is none, a Chromium on the system: with them `make test` tests the replay page too
	@scripts/setup_browser.sh

torch: tools venv ## PyTorch, without CUDA: with it `make test` tests mancala_rl.torch too
	@$(BIN)/python scripts/setup_torch.py

release: libtorch ## target/release/mancala
	cargo build $(LOCKED) --release --package mancala-train --bin mancala

lint: libtorch venv ## formatting and lints, Rust and Python
	@scripts/check_tools.sh rustfmt clippy
	cargo fmt --all --check
	cargo clippy $(LOCKED) --workspace --all-targets -- -D warnings
	$(BIN)/ruff check $(PYTHON_FILES)
	$(BIN)/ruff format --check $(PYTHON_FILES)
	$(BIN)/zizmor --offline --quiet .github/workflows
	cd python && ../$(BIN)/mypy

bench: release python ## speed: scalar rules, engine, tablebase, engine from Python beside its PEERS; about four minutes
	$(MANCALA) bench --seconds 0.3
	cargo bench $(LOCKED) --package mancala-env --package mancala-search
	$(BIN)/python python/benches/random_play.py $(PEERS:%=--peers %)

soak: libtorch ## the differential and property tests, SOAK times as long
	MANCALA_SOAK=$(SOAK) cargo test $(LOCKED) --workspace -- --include-ignored

docs: libtorch ## the Rust documentation, in target/doc
	RUSTDOCFLAGS="-D warnings" cargo doc $(LOCKED) --workspace --no-deps

site: python ## the documentation site, in target/site: docs/ and the Python reference
	@scripts/setup_site.sh
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet --fresh-env --conf-dir docs/site \
	    --doctree-dir "$(TARGET)/.site" docs "$(TARGET)/site"
	@echo "$(TARGET)/site/index.html"

nets: ## train the nets that ship (hours) and copy them to search/nets
	@$(MAKE) release
	@for config in train/configs/nets/*.toml; do \
	    name=$$(basename "$$config" .toml) && \
	    $(MANCALA) train --config "$$config" --out "runs/nets/$$name" --resume && \
	    cp "runs/nets/$$name/checkpoints/latest/net.safetensors" "search/nets/$$name.safetensors" && \
	    cp "runs/nets/$$name/metrics.jsonl" "docs/nets/$$name.jsonl" && \
	    echo "search/nets/$$name.safetensors" || exit 1; \
	done

tools:
	@scripts/check_tools.sh rust python

libtorch:
	@scripts/check_tools.sh rust cxx python
	@$(PYTHON) scripts/setup_libtorch.py

venv:
	@scripts/check_tools.sh python
	@scripts/setup_venv.sh
