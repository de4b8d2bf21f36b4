# vkterrain: `make` lists the targets, CONTRIBUTING.md says more.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:

# Go is found where its installation notes put it, even when PATH lacks that.
GO ?= $(shell command -v go || { test -x /usr/local/go/bin/go && echo /usr/local/go/bin/go; } || echo go)
PREFIX ?= /usr/local
DESTDIR ?=
OUT ?= out
TIMEOUT ?= 20m
BENCH ?= .
BENCHTIME ?= 1s
FUZZTIME ?= 10s
DEMOFLAGS ?=
BENCHFLAGS ?=

# gofmt stands beside it, and the tests call both by name.
ifneq ($(findstring /,$(GO)),)
export PATH := $(PATH):$(patsubst %/,%,$(dir $(GO)))
endif

# In CI a test that cannot find its driver or its data fails; it does not skip.
ifeq ($(CI),true)
export VKTERRAIN_REQUIRE_GPU ?= 1
ifneq ($(wildcard ../shared/.),)
export VKTERRAIN_REQUIRE_SHARED ?= 1
endif
endif

# These build where there is no C compiler.
PURE := ./terrain/... ./lodcpu/... ./streaming/...
# These share memory between goroutines, or hold what such code relies on.
RACE := ./streaming/... ./vk/ring/... ./terrain/...

# there keeps the patterns whose folder exists.
there = $(foreach p,$(1),$(if $(wildcard $(p:/...=/.)),$(p)))
stage = @printf '== %s %s\n' "$$(date -u +%H:%M:%SZ)" '$(1)'

.PHONY: help
help: ## Show this list
	@echo 'Targets:'
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

.PHONY: setup
setup: ## Install the Debian packages that are missing (needs root then)
	@tools/setup.sh

.PHONY: build
build: ## Build bin/vkterrain
	$(GO) build -trimpath -o bin/vkterrain ./cmd/vkterrain

.PHONY: demo
demo: ## Set up, build, and fly the demo; without a display draw it into out/demo
	@tools/setup.sh demo
	@$(MAKE) --no-print-directory build
	bin/vkterrain demo $(if $(DISPLAY)$(WAYLAND_DISPLAY),,--out $(OUT)/demo) $(DEMOFLAGS)

.PHONY: install
install: build ## Install the program below PREFIX (/usr/local)
	install -D -m 755 bin/vkterrain '$(DESTDIR)$(PREFIX)/bin/vkterrain'

.PHONY: test
test: setup check-format check-vet test-all test-pure build-nowindow test-race ## Set up and run the whole suite
	$(call stage,all stages passed)

.PHONY: check-format
check-format: ## Fail unless gofmt -s would change nothing
	$(call stage,gofmt -s)
	@bad=$$(gofmt -s -l .); \
	if [[ -n $$bad ]]; then echo "not as gofmt -s writes them:" $$bad >&2; exit 1; fi

.PHONY: check-vet
check-vet: ## Run go vet
	$(call stage,go vet)
	@$(GO) vet ./...

.PHONY: test-all
test-all: ## Run every test, in shuffled order
	$(call stage,go test)
	$(GO) test -shuffle=on -timeout=$(TIMEOUT) ./...

.PHONY: test-pure
test-pure: ## Build and test without cgo and assembly what must not need them
	$(call stage,without cgo)
	CGO_ENABLED=0 $(GO) build $(call there,$(PURE))
	CGO_ENABLED=0 $(GO) test -short -tags noasm -timeout=$(TIMEOUT) $(call there,$(PURE))

.PHONY: build-nowindow
build-nowindow: ## Build without a window system (-tags nowindow)
	$(call stage,without a window system)
	$(GO) build -tags nowindow -o /dev/null ./cmd/vkterrain

.PHONY: test-nightly
test-nightly: ## Test 10,000 states of each refiner, and whole flights
	$(call stage,nightly)
	VKTERRAIN_NIGHTLY=1 $(GO) test -timeout=120m ./lodcpu
	VKTERRAIN_NIGHTLY=1 $(GO) test -timeout=60m -run FarFlight .
	VKTERRAIN_BEST_PRACTICES=1 $(GO) test -timeout=60m ./vk/... ./pipeline ./hud
	VKTERRAIN_NIGHTLY=1 VKTERRAIN_BEST_PRACTICES=1 $(GO) test -timeout=90m -run 'Storm|RandomSeams|LongFlight|StreamingFlight|PicturesOf' .
	VKTERRAIN_NIGHTLY=1 GOEXPERIMENT=cgocheck2 $(GO) test -timeout=60m -run 'TestStorm$$' .
	VKTERRAIN_NIGHTLY=1 VKTERRAIN_FORCE_GC=1 GOGC=1 $(GO) test -timeout=60m -run 'TestStorm$$' .
	VKTERRAIN_NIGHTLY=1 $(GO) test -race -timeout=60m -run 'TestStorm$$' .

.PHONY: test-race race
test-race: ## Run the race detector over what runs concurrently
	$(call stage,race detector)
	$(GO) test -race -short -timeout=$(TIMEOUT) $(call there,$(RACE))

race: test-race ## The same as test-race

.PHONY: bench
bench: ## Run the benchmarks (BENCH=regexp, BENCHTIME=1s)
	@mkdir -p $(OUT)
	$(GO) test -run='^$$' -bench='$(BENCH)' -benchtime=$(BENCHTIME) -benchmem -timeout=60m ./... | tee $(OUT)/bench.txt

.PHONY: ogre-check
ogre-check: ## Let OGRE load what we write, and compare bytes, times and errors (installs libogre)
	GO='$(GO)' tools/ogre-check.sh '$(OUT)'

.PHONY: bench-ogre
bench-ogre: ## Measure frames beside OGRE 1.12's, in turn (installs libogre; BENCHFLAGS)
	GO='$(GO)' bench/ogre/run.sh '$(OUT)' $(BENCHFLAGS)

.PHONY: fuzz
fuzz: ## Fuzz each target for FUZZTIME (10s)
	@grep -rno --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | sed 's/:[0-9]*:func / /' | \
	while read -r file target; do \
		printf '== %s %s\n' "$$(dirname $$file)" "$$target"; \
		$(GO) test -run='^$$' -fuzz="^$$target\$$" -fuzztime=$(FUZZTIME) "$$(dirname $$file)" </dev/null; \
	done

.PHONY: cover
cover: ## Measure the tests' coverage into out/cover.html
	@mkdir -p $(OUT)
	$(GO) test -coverpkg=./... -coverprofile=$(OUT)/cover.out -timeout=$(TIMEOUT) ./...
	$(GO) tool cover -html=$(OUT)/cover.out -o $(OUT)/cover.html
	@$(GO) tool cover -func=$(OUT)/cover.out | tail -n 1

.PHONY: shaders
shaders: ## Compile shaders/ to SPIR-V again
	tools/glslc.sh

.PHONY: gallery
gallery: build ## Draw the pictures of docs/gallery.md again
	$(GO) run ./tools/gallery

.PHONY: golden
golden: ## Write the golden files of all tests that have an -update flag
	@packages=$$(grep -rlE --include='*_test.go' 'flag\.Bool\("update"' . | xargs -r -n1 dirname | sort -u); \
	if [[ -z $$packages ]]; then echo 'no test has an -update flag' >&2; exit 1; fi; \
	set -x; $(GO) test $$packages -update

.PHONY: release
release: ## Build archive, .deb and checksums into out/release, by the version of the last tag
	GO='$(GO)' tools/release.sh '$(OUT)'

.PHONY: clean
clean: ## Remove what the other targets made
	rm -rf bin $(OUT)
