# `make help` lists what there is. `make run` and `make test` need nothing but a Debian or Ubuntu machine.
SHELL := /bin/sh
PATH := $(CURDIR)/.tools/bin:$(CURDIR)/node_modules/.bin:$(PATH)
export PATH

.DEFAULT_GOAL := help

.PHONY: help
help: ## Say what each target does
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: ## Install what is missing and run the service on http://localhost:8080 (PORT=… for another)
	@scripts/setup.sh run
	@exec node cmd/local/main.ts

.PHONY: test
test: ## Install what is missing and run all tests (FILES=… for some)
	@scripts/setup.sh test
	@mocha $(or $(FILES),'test/**/*.test.ts')

.PHONY: unit
unit: ## Only the tests that need no engine; seconds
	@scripts/setup.sh test
	@mocha 'test/unit/**/*.test.ts'

.PHONY: lint
lint: ## Check format, lint rules and drift of generated files
	@scripts/setup.sh run
	@biome ci --colors=off .
	@node scripts/generate.ts --check

.PHONY: types
types: ## Check types
	@scripts/setup.sh run
	@npm run --silent types

.PHONY: format
format: ## Format the code and make generated files anew
	@scripts/setup.sh run
	@node scripts/generate.ts
	@biome check --write --colors=off .

.PHONY: cover
cover: ## Run all tests with coverage, report in coverage/
	@scripts/setup.sh test
	@c8 mocha 'test/**/*.test.ts'

.PHONY: bench
bench: ## Measure speed against soffice and unoserver, write docs/benchmarks.md (about 20 minutes)
	@scripts/setup.sh bench
	@node bench/main.ts

.PHONY: image
image: ## Build the container images (TARGET=docbuilder, gate or front for one, IMAGE_FLAGS=… for the build command)
	@scripts/image.sh $(or $(TARGET),all) $(IMAGE_FLAGS)

.PHONY: clean
clean: ## Remove what was built and downloaded (not .data)
	rm -rf node_modules .tools .cache dist coverage
