# Two commands matter: `make run` and `make test`. Go and Node are all they need.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := bash

ARTIFACTS := build/artifacts
FORGE     := node ../node_modules/@foundry-rs/forge/bin.mjs
VERSION   := $(shell git describe --always --dirty 2>/dev/null || echo unknown)

# What to install and build for: run needs less than test.
FOR := test
NPM := build/.npm$(if $(filter run,$(FOR)),-run)

# The C code of two dependencies is a third of the work of a first build, and
# each also exists in Go. CGO_ENABLED=1 is for go test -race.
export CGO_ENABLED ?= 0

# Progress lines begin with the seconds since make was started.
ifndef BEGAN
export BEGAN := $(shell date +%s)
endif
say = printf '%4d s  %s\n' $$(($$(date +%s) - BEGAN))

help: ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

run: ## build everything, start the local chain and the service on it
	@[ -e build/braid ] || echo "first start: about three minutes on two cores, later ones take seconds"
	@$(MAKE) --no-print-directory -j3 FOR=run warm build/braid artifacts
	@build/braid dev --artifacts $(ARTIFACTS) $(ARGS)

test: artifacts page ## set up and run every test
	go vet ./...
	node_modules/.bin/tsc -p web
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

published: ## hold our arithmetic to outcomes that others published: CORPUS=directory (docs/venues.md)
	@test -d "$(CORPUS)" || { echo "give CORPUS=directory, with a directory per family" >&2; exit 1; }
	@set -o pipefail; CORPUS=$(abspath $(CORPUS)) go test -count=1 -run '^TestPublished$$' -v ./venue/... | grep -E '^(published:|FAIL|panic)|script.go:'

BLOCKS ?= 2000
REORGS ?= 100
soak: artifacts ## follow a hostile chain: BLOCKS=n REORGS=n SEED=n
	@set -o pipefail; BLOCKS=$(BLOCKS) REORGS=$(REORGS) SEED=$(SEED) go test -count=1 -timeout 3h -run '^TestSoak$$' -v ./indexer \
		| grep -E '^(blocks=|FAIL|panic)|_test.go:.*(block|wrong|never|run:)'

feed: ## measure a replica of a generated market: POOLS=n BLOCKS=n
	@set -o pipefail; POOLS=$(or $(POOLS),10000) BLOCKS=$(or $(filter-out 2000,$(BLOCKS)),100) go test -count=1 -timeout 1h -run '^TestBars$$' -v ./feed \
		| grep -E '^(pools=|FAIL|panic)|_test.go:'

SECONDS ?= 60
cluster: artifacts ## kill, hang and cut off parts of three brokers, two indexers and three replicas: SECONDS=n SEED=n
	@set -o pipefail; CLUSTER_SECONDS=$(SECONDS) SEED=$(SEED) go test -count=1 -timeout 3h -run '^TestCluster$$' -v ./cluster \
		| grep --line-buffered -E '^(replica |kills=|FAIL|panic)|_test.go:'

siege: artifacts ## attack the running product with pools and tokens that anybody may make: SEED=n
	@set -o pipefail; SIEGE=1 SEED=$(SEED) go test -count=1 -timeout 3h -run '^TestSiege$$' -v ./siege \
		| tee >(grep --line-buffered -E '^  [a-z0-9]' >&2) | grep --line-buffered -E '^(attack=|FAIL|panic)|_test.go:'

forge: artifacts ## the contracts' own tests at length: 10,000 runs a fuzz test, 50,000 invariant calls, coverage
	cd contracts && FOUNDRY_FUZZ_RUNS=10000 FOUNDRY_INVARIANT_RUNS=1000 $(FORGE) test
	cd contracts && $(FORGE) coverage --ir-minimum --report summary --no-match-coverage '(^test|^dev|Lens)'

ROUTES ?= 1000
gas: artifacts ## hold gas limits to what random routes need, also after others traded: ROUTES=n SEED=n
	@set -o pipefail; ROUTES=$(ROUTES) SEED=$(SEED) go test -count=1 -timeout 3h -run '^TestGas(BeforeTicks)?$$' -v ./cmd/braid \
		| grep -E '^(schedule=|FAIL|panic)|over the bar|: (least|worst) '

fees: build/braid artifacts ## send random orders with fees and for amounts out on the local chain: ORDERS=n SEED=n
	@set -o pipefail; ORDERS=$(or $(ORDERS),300) SEED=$(SEED) go test -count=1 -timeout 3h -run '^TestFeesAndOutputs$$' -v ./e2e \
		| grep -E '^(orders=|FAIL|panic)|_test.go:'

BASE ?= HEAD
compare: artifacts ## hold this build to the build of another commit: BASE=commit SEED=n
	@rm -rf build/base && mkdir -p build/base && git archive $(BASE) | tar x -C build/base
	@cd build/base && go build -o ../base-braid ./cmd/braid && rm -rf ../base
	@set -o pipefail; BASE_BINARY=$(CURDIR)/build/base-braid SEED=$(SEED) go test -count=1 -timeout 1h -run '^TestCompare$$' -v ./e2e \
		| grep -vE ' level='

load: artifacts ## compare the CPU time of a quote over HTTP with that of another commit: BASE=commit ORDERS=n SEED=n
	@rm -rf build/base && mkdir -p build/base && git archive $(BASE) | tar x -C build/base
	@cd build/base && go build -o ../base-braid ./cmd/braid && rm -rf ../base
	@set -o pipefail; BASE_BINARY=$(CURDIR)/build/base-braid SEED=$(SEED) ORDERS=$(or $(ORDERS),8000) \
		go test -count=1 -timeout 1h -run '^TestLoad$$' -v ./e2e | grep -E '^(load=|FAIL|panic)|_test.go:'

LADDERS ?= 1000
ladders: artifacts ## by how much the price impact falls along ladders of amounts: LADDERS=n SEED=n POOLS=n NOISE=x
	@set -o pipefail; LADDERS=$(LADDERS) SEED=$(SEED) POOLS=$(or $(POOLS),1000) NOISE=$(NOISE) \
		go test -count=1 -timeout 3h -run '^TestLadders$$' -v ./score ./e2e | grep -E '(ladders=|^FAIL|^panic|_test.go:)'

# What score and ablation measure on. TINES and FILL are how many orders of a set
# are compared with those rivals, which are slow.
SETS     ?= retail large impact
MAXSTEPS ?= 32
NOISE    ?= 0
TINES    ?= 60
FILL     ?= 20
score: ## measure plans on a generated market: POOLS=n SEED=n MAXSTEPS=n ORDERS=n NOISE=x BASE=commit
ifeq ($(origin BASE),file)
	@$(score_run)
else
	@rm -rf build/base && mkdir -p build/base && git archive $(BASE) | tar x -C build/base
	@cd build/base && go build -o ../base-braid ./cmd/braid && rm -rf ../base
	@go build -o build/score-braid ./cmd/braid
	@export BASE_BINARY=$(CURDIR)/build/base-braid BINARY=$(CURDIR)/build/score-braid; $(score_run)
endif

score_run = set -o pipefail; \
	POOLS=$(or $(POOLS),1000) ORDERS=$(or $(ORDERS),1000) SEED=$(SEED) MAXSTEPS=$(MAXSTEPS) NOISE=$(NOISE) SETS='$(SETS)' TINES=$(TINES) FILL=$(FILL) \
	go test -count=1 -timeout 3h -run '^TestScore$$' -v ./score | grep -E '^(pools=|FAIL|panic)|_test.go:'

output: ## measure amounts in that are found for amounts out: POOLS=n SEED=n ORDERS=n SETS='retail large'
	@set -o pipefail; POOLS=$(or $(POOLS),1000) ORDERS=$(or $(ORDERS),1000) SEED=$(SEED) SETS='$(SETS)' \
		go test -count=1 -timeout 3h -run '^TestOutput$$' -v ./score | grep -E '^(pools=|FAIL|panic)|_test.go:'

ablation: ## measure what the router loses without each of its parts: POOLS='n n' MARKETS='sane arbitrage hostile' SEED=n ORDERS=n
	@set -o pipefail; POOLS='$(or $(POOLS),1000 10000 50000)' ORDERS=$(or $(ORDERS),300) MARKETS='$(or $(MARKETS),sane arbitrage hostile)' SEED=$(SEED) \
		go test -count=1 -timeout 3h -run '^TestAblation$$' -v ./score | grep -E '^(\||FAIL|panic)|_test.go:'

SEEDS ?= 500
steps: ## hold plans of 1 to 100 steps to the best choice of links and to each other, on small markets: SEEDS=n SEED=n
	@set -o pipefail; SEEDS=$(SEEDS) SEED=$(SEED) go test -count=1 -timeout 3h -run '^Test(Few|More)Steps$$' -v ./router | grep -E '^(steps=|FAIL|panic)|_test.go:'

constants: ## measure what half and double of the router's constants do, and note it beside them: CONSTANTS='path flow.slip' WRITE=1
	@set -o pipefail; CONSTANTS='$(or $(CONSTANTS),all)' POOLS=$(or $(POOLS),1000) ORDERS=$(or $(ORDERS),150) SEED=$(SEED) WRITE=$(WRITE) \
		go test -count=1 -timeout 3h -run '^TestConstants$$' -v ./score | grep -E ': half: |^(FAIL|panic)|_test.go:'

bench: artifacts ## run the benchmarks
	go test -run '^$$' -bench . -benchmem ./...

artifacts: $(NPM) ## compile our contracts and fetch the venues' bytecode
	@node contracts/build.mjs --artifacts $(ARTIFACTS) --for $(FOR)

contracts: $(NPM) ## compile our contracts anew into contracts/out
	@node contracts/build.mjs --artifacts $(ARTIFACTS) --write

page: build/.page ## build the page

build/.page: $(NPM) contracts/out/Router.json api/openapi.json go.mod $(shell find web -path web/dist -prune -o -path web/test -prune -o -type f ! -name '*.go' -print)
	@node_modules/.bin/vite build --config web/vite.config.ts --logLevel warn
	@touch $@

# What takes long to compile, while npm is busy. Two builds at a time would
# both compile what they share, so the build of the binary waits for this one.
warm:
	@[ -e build/braid ] || ! command -v go >/dev/null || { \
		$(say) "fetching Go modules"; set -o pipefail; \
		go build -v ./api ./devchain ./indexer 2>&1 | $(count_packages); }

# go build -v writes a line a package; whatever else it writes is an error.
define count_packages
{ n=0; while read -r line; do case $$line in \
	"go: downloading "*) ;; \
	*[!A-Za-z0-9_./~-]*) echo "$$line" >&2 ;; \
	*) case $$((n++)) in \
		0) $(say) "compiling Go packages, about 700 in all" ;; \
		*00) $(say) "compiled $$((n - 1)) Go packages" ;; \
	esac ;; esac; done; }
endef

# go decides by itself what has to be built again.
build/braid: build/.page FORCE | warm
	@command -v go >/dev/null || { echo "braid needs Go 1.26 or later: install it, then run make again" >&2; exit 1; }
	@go build -ldflags "-X main.version=$(VERSION)" -o $@ ./cmd/braid

# braid dev needs the venues' bytecode too: run it here, or give it --artifacts.
PREFIX ?= /usr/local
install: build/braid ## put the binary, page included, into PREFIX/bin (PREFIX=/usr/local)
	@install -d $(DESTDIR)$(PREFIX)/bin && install -m 755 build/braid $(DESTDIR)$(PREFIX)/bin/braid
	@echo "installed $(DESTDIR)$(PREFIX)/bin/braid"

# What run needs is a part of what test needs, and npm removes what it is told
# to leave out: each stamp says what is installed now.
build/.npm: package.json package-lock.json .npmrc
	@$(call npm_install)
	@mkdir -p build && touch $@ $@-run

build/.npm-run: package.json package-lock.json .npmrc
	@$(call npm_install,--omit=dev)
	@mkdir -p build && touch $@ && rm -f build/.npm

define npm_install
command -v npm >/dev/null || { echo "braid needs Node 20.19 or later with npm: install it, then run make again" >&2; exit 1; }; \
	$(say) "installing compilers and venue contracts with npm"; \
	npm install --no-save --loglevel=error $(1) >/dev/null && $(say) "installed the npm packages"
endef

clean: ## remove what was built
	rm -rf build node_modules web/dist/assets web/dist/*.html

FORCE:
# Whatever help lists is no file.
.PHONY: $(shell sed -n 's/^\([a-z]*\):.*##.*/\1/p' Makefile) warm FORCE
