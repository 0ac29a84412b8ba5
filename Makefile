# Short names for what README.md says in full. Everything works without make.
GO ?= go

run: ## review a change with simulated agents
	$(GO) run ./cmd/dsh-workflow run examples/review.js --model sim
test: ## all tests
	$(GO) run ./internal/check test
lint: ## format, vet, tidy, linters
	$(GO) run ./internal/check lint
check: ## what CI runs
	$(GO) run ./internal/check
build: ## one static binary in bin/
	$(GO) run ./internal/check build
fuzz: ## every fuzz target, FUZZTIME each
	$(GO) run ./internal/check fuzz $(or $(FUZZTIME),20s)
soak: ## the kill test in full, 200 kills
	SOAK=1 $(GO) test ./cmd/dsh-workflow -run KilledRunsAreResumed -v -timeout 60m
bench: ## the figures of docs/benchmarks.md
	$(GO) test -run '^$$' -bench . -benchmem ./...
.PHONY: run test lint check build fuzz soak bench
