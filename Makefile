# Every verb sets up its own virtual environment with pip and then does its job.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
BENCH := .venv-bench
# What can be typed without torch: every file that does not import it; the package itself by its stub.
TYPED = $(shell grep -rLE --include=*.py "^ *(import|from) torch" src | grep -v "^src/beatpath/__init__.py$$")
SMALLEST := .venv-smallest
LOWEST := .venv-lowest
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test quick nightly smallest lowest plain gate audit lock advisories sbom mutants fuzz kills bench reproduce recovery docs clean

demo: $(VENV)/.core
	$(BIN)/beatpath check --example
	$(BIN)/beatpath rank --example
	$(BIN)/beatpath core --example
	$(BIN)/beatpath resolve --example
	$(BIN)/beatpath report --example -o report.html

test: $(VENV)/.full $(VENV)/.browser
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -Werror -c "import beatpath"
	$(BIN)/pytest -q -n 2 --dist loadfile
	$(MAKE) docs

# What a change should pass while it is being made, without torch, Spark, Ray or a browser.
quick: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --follow-imports silent $(TYPED)
	$(BIN)/pytest -q -n 2 --dist loadfile -m "not slow and not nightly" tests

# The rest of the grids whose representatives `make test` runs.
nightly: $(VENV)/.full
	$(BIN)/pytest -q -n 2 --dist loadfile -m nightly

# The core dependencies alone, installed as a user installs them: the wheel, no extra.
smallest:
	test -d $(SMALLEST) || $(PYTHON) -m venv $(SMALLEST)
	$(SMALLEST)/bin/pip install -q . pytest hypothesis
	$(SMALLEST)/bin/python -Werror -c "import beatpath"
	for verb in check rank core resolve; do $(SMALLEST)/bin/beatpath $$verb --example > /dev/null || exit 1; done
	$(SMALLEST)/bin/pytest -q tests/evidence tests/test_doors.py

# The lowest versions that pyproject.toml declares, from the wheel: the verbs, and the fast tests.
lowest:
	rm -rf $(LOWEST)
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/pip install -q --upgrade "pip>=25.1"
	$(PYTHON) tests/lowest.py > $(LOWEST)/lowest.txt
	$(LOWEST)/bin/pip install -q -c $(LOWEST)/lowest.txt . --group dev
	for verb in check rank core resolve; do $(LOWEST)/bin/beatpath $$verb --example > /dev/null || exit 1; done
	$(LOWEST)/bin/beatpath report --example -o $(LOWEST)/report.html > /dev/null
	$(LOWEST)/bin/pytest -q -n 2 --dist loadfile -m "not slow and not nightly" tests

# What numba compiles elsewhere, run by Python itself.
plain: $(VENV)/.dev
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -q tests/methods -k compiled

# Five cells of the benchmarks, each a ratio, against the figures that are kept or a revision: BASE=HEAD^.
gate: $(VENV)/.core
	$(BIN)/python benchmarks/gate.py $(if $(BASE),--base $(BASE))

# What an attacker could do with the workflows and the action.
audit: $(VENV)/.venv
	$(BIN)/pip install -q --group audit
	$(BIN)/zizmor --offline --no-progress .github/workflows .github/dependabot.yml action.yml examples/ci/*.yml

# The versions and hashes of the environment that `make quick LOCKED=1` installs.
lock: $(VENV)/.venv
	$(BIN)/pip install -q uv
	printf '.[app,fast,inspect,live]\nhatchling\neditables\n' | $(BIN)/uv pip compile - --group dev --universal --generate-hashes \
	--python-version 3.11 --upgrade --no-emit-package beatpath --no-annotate --custom-compile-command "make lock" \
	--quiet --output-file requirements/dev.txt

# Known vulnerabilities of what requirements/dev.txt installs; needs the network.
advisories: $(VENV)/.venv
	$(BIN)/pip install -q pip-audit
	$(BIN)/pip-audit --require-hashes --disable-pip -r requirements/dev.txt

# What a plain install brings along, as a CycloneDX list of components.
sbom: $(VENV)/.venv
	rm -rf build/sbom && mkdir -p build/sbom
	$(PYTHON) -m venv build/sbom/venv
	build/sbom/venv/bin/pip install -q .
	$(BIN)/pip install -q cyclonedx-bom
	$(BIN)/cyclonedx-py environment --output-reproducible --pyproject pyproject.toml -o build/sbom/beatpath.cdx.json build/sbom/venv

# How many small faults, sampled from every package, the tests miss: an hour and more; resumes where it was interrupted.
mutants: $(VENV)/.full
	nice $(BIN)/python tests/mutants.py --number $(or $(NUMBER),200) --seed $(or $(SEED),0)

# Damaged files and odd options through every verb, until the time is over; what is found is kept in build/fuzz.
fuzz: $(VENV)/.full
	$(BIN)/python tests/fuzz.py --minutes $(or $(MINUTES),30)

# Writers of arenas, and their PostgreSQL server where one is installed, killed at random moments: ten minutes.
kills: $(VENV)/.dev
	$(BIN)/python tests/kills.py --kills $(or $(KILLS),200)

docs: $(VENV)/.full
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html
	@echo "documentation: docs/_build/html/index.html"

reproduce: $(VENV)/.core
	$(BIN)/beatpath reproduce all

# How much of a planted core the core posterior finds, 40 seeds a cell of STE's grid: about an hour of one processor.
recovery: $(VENV)/.core
	$(BIN)/python reproductions/ste_tables/reproduce.py --seeds 40 --posterior

bench: $(BENCH)/.bench $(BENCH)-gpl/.bench
	$(BENCH)/bin/python benchmarks/run.py --peers $(BENCH)-gpl/bin/python; status=$$?; \
	$(BENCH)/bin/python benchmarks/run.py --docs && exit $$status

$(VENV)/.venv:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --upgrade "pip>=25.1"
	@touch $@

$(VENV)/.core: $(VENV)/.venv pyproject.toml
	$(BIN)/pip install -q -e .
	@touch $@

# LOCKED=1 installs nothing but the versions and hashes of requirements/dev.txt.
$(VENV)/.dev: $(if $(LOCKED),$(VENV)/.venv,$(VENV)/.core) pyproject.toml
ifdef LOCKED
	$(BIN)/pip install -q --require-hashes -r requirements/dev.txt
	$(BIN)/pip install -q --no-deps --no-build-isolation -e .
else
	$(BIN)/pip install -q -e . --group dev
endif
	@touch $@

$(VENV)/.full: $(VENV)/.dev pyproject.toml
	$(BIN)/pip install -q -e . --group full
	@touch $@

# Chromium for the tests in a real browser: installed where root may, as on a build machine; elsewhere theirs are skipped.
$(VENV)/.browser: $(VENV)/.venv
	command -v chromium > /dev/null || { test "$$(id -u)" = 0 && apt-get update -q && apt-get install -q -y chromium; } \
	|| echo "no chromium: the browser tests will be skipped"
	@touch $@

$(BENCH)/.bench: pyproject.toml
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/pip install -q --upgrade "pip>=25.1"
	$(BENCH)/bin/pip install -q -e ".[fast,live,png]" --group bench
	@touch $@

$(BENCH)-gpl/.bench:  # a peer under the GPL, which shares no environment with the package, and one that needs an older pandas
	$(PYTHON) -m venv $(BENCH)-gpl
	$(BENCH)-gpl/bin/pip install -q corankco pulp rliable "pandas<3"
	@touch $@

clean:
	rm -rf $(VENV) $(SMALLEST) $(LOWEST) $(BENCH) $(BENCH)-gpl docs/_build build dist
