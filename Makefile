# Two commands do everything: `make run` and `make test`. CI runs `make check`.
GO ?= go
RACE := $(shell $(GO) env CGO_ENABLED | grep -q 1 && command -v cc >/dev/null 2>&1 && echo -race)

run: ## review a diff with simulated agents
	$(GO) run ./cmd/dsh-workflow run examples/review.js --model sim
test: ## all tests, with the race detector where there is a C compiler
	@test -n "$(RACE)" || echo "no C compiler: the tests run without the race detector"
	$(GO) test $(RACE) -shuffle=on -count=1 -timeout 20m ./...
build: ## one static binary
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w" -o bin/dsh-workflow ./cmd/dsh-workflow
lint:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these"; exit 1; }
	$(GO) vet ./... && $(GO) mod tidy -diff
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
	$(GO) run github.com/polyfloyd/go-errorlint@v1.8.0 -comparison -asserts ./...
check: lint test build
fuzz: ## FUZZTIME a target
	sh internal/arch/fuzz.sh $(or $(FUZZTIME),20s)
bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...
.PHONY: run test build lint check fuzz bench
