# `make help` lists the targets. `make run` and `make test` need only a Debian (12 or later) or Ubuntu (24.04 or later)
# machine with `apt install git make`.
SHELL := /bin/sh
PATH := $(CURDIR)/.tools/bin:$(CURDIR)/node_modules/.bin:$(PATH)
export PATH

.DEFAULT_GOAL := help

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z0-9-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo; echo '  For Debian 12 or later and Ubuntu 24.04 or later, after `apt install git make`; elsewhere install the packages yourself.'

# Only of make's command line: in the environment EDITOR is somebody's text editor.
ifeq ($(origin EDITOR),command line)
export SVC_LOCAL_EDITOR := $(EDITOR)
endif
ifdef STORE
run: export SVC_LOCAL_STORE := $(STORE)
test e2e: export SVC_TEST_STORE := $(STORE)
endif
ifdef EDITOR_URL
export SVC_ONLINE_URL := $(EDITOR_URL)
endif
ifdef EDITOR_PASSWORD_FILE
export SVC_ONLINE_ADMIN_PASSWORD_FILE := $(EDITOR_PASSWORD_FILE)
endif

.PHONY: run
run: ## Install what is missing and run the service on http://localhost:8080 (PORT=… for another, EDITOR=docker for the real editor, EDITOR=url EDITOR_URL=… for one that runs, STORE=shared for PostgreSQL and S3)
	@scripts/setup.sh run
	@exec setpriv --pdeathsig TERM -- node cmd/local/main.ts

.PHONY: node
node: ## Install only what `npm run …` needs: Node (into .tools if the machine's is too old) and npm modules
	@scripts/setup.sh node

.PHONY: test
test: ## Install what is missing and run the tests that need no cluster (FILES=… for some of them, with STORE=shared on PostgreSQL and S3)
	@scripts/setup.sh test
	@$(if $(FILES),mocha $(FILES),node scripts/test.ts)

.PHONY: test-all
test-all: ## All tests: also those of `make e2e`, and twice those that run on either store; half an hour, 20 minutes more the first time
	@scripts/setup.sh test-all
	@node scripts/test.ts all

.PHONY: e2e
e2e: ## Only the tests on a real cluster and with compose: on Docker if there is one, else on one of its own (20 minutes the first time; ALL=1 also tests behind a Gateway, and the controller on Kubernetes 1.31 to the newest)
	@scripts/setup.sh e2e
	@mocha $(or $(FILES),'test/e2e/cluster/**/*.test.ts')
	@$(if $(ALL),scripts/gateway-tools.sh || [ $$? = 3 ])
	@$(if $(ALL),SVC_TEST_GATEWAY=1 mocha test/e2e/cluster/gateway.test.ts)
	@$(if $(ALL),scripts/kube-versions.sh)

.PHONY: unit
unit: ## Only the tests that need no LibreOffice; takes a minute or two
	@scripts/setup.sh unit
	@mocha 'test/unit/**/*.test.ts'

.PHONY: lint
lint: ## Check format, lint rules and that generated files are up to date
	@scripts/setup.sh run
	@biome ci --colors=off .
	@node scripts/generate.ts --check

.PHONY: chart
chart: ## Check the chart and the controller's objects: helm lint, schemas, rules
	@scripts/setup.sh chart
	@scripts/check-chart.sh

.PHONY: types
types: ## Check types
	@scripts/setup.sh run
	@npm run --silent types

.PHONY: format
format: ## Format the code and regenerate files
	@scripts/setup.sh run
	@node scripts/generate.ts
	@biome check --write --colors=off .

.PHONY: cover
cover: ## Run all tests with coverage, report in coverage/
	@scripts/setup.sh test
	@c8 mocha 'test/**/*.test.ts'

.PHONY: bench
bench: ## Run the benchmarks and write docs/benchmarks*.md (takes over an hour; BENCH_ONLY=gate,controller for some of them)
	@scripts/setup.sh bench
	@node bench/main.ts

.PHONY: corpus
corpus: ## Convert LibreOffice's own 5,600 test documents and write docs/compatibility.md (hours the first time; CORPUS_ONLY=… for some)
	@scripts/setup.sh corpus
	@node scripts/corpus/main.ts

.PHONY: image
image: ## Build the container images (TARGET=docbuilder, gate, front or controller for one, IMAGE_REGISTRY=… for their names, IMAGE_FLAGS=… for the build command)
	@scripts/image.sh $(or $(TARGET),all) $(IMAGE_FLAGS)

.PHONY: sbom
sbom: ## Write an SBOM (CycloneDX) of each built image to dist/sbom
	@scripts/setup.sh run
	@scripts/sbom.sh $(or $(TARGET),all)

.PHONY: clean
clean: ## Remove everything that was built or downloaded (not .data)
	rm -rf node_modules .tools .cache dist coverage
