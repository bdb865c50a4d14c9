# Two commands matter: `make run` and `make test`. Go and Node are all they need.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := bash

ARTIFACTS := build/artifacts
FORGE     := node ../node_modules/@foundry-rs/forge/bin.mjs
VERSION   := $(shell git describe --always --dirty 2>/dev/null || echo unknown)

help: ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

run: ## build everything, start the local chain and the service on it
	@$(MAKE) --no-print-directory -j3 warm build/braid artifacts
	@build/braid dev --artifacts $(ARTIFACTS) $(ARGS)

test: artifacts page ## set up and run every test
	go vet ./...
	cd contracts && $(FORGE) test
	go test -timeout 20m ./...
	@$(MAKE) --no-print-directory browse

browse: build/braid artifacts ## drive the page with a browser; pictures in build/screens
	@node --import tsx web/test/chromium.ts
	@node --import tsx --test --test-concurrency=1 web/test/*.test.ts

CASES ?= 200000
SEED  ?= 1
differential: artifacts ## hold our arithmetic to the contracts: CASES=n SEED=n
	@set -o pipefail; CASES=$(CASES) SEED=$(SEED) go test -count=1 -timeout 3h -run '^TestDifferential$$' -v ./venue/... \
		| grep -E '^(family=|FAIL|panic)|mismatch|we say'

BLOCKS ?= 2000
REORGS ?= 100
soak: artifacts ## follow a hostile chain: BLOCKS=n REORGS=n SEED=n
	@set -o pipefail; BLOCKS=$(BLOCKS) REORGS=$(REORGS) SEED=$(SEED) go test -count=1 -timeout 3h -run '^TestSoak$$' -v ./indexer \
		| grep -E '^(blocks=|FAIL|panic)|_test.go:.*(block|wrong|never|run:)'

forge: artifacts ## the contracts' own tests at length: 10,000 runs a fuzz test, 50,000 invariant calls, coverage
	cd contracts && FOUNDRY_FUZZ_RUNS=10000 FOUNDRY_INVARIANT_RUNS=1000 $(FORGE) test
	cd contracts && $(FORGE) coverage --ir-minimum --report summary --no-match-coverage '(^test|^dev|Lens)'

ROUTES ?= 1000
gas: artifacts ## hold gas limits to what random routes need: ROUTES=n SEED=n
	@set -o pipefail; ROUTES=$(ROUTES) SEED=$(SEED) go test -count=1 -timeout 3h -run '^TestGas$$' -v ./cmd/braid \
		| grep -E '^(schedule=|FAIL|panic)|over the bar|: (least|worst) '

BASE ?= HEAD
compare: artifacts ## hold this build to the build of another commit: BASE=commit SEED=n
	@rm -rf build/base && mkdir -p build/base && git archive $(BASE) | tar x -C build/base
	@cd build/base && go build -o ../base-braid ./cmd/braid && rm -rf ../base
	@set -o pipefail; BASE_BINARY=$(CURDIR)/build/base-braid SEED=$(SEED) go test -count=1 -timeout 1h -run '^TestCompare$$' -v ./walk \
		| grep -vE ' level='

bench: artifacts ## run the benchmarks
	go test -run '^$$' -bench . -benchmem ./...

artifacts: build/.npm ## compile our contracts and fetch the venues' bytecode
	@node contracts/build.mjs --artifacts $(ARTIFACTS)

contracts: build/.npm ## compile our contracts anew into contracts/out
	@node contracts/build.mjs --artifacts $(ARTIFACTS) --write

page: build/.page ## build the page

build/.page: build/.npm contracts/out/Router.json api/openapi.json go.mod $(shell find web -path web/dist -prune -o -path web/test -prune -o -type f ! -name '*.go' -print)
	@node_modules/.bin/tsc -p web && node_modules/.bin/vite build --config web/vite.config.ts --logLevel warn
	@touch $@

# What takes long to compile, while npm is busy.
warm:
	@! command -v go >/dev/null || go build ./api ./devchain ./indexer

# go decides by itself what has to be built again.
build/braid: build/.page FORCE
	@command -v go >/dev/null || { echo "braid needs Go 1.26 or later: install it, then run make again" >&2; exit 1; }
	@[ -e $@ ] || echo "building braid (the first build takes two to four minutes)"
	@go build -ldflags "-X main.version=$(VERSION)" -o $@ ./cmd/braid

# braid dev needs the venues' bytecode too: run it here, or give it --artifacts.
PREFIX ?= /usr/local
install: build/braid ## put the binary, page included, into PREFIX/bin (PREFIX=/usr/local)
	@install -d $(DESTDIR)$(PREFIX)/bin && install -m 755 build/braid $(DESTDIR)$(PREFIX)/bin/braid
	@echo "installed $(DESTDIR)$(PREFIX)/bin/braid"

build/.npm: package.json package-lock.json .npmrc
	@command -v npm >/dev/null || { echo "braid needs Node 20.19 or later with npm: install it, then run make again" >&2; exit 1; }
	@echo "installing compilers and venue contracts with npm"
	@npm install --no-save --loglevel=error
	@mkdir -p build && touch $@

clean: ## remove what was built
	rm -rf build node_modules web/dist/assets web/dist/*.html

FORCE:
.PHONY: help run install test forge browse page warm differential gas soak compare bench artifacts contracts clean FORCE
