# Everything a person needs to type. CI runs `make test`: see docs/develop/testing.md.

GO      ?= go
TIMEOUT ?= 40m
FUZZ    ?= 60s
RANDOM  ?= 2000
# The packages whose tests take longest begin first, so that none is left over at the end.
SLOW    := ./verify ./cmd ./rewrite ./lab/variants ./lab/registers ./tune/machine ./tune/instrument ./nvcc ./tune/space ./diag
GOFMT   := $(shell $(GO) env GOROOT)/bin/gofmt

.PHONY: build release test test-full vet fmt bench fuzz random values clean help

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST)

build: ## build ./smux
	$(GO) build -o smux ./cmd/smux

release: ## build dist/: smux for linux on amd64 and arm64 without shared libraries, wheels, Debian packages, checksums
	scripts/release.sh

# vet has looked at everything: go test need not.
TESTS = $(GO) run ./lab/testsummary/main.go -vet=off -timeout $(TIMEOUT)

# Go's programs, the compiler as well as tests, grow more before they collect garbage: a sixth less to compute.
test test-full: export GOGC ?= 400

test: vet fmt ## vet, formatting, and all tests, of the long ones a sample (minutes)
	$(TESTS) $(SLOW) ./...
	@command -v g++ >/dev/null 2>&1 || command -v clang++ >/dev/null 2>&1 || echo "make test: skipped what runs CUDA programs on the CPU: there is neither g++ nor clang++"
	@command -v nvcc >/dev/null 2>&1 || echo "make test: skipped what needs nvcc (compiling every emitted .cu): it is not installed; scripts/install-cuda.sh installs it"
	@command -v pre-commit >/dev/null 2>&1 || echo "make test: skipped what runs smux as a pre-commit hook: pre-commit is not installed; scripts/install-precommit.sh installs it"
	@command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || echo "make test: skipped what looks at the page of smux report in a browser: there is no chromium; scripts/install-chromium.sh installs it"

test-full: ## everything that make test leaves out, too (what ran alike there is not run again)
	SMUX_TEST_FULL=1 $(TESTS) $(SLOW) ./...

# Programs that print tables of the docs are no part of the build: go vet is told of them.
PROGRAMS = lab lab/testsummary

vet:
	$(GO) vet ./...
	@for dir in $(PROGRAMS); do $(GO) vet ./$$dir/main.go || exit 1; done

# Only our own files: build outputs and fetched sources do not count.
fmt:
	@bad=$$($(GOFMT) -l $$($(GO) list -f '{{.Dir}}' ./...)); \
	if [ -n "$$bad" ]; then echo "not gofmt-ed:"; echo "$$bad"; exit 1; fi

bench: ## run the benchmarks
	$(GO) test -run '^$$' -bench . -benchmem -timeout $(TIMEOUT) ./...

fuzz: ## run each fuzz target for FUZZ (60s)
	@set -e; for pkg in $$($(GO) list ./...); do \
	  for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "== $$pkg $$target"; \
	    $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZ) $$pkg; \
	  done; \
	done

random: ## rewrite and verify RANDOM (2000) random kernels
	$(GO) test ./verify -run RandomControl -v -timeout 0 -kernels $(RANDOM)

values: ## verify rewrites with other sizes, shapes, macros and pointers than main passes, of PROGRAMS_OF (and headers in HEADERS_OF), too
	$(GO) test ./verify -run 'HostValues|MainPasses' -v -timeout 0 -host-whole -edits 24 -programs "$(PROGRAMS_OF)" -programs-include "$(HEADERS_OF)"

clean: ## remove what build and release made
	rm -rf smux dist
