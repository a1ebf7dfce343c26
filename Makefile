# One door to the workshop. Needs Go 1.26 and make; the tests also Node 20 or
# newer, and `check` a C compiler for the race detector. The rest is set up here.

ADDR ?= localhost:8080
STORIES ?= localhost:8081
BUILD := .build

# Tests' random inputs: how long each fuzz target runs in `make fuzz`.
FUZZTIME ?= 10s

STATIC_NPM := static/node_modules/.package-lock.json
E2E_NPM := e2e/node_modules/.package-lock.json
DRIVER := $(BUILD)/playwright/ready
PLAYWRIGHT := PLAYWRIGHT_DRIVER_PATH=$(CURDIR)/$(BUILD)/playwright PLAYWRIGHT_NODEJS_PATH="$$(command -v node)"

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' Makefile

.PHONY: run
run: build ## build and serve at http://localhost:8080 (ADDR=host:port for another address)
	$(BUILD)/burstlab serve --addr $(ADDR)

.PHONY: build
build: ## build .build/burstlab
	go build -o $(BUILD)/burstlab ./cmd/burstlab

.PHONY: storybook
storybook: ## every state of the pages at http://localhost:8081, with no lab behind (STORIES=host:port)
	go run ./cmd/storybook -addr $(STORIES)

.PHONY: test
test: go-test js-test e2e ## every test: Go, browser code, and the page in a real Chromium

.PHONY: check
check: tidy-check templ-check fmt-check vet-check js-check race ## what has to hold before a change goes in, besides `test`

.PHONY: go-test
go-test:
	go test -shuffle=on ./...

.PHONY: race
race:
	go test -race -shuffle=on ./...

.PHONY: js-test
js-test: static-deps
	npm --prefix static test

.PHONY: js-check
js-check: static-deps
	npm --prefix static run check

.PHONY: tidy-check
tidy-check:
	go mod tidy -diff

# Generated templates are committed: generating them again must change nothing.
.PHONY: templ-check
templ-check:
	@mkdir -p $(BUILD)
	@find views -name '*_templ.go' | sort | xargs cksum > $(BUILD)/templ.before
	go tool templ generate -path views
	@find views -name '*_templ.go' | sort | xargs cksum > $(BUILD)/templ.after
	@cmp -s $(BUILD)/templ.before $(BUILD)/templ.after || { echo "views: the generated templates were out of date; commit the new ones"; exit 1; }

.PHONY: fmt-check
fmt-check:
	@unformatted=$$(git ls-files --cached --others --exclude-standard '*.go' ':!*_templ.go' | xargs gofmt -l); \
	test -z "$$unformatted" || { echo "gofmt would change: $$unformatted"; exit 1; }

.PHONY: vet-check
vet-check:
	go vet -tags e2e ./...
	go tool staticcheck -tags e2e ./...

.PHONY: e2e
e2e: static-deps $(DRIVER) ## only the tests in a real Chromium
	browser=$$(e2e/chromium) && BURSTLAB_CHROMIUM="$$browser" $(PLAYWRIGHT) go test -tags e2e -count=1 -timeout 40m $(E2EFLAGS) ./e2e/...

.PHONY: load
load: static-deps $(DRIVER) ## 100 viewers in one room at 5,000 requests a second: frames, lateness, latencies
	browser=$$(e2e/chromium) && BURSTLAB_CHROMIUM="$$browser" $(PLAYWRIGHT) go run ./e2e/load

.PHONY: frames
frames: static-deps $(DRIVER) ## one page at 1 and at 5,000 requests a second: frames, long tasks, clicks, script size (FRAMES="-memory 10m": its memory)
	browser=$$(e2e/chromium) && BURSTLAB_CHROMIUM="$$browser" $(PLAYWRIGHT) go run ./e2e/load -frames $(FRAMES)

.PHONY: bench
bench: ## benchmarks of the engine
	go test -run '^$$' -bench . -benchmem ./lab/...

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME (10s)
	@grep -rlE '^func Fuzz' --include '*_test.go' lab scenarios views web | while read -r file; do \
		grep -oE '^func Fuzz[A-Za-z0-9_]*' "$$file" | while read -r _ target; do \
			echo "$$(dirname "$$file") $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "./$$(dirname "$$file")" || exit 1; \
		done || exit 1; \
	done

.PHONY: templates
templates: ## generate the Go code of the templates
	go tool templ generate -path views

.PHONY: clean
clean: ## remove everything that was built or fetched into this folder
	rm -rf $(BUILD) static/node_modules static/dist e2e/node_modules

.PHONY: static-deps
static-deps: $(STATIC_NPM)

$(STATIC_NPM): static/package-lock.json
	npm ci --prefix static --no-audit --no-fund
	npm --prefix static run build --if-present
	@touch $@

$(E2E_NPM): e2e/package-lock.json
	npm ci --prefix e2e --no-audit --no-fund --ignore-scripts
	@touch $@

# playwright-go looks for package/cli.js in the folder of its driver.
$(DRIVER): $(E2E_NPM)
	@mkdir -p $(@D)
	ln -sfn $(CURDIR)/e2e/node_modules/playwright-core $(@D)/package
	@touch $@
